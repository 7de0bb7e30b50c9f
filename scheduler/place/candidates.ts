import type { InSteps } from '../../lib/time-slice.js';
import { clusterMatches } from '../../kinds/karmada/cluster-affinity.js';
import type { BindingSpec, Cluster } from '../../api/karmada/types.js';
import type { Candidate, Estimator, SchedulingInput } from '../interface.js';

const maxInt32 = 2_147_483_647;
const neverMatched = 1000;

function overflowOrder(binding: SchedulingInput, cluster: Cluster): number {
  const { placement } = binding.spec;
  if (!placement || placement.clusterAffinity || !placement.clusterAffinities?.length) return 0;
  const { term } = binding;
  if (!term) return neverMatched;
  if (clusterMatches(cluster, term)) return 0;
  const overflow = term.overflowAffinities?.findIndex(affinity => clusterMatches(cluster, affinity)) ?? -1;
  return overflow < 0 ? neverMatched : overflow + 1;
}

/**
 * Returns the smallest estimate. A cluster without any estimate counts as sufficient for this binding, and no more (the values are summed up).
 */
function allocatable(cluster: Cluster, spec: BindingSpec, estimators: readonly Estimator[]): number {
  if (!spec.replicas && !spec.components?.length) return maxInt32; // nothing that takes resources
  const estimates = estimators.map(estimate => estimate(cluster, spec)).filter(estimate => estimate !== undefined);
  const smallest = Math.min(maxInt32, ...estimates);
  return smallest === maxInt32 ? (spec.replicas ?? 0) : smallest;
}

/** The order of clusters: tier, score, available replicas, name. as pkg/scheduler/core/spreadconstraint sortClusters */
export const byPreference = (a: Candidate, b: Candidate): number =>
  a.overflowOrder - b.overflowOrder ||
  b.score - a.score ||
  b.available - a.available ||
  (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

/** Returns the feasible clusters as candidates, in order of preference. */
export function* candidates(
  binding: SchedulingInput,
  feasible: readonly { readonly cluster: Cluster; readonly score: number }[],
  estimators: readonly Estimator[],
): InSteps<Candidate[]> {
  const assigned = new Map(binding.spec.clusters?.map(target => [target.name, target.replicas ?? 0]));
  const made: Candidate[] = [];
  for (const { cluster, score } of feasible) {
    const name = cluster.metadata.name ?? '';
    const replicas = allocatable(cluster, binding.spec, estimators);
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
