import { isConditionTrue } from '../../apimachinery/meta/conditions.js';
import type { Cluster, Condition, Work } from '../../api/karmada/types.js';

export const findCondition = (conditions: readonly Condition[] | undefined, type: string): Condition | undefined =>
  conditions?.find(condition => condition.type === type);

export const isClusterReady = (cluster: Cluster): boolean => isConditionTrue(cluster.status?.conditions, 'Ready');

export const isApplied = (work: Work): boolean => isConditionTrue(work.status?.conditions, 'Applied');
