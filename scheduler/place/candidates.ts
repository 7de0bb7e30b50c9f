import type { InSteps } from '../../lib/time-slice.js';
import { clusterMatches } from '../../kinds/karmada/cluster-affinity.js';
import type { BindingSpec, Cluster } from '../../api/karmada/types.js';
import { maxInt32 } from '../estimate/resource-summary.js';
import type {
  AssumedLoad,
  Candidate,
  EstimateTable,
  Estimator,
  PreparedSetEstimator,
  ScheduleOptions,
  SchedulingInput,
} from '../interface.js';
import { isComponentSet } from './component-set.js';

const neverMatched = 1000;

/** Returns the tier of a cluster: 0 for the primary affinity, i+1 for the i-th overflow affinity. */
export function overflowOrder(binding: SchedulingInput, cluster: Cluster): number {
  const { placement } = binding.spec;
  if (!placement || placement.clusterAffinity || !placement.clusterAffinities?.length) return 0;
  const { term } = binding;
  if (!term) return neverMatched;
  if (clusterMatches(cluster, term)) return 0;
  const overflow = term.overflowAffinities?.findIndex(affinity => clusterMatches(cluster, affinity)) ?? -1;
  return overflow < 0 ? neverMatched : overflow + 1;
}

type Estimators = Pick<ScheduleOptions, 'estimators' | 'setEstimators' | 'assumed'>;

/** What counts for the estimates of one cluster besides its status. */
interface Circumstances {
  /** The estimate of the member. */
  readonly byMember: number | undefined;
  readonly assumed: AssumedLoad | undefined;
}

/** Reports whether the replicas of a workload are estimated. as pkg/scheduler/core calAvailableReplicas */
export const takesResources = ({ replicas = 0, components = [] }: BindingSpec): boolean =>
  replicas > 0 || components.length > 0;

/**
 * Returns the smallest estimate. A cluster without any estimate counts as sufficient for this binding, and no more (the values are summed up).
 */
function* replicasOn(
  cluster: Cluster,
  spec: BindingSpec,
  estimators: readonly Estimator[],
  { byMember = maxInt32, assumed }: Circumstances,
): InSteps<number> {
  if (!takesResources(spec)) return maxInt32;
  let smallest = Math.min(maxInt32, byMember);
  for (const estimate of estimators) {
    const given = estimate(cluster, spec, assumed);
    smallest = Math.min(smallest, (typeof given === 'object' ? yield* given : given) ?? maxInt32);
  }
  return orSufficient(smallest, spec);
}

const orSufficient = (estimate: number, { replicas = 0 }: BindingSpec): number =>
  estimate === maxInt32 ? replicas : estimate;

/** Returns the smallest estimate of sets of the components. */
function* setsOn(
  cluster: Cluster,
  spec: BindingSpec,
  estimators: readonly PreparedSetEstimator[],
  { byMember = maxInt32, assumed }: Circumstances,
): InSteps<number> {
  let smallest = Math.min(maxInt32, byMember);
  for (const estimate of estimators) smallest = Math.min(smallest, (yield* estimate(cluster, assumed)) ?? maxInt32);
  return orSufficient(smallest, spec);
}

/** Orders clusters by tier, score, available replicas and name. as pkg/scheduler/core/spreadconstraint sortClusters */
export const byPreference = (a: Candidate, b: Candidate): number =>
  a.overflowOrder - b.overflowOrder ||
  b.score - a.score ||
  b.available - a.available ||
  (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

/** Returns the feasible clusters as candidates, in order of preference. `byMembers`: the estimates of the members that were asked. */
export function* candidates(
  binding: SchedulingInput,
  feasible: readonly { readonly cluster: Cluster; readonly score: number }[],
  estimators: Estimators,
  byMembers?: EstimateTable,
): InSteps<Candidate[]> {
  const { spec } = binding;
  const assigned = new Map(spec.clusters?.map(target => [target.name, target.replicas ?? 0]));
  const sets = isComponentSet(spec, estimators)
    ? estimators.setEstimators?.map(prepare => prepare(spec.components ?? []))
    : undefined;
  const made: Candidate[] = [];
  for (const { cluster, score } of feasible) {
    const name = cluster.metadata.name ?? '';
    const circumstances = { byMember: byMembers?.get(name), assumed: estimators.assumed?.(name) };
    const replicas = sets
      ? yield* setsOn(cluster, spec, sets, circumstances)
      : yield* replicasOn(cluster, spec, estimators.estimators, circumstances);
    made.push({
      name,
      cluster,
      score,
      overflowOrder: overflowOrder(binding, cluster),
      allocatable: replicas,
      available: replicas + (assigned.get(name) ?? 0),
    });
    yield;
  }
  return made.sort(byPreference);
}
