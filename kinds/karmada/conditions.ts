import { isConditionTrue } from '../../apimachinery/meta/conditions.js';
import type { Cluster, Condition, Work } from '../../api/karmada/types.js';

/** Returns the condition of a type; undefined before it is first set. as apimachinery/pkg/api/meta FindStatusCondition */
export const findCondition = (conditions: readonly Condition[] | undefined, type: string): Condition | undefined =>
  conditions?.find(condition => condition.type === type);

/** Reports whether a cluster is known to answer. A cluster without a status is not ready. as pkg/util IsClusterReady */
export const isClusterReady = (cluster: Cluster): boolean => isConditionTrue(cluster.status?.conditions, 'Ready');

/** Reports whether all manifests of a Work are in the member. */
export const isApplied = (work: Work): boolean => isConditionTrue(work.status?.conditions, 'Applied');
