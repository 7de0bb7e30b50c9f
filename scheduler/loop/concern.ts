import { isConditionTrue } from '../../apimachinery/meta/conditions.js';
import type { Binding, Cluster, ClusterAffinity } from '../../api/karmada/types.js';
import { clusterMatches } from '../../kinds/karmada/cluster-affinity.js';
import { isWorkload } from '../../kinds/karmada/workload.js';
import type { SchedulingInput } from '../interface.js';
import { apiEnablement } from '../plugins/api-enablement.js';
import { isTarget } from '../plugins/is-target.js';
import { observedTerm } from '../plugins/cluster-affinity.js';
import { type Plugin, filterRefusal } from '../plugins/plugins.js';
import { overflowOrder } from '../place/candidates.js';
import { groupingsOf } from '../place/grouping.js';

/** The states of one cluster since bindings were last checked, the oldest first. */
export interface ClusterHistory {
  readonly states: readonly Cluster[];
  /** Its labels or its spec have changed, or it is being deleted; otherwise only the API enablements in its status. */
  readonly isKarmadas: boolean;
}

/** Returns the affinity whose clusters concern the binding; undefined: all do. */
function currentAffinity({ spec, status, metadata }: Binding): ClusterAffinity | undefined {
  const { placement } = spec;
  const terms = placement?.clusterAffinities;
  if (!terms) return placement?.clusterAffinity;
  // The binding may be scheduled with another term before its status is here.
  if (status?.schedulerObservedGeneration !== metadata.generation) return undefined;
  return terms.find(term => term.affinityName === status?.schedulerObservingAffinityName) ?? terms[0];
}

/** Reports whether the last decision has placed this generation of the binding. */
const isPlaced = ({ metadata, status }: Binding): boolean =>
  status?.schedulerObservedGeneration === metadata.generation && isConditionTrue(status?.conditions, 'Scheduled');

/** Reports whether a binding that is placed is divided anew only when one of its targets goes away. */
const isSettled = ({ spec }: Binding): boolean =>
  isWorkload(spec) && (spec.placement?.replicaScheduling?.replicaSchedulingType ?? 'Duplicated') === 'Divided';

/** Returns all that a decision reads of the labels, the spec and the API enablements of a cluster, if its replicas are not divided. */
function roleOf(cluster: Cluster, input: SchedulingInput, active: readonly Plugin[]): string {
  if (cluster.metadata.deletionTimestamp || filterRefusal(active, input, cluster) !== undefined) return '';
  const groups = groupingsOf(input.spec.placement ?? {}).map(({ groupNameOf }) => groupNameOf(cluster) ?? '');
  return JSON.stringify([overflowOrder(input, cluster), ...groups]);
}

/**
 * Reports whether a binding is to be scheduled because a cluster has changed. Its affinity selects one of the states of the cluster, as in Karmada, and
 * the change may change the decision: a binding that is placed needs another one only if the cluster begins or ceases to be feasible, or is grouped
 * with others. as pkg/scheduler Scheduler.enqueueAffectedBindings
 * differs: Karmada schedules all bindings that the affinity selects. A cluster whose taints come and go then schedules all bindings again, and may
 * move those that tolerate the taint, or that other clusters run.
 */
export function concerns({ states, isKarmadas }: ClusterHistory, binding: Binding, active: readonly Plugin[]): boolean {
  const affinity = currentAffinity(binding);
  if (affinity && !states.some(cluster => clusterMatches(cluster, affinity))) return false;
  const placed = isPlaced(binding);
  if (!placed && isKarmadas) return true;
  const { spec, status = {} } = binding;
  if (placed && isSettled(binding)) {
    const last = states.at(-1);
    return last?.metadata.deletionTimestamp !== undefined && isTarget(binding.spec, last.metadata.name ?? '');
  }
  const input = { spec, status, term: observedTerm(spec, status) };
  const roles = states.map(cluster => roleOf(cluster, input, active));
  return roles.some(role => role !== roles[0]);
}

/**
 * Reports whether a cluster has begun to serve the kind of a binding that could be there otherwise. It served other kinds before: one that has just
 * joined takes no replicas from others.
 */
export function offersKind({ states }: ClusterHistory, binding: Binding, active: readonly Plugin[]): boolean {
  const { spec, status = {} } = binding;
  const [first, last] = [states[0], states.at(-1)];
  if (!first?.status?.apiEnablements?.length || !last || last.metadata.deletionTimestamp) return false;
  if (isTarget(binding.spec, last.metadata.name ?? '') || apiEnablement({ spec, status }, first) === undefined)
    return false;
  const terms = (!spec.placement?.clusterAffinity && spec.placement?.clusterAffinities) || [undefined];
  return terms.some(term => filterRefusal(active, { spec, status, term }, last) === undefined);
}
