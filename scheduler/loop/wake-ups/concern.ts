import { isConditionTrue } from '../../../apimachinery/meta/conditions.js';
import { deepEqual } from '../../../lib/json/equality.js';
import type { InSteps } from '../../../lib/time-slice.js';
import type {
  Binding,
  BindingSpec,
  BindingStatus,
  Cluster,
  ClusterAffinity,
  ClusterAffinityTerm,
} from '../../../api/karmada/types.js';
import { clusterMatches } from '../../../kinds/karmada/cluster-affinity.js';
import { isWorkload } from '../../../kinds/karmada/workload.js';
import type { SchedulingInput } from '../../interface.js';
import { apiEnablement } from '../../plugins/api-enablement.js';
import { isTarget } from '../../plugins/is-target.js';
import { clusterAffinity, observedTerm } from '../../plugins/cluster-affinity.js';
import { type Plugin, filterRefusal } from '../../plugins/plugins.js';
import { overflowOrder } from '../../place/candidates.js';
import { groupingsOf } from '../../place/grouping.js';

/** The states of one cluster since bindings were last checked, the oldest first. */
export interface ClusterHistory {
  readonly states: readonly Cluster[];
}

/** What decides whether a change of a cluster concerns a binding. */
export interface ConcernInput {
  /** The last decision has placed this generation of the binding. */
  readonly isPlaced: boolean;
  readonly spec: BindingSpec;
  /** The status. Only the term of clusterAffinities in it counts, and only for a binding that is placed. */
  readonly status: BindingStatus;
}

/** Returns the affinity whose clusters concern a binding that is placed; undefined: all do. */
function currentAffinity({ spec: { placement }, status }: ConcernInput): ClusterAffinity | undefined {
  const terms = placement?.clusterAffinities;
  if (!terms) return placement?.clusterAffinity;
  return terms.find(term => term.affinityName === status.schedulerObservingAffinityName) ?? terms[0];
}

/** Returns what decides about a binding. It is placed if the scheduler has observed this generation and reports success. */
export const concernInputOf = ({ metadata, spec, status = {} }: Binding): ConcernInput => ({
  isPlaced:
    status.schedulerObservedGeneration === metadata.generation && isConditionTrue(status.conditions, 'Scheduled'),
  spec,
  status,
});

/** Reports whether a binding that is placed is divided anew only when one of its targets goes away. */
const isSettled = ({ spec }: ConcernInput): boolean =>
  isWorkload(spec) && (spec.placement?.replicaScheduling?.replicaSchedulingType ?? 'Duplicated') === 'Divided';

/** Returns all that a decision reads of the labels, the spec and the API enablements of a cluster, if its replicas are not divided. */
function roleOf(cluster: Cluster, input: SchedulingInput, active: readonly Plugin[]): string {
  if (cluster.metadata.deletionTimestamp || filterRefusal(active, input, cluster) !== undefined) return '';
  const groups = groupingsOf(input.spec.placement ?? {}).map(({ groupNameOf }) => groupNameOf(cluster) ?? '');
  return JSON.stringify([overflowOrder(input, cluster), ...groups]);
}

const hasOtherRole = (states: readonly Cluster[], input: SchedulingInput, active: readonly Plugin[]): boolean =>
  new Set(states.map(cluster => roleOf(cluster, input, active))).size > 1;

/** Returns the terms of clusterAffinities that may place a binding; undefined stands for the only affinity of other placements. */
const termsOf = ({ placement }: Binding['spec']): readonly (ClusterAffinityTerm | undefined)[] =>
  (!placement?.clusterAffinity && placement?.clusterAffinities) || [undefined];

/** Reports whether the resource models of a cluster have changed, by which it is estimated. */
const hasOtherModels = ([first, ...others]: readonly Cluster[]): boolean =>
  others.some(({ spec }) => !deepEqual(spec.resourceModels, first?.spec.resourceModels));

/**
 * Reports whether a change may help a binding that is not placed. It waits for the clusters of every term, whichever was tried last. A placement may have
 * fifty thousand terms, so each is a step.
 */
function* mayHelp(
  { states }: ClusterHistory,
  { spec, status }: ConcernInput,
  active: readonly Plugin[],
): InSteps<boolean> {
  for (const term of termsOf(spec)) {
    const input = { spec, status, term };
    const isSelected = states.some(cluster => clusterAffinity(input, cluster) === undefined);
    if (isSelected && (hasOtherModels(states) || hasOtherRole(states, input, active))) return true;
    yield;
  }
  return false;
}

/**
 * Reports whether a binding is to be scheduled because a cluster has changed. Its affinity selects one of the states of the cluster, as in Karmada, and
 * the change may change the decision: the cluster begins or ceases to be feasible, or is grouped with others, or a binding that is not placed may find
 * more room in it. as pkg/scheduler Scheduler.enqueueAffectedBindings
 * differs: Karmada schedules all bindings that the affinity selects. A cluster whose taints come and go then schedules all bindings again, and may
 * move those that tolerate the taint, or that other clusters run.
 */
export function* concerns(history: ClusterHistory, input: ConcernInput, active: readonly Plugin[]): InSteps<boolean> {
  if (!input.isPlaced) return yield* mayHelp(history, input, active);
  const { states } = history;
  const affinity = currentAffinity(input);
  if (affinity && !states.some(cluster => clusterMatches(cluster, affinity))) return false;
  const { spec, status } = input;
  if (isSettled(input)) {
    const last = states.at(-1);
    return last?.metadata.deletionTimestamp !== undefined && isTarget(spec, last.metadata.name ?? '');
  }
  return hasOtherRole(states, { spec, status, term: observedTerm(spec, status) }, active);
}

/**
 * Reports whether a cluster has begun to serve the kind of a binding that could be there otherwise. It served other kinds before: one that has just
 * joined takes no replicas from others.
 */
export function* offersKind(
  { states }: ClusterHistory,
  { spec, status }: ConcernInput,
  active: readonly Plugin[],
): InSteps<boolean> {
  const [first, last] = [states[0], states.at(-1)];
  if (!first?.status?.apiEnablements?.length || !last || last.metadata.deletionTimestamp) return false;
  if (isTarget(spec, last.metadata.name ?? '') || apiEnablement({ spec, status }, first) === undefined) return false;
  for (const term of termsOf(spec)) {
    if (filterRefusal(active, { spec, status, term }, last) === undefined) return true;
    yield;
  }
  return false;
}
