import type { BindingSpec, Placement, SpreadConstraint } from '../../api/karmada/types.js';
import type { Candidate } from '../interface.js';
import { byPreference } from './candidates.js';
import { chooseRegions, type Region } from './regions.js';

/** The reason why no selection is possible: a string, which callers cannot mistake for a selection. */
type Refusal = string;

const isDuplicated = (placement: Placement): boolean =>
  (placement.replicaScheduling?.replicaSchedulingType ?? 'Duplicated') === 'Duplicated';

/** Returns whether spread constraints are ignored: static weights name the clusters themselves. */
function ignoresSpread({ replicaScheduling: strategy }: Placement): boolean {
  if (strategy?.replicaSchedulingType !== 'Divided' || strategy.replicaDivisionPreference !== 'Weighted') return false;
  const weights = strategy.weightPreference;
  return !weights || (Boolean(weights.staticWeightList?.length) && !weights.dynamicWeight);
}

/** Reports whether spread constraints decide which clusters are selected. */
export const hasSpread = (placement: Placement): boolean =>
  (placement.spreadConstraints ?? []).length > 0 && !ignoresSpread(placement);

/** Returns the constraint that counts of those for a field. */
export const constraintOf = ({ spreadConstraints = [] }: Placement, field: string): SpreadConstraint | undefined =>
  spreadConstraints.findLast(constraint => constraint.spreadByField === field);

/**
 * Selects clusters by spread constraints. Candidates are in order of preference, and stay so. as pkg/scheduler/core/spreadconstraint
 * SelectBestClusters
 */
export function selectClusters(all: readonly Candidate[], spec: BindingSpec, needed: number): Candidate[] | Refusal {
  const placement = spec.placement ?? {};
  if (!hasSpread(placement)) return [...all];
  const region = constraintOf(placement, 'region');
  const cluster = constraintOf(placement, 'cluster');
  if (region) return selectByRegion(all, spec, region, cluster ?? {});
  if (cluster) return selectByCluster(all, cluster, isDuplicated(placement) ? undefined : needed);
  return 'just support cluster and region spread constraint';
}

/** Selects clusters with capacity for `needed` replicas; undefined: every cluster takes all replicas, and capacity is not checked. */
function selectByCluster(
  all: readonly Candidate[],
  constraint: SpreadConstraint,
  needed: number | undefined,
): Candidate[] | Refusal {
  const { minGroups = 0, maxGroups = 0 } = constraint;
  if (all.length < minGroups) return 'the number of feasible clusters is less than spreadConstraint.MinGroups';
  const count = Math.min(all.length, maxGroups);
  const chosen = all.slice(0, count);
  if (needed === undefined) return chosen;
  const rest = all.slice(count);
  const capacity = (): number => chosen.reduce((sum, c) => sum + c.available, 0);
  // From the least preferred cluster on, each is exchanged for the unselected one with the most available replicas until the replicas fit.
  for (let i = chosen.length - 1; i >= 0 && capacity() < needed; i--) {
    const leastPreferred = chosen[i] as Candidate;
    let largest = -1;
    for (const [j, candidate] of rest.entries())
      if (candidate.available > (rest[largest] ?? leastPreferred).available) largest = j;
    const other = rest[largest];
    if (!other) continue;
    chosen[i] = other;
    rest[largest] = leastPreferred;
  }
  if (chosen.length === 0 || capacity() < needed) return `no enough resource when selecting ${count} clusters`;
  return chosen;
}

function selectByRegion(
  all: readonly Candidate[],
  spec: BindingSpec,
  regionConstraint: SpreadConstraint,
  clusterConstraint: SpreadConstraint,
): Candidate[] | Refusal {
  const { minGroups = 0, maxGroups = 0 } = regionConstraint;
  const regions = regionsOf(all, spec);
  if (regions.length < minGroups) return 'the number of feasible region is less than spreadConstraint.MinGroups';
  const chosen = chooseRegions(regions, minGroups, maxGroups, clusterConstraint.minGroups ?? 0);
  if (!chosen?.length) return 'the number of clusters is less than the cluster spreadConstraint.MinGroups';
  const first = chosen.map(region => region.clusters[0] as Candidate);
  const others = chosen.flatMap(region => region.clusters.slice(1)).sort(byPreference);
  const count = Math.min(first.length + others.length, clusterConstraint.maxGroups ?? 0);
  return [...first, ...others.slice(0, Math.max(0, count - first.length))];
}

/** Returns the regions of candidates with their scores. Candidates without a region are in none. */
export function regionsOf(all: readonly Candidate[], spec: BindingSpec): Region[] {
  const members = new Map<string, Candidate[]>();
  for (const candidate of all) {
    const { region } = candidate.cluster.spec;
    if (!region) continue;
    const clusters = members.get(region);
    if (clusters) clusters.push(candidate);
    else members.set(region, [candidate]);
  }
  const least = (field: string): number => constraintOf(spec.placement ?? {}, field)?.minGroups ?? 0;
  const [minRegions, minClusters] = [least('region'), least('cluster')];
  return [...members].map(([name, clusters]) => ({
    name,
    clusters,
    score: regionScore(clusters, spec, minRegions, minClusters),
  }));
}

/**
 * Returns how well a region can take its share. Scores of clusters (0..100) only decide between equals, hence the unit of 1000. as
 * pkg/scheduler/core/spreadconstraint GroupClustersInfo.calcGroupScore
 */
function regionScore(
  clusters: readonly Candidate[],
  spec: BindingSpec,
  minRegions: number,
  minClusters: number,
): number {
  const unit = 1000;
  const replicas = spec.replicas ?? 0;
  const total = (list: readonly Candidate[]): number => list.reduce((sum, c) => sum + c.score, 0);
  if (isDuplicated(spec.placement ?? {})) {
    const valid = clusters.filter(c => c.available >= replicas);
    return valid.length === 0 ? 0 : valid.length * unit + Math.trunc(total(valid) / valid.length);
  }
  const target = Math.ceil(replicas / minRegions);
  const minCount = Math.max(minClusters, minRegions);
  let available = 0;
  let count = 0;
  while (count < clusters.length && !(count > 0 && count >= minCount && available >= target))
    available += clusters[count++]?.available ?? 0;
  const score = total(clusters.slice(0, count));
  if (available < target) return available * unit + Math.trunc(score / clusters.length);
  return target * unit + Math.trunc(score / count);
}
