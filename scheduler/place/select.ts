import { heapify, sink } from '../../lib/collections/heap.js';
import type { InSteps } from '../../lib/time-slice.js';
import type { BindingSpec, Placement, SpreadConstraint } from '../../api/karmada/types.js';
import type { Candidate } from '../interface.js';
import { isDivisible } from './assign.js';
import { byPreference } from './candidates.js';
import { constraintOf, type Grouping, groupingsOf } from './grouping.js';
import { byScore, chooseRegions, type Region, type RegionLimits } from './regions.js';
import { limitsOf, spreadByAll } from './spread.js';

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

/**
 * Selects clusters by spread constraints. Candidates are in order of preference, and stay so. as pkg/scheduler/core/spreadconstraint
 * SelectBestClusters
 */
export function* selectClusters(
  all: readonly Candidate[],
  spec: BindingSpec,
  needed: number,
): InSteps<Candidate[] | Refusal> {
  const placement = spec.placement ?? {};
  if (!hasSpread(placement)) return [...all];
  const cluster = constraintOf(placement, 'cluster');
  const groupings = groupingsOf(placement);
  const divided = isDuplicated(placement) ? undefined : needed;
  if (groupings.length > 1) return yield* spreadByAll(all, { groupings, clusters: limitsOf(cluster) }, divided);
  if (groupings[0]) return yield* selectByGroups(all, spec, groupings[0], divided);
  if (cluster) return selectByCluster(all, cluster, divided);
  return 'just support cluster and region spread constraint';
}

/** A cluster that is not selected, with its place among those. */
interface Unselected {
  readonly candidate: Candidate;
  readonly at: number;
}

const hasMoreRoom = (a: Unselected, b: Unselected): boolean =>
  a.candidate.available === b.candidate.available ? a.at < b.at : a.candidate.available > b.candidate.available;

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
  const rest = all.slice(count).map((candidate, at): Unselected => ({ candidate, at }));
  let capacity = chosen.reduce((sum, c) => sum + c.available, 0);
  if (capacity < needed) heapify(rest, hasMoreRoom);
  // From the least preferred cluster on, each is exchanged for the unselected one with the most available replicas until the replicas fit.
  for (let i = chosen.length - 1; i >= 0 && capacity < needed; i--) {
    const leastPreferred = chosen[i] as Candidate;
    const [largest] = rest;
    if (!largest || largest.candidate.available <= leastPreferred.available) continue;
    chosen[i] = largest.candidate;
    capacity += largest.candidate.available - leastPreferred.available;
    rest[0] = { candidate: leastPreferred, at: largest.at };
    sink(rest, 0, hasMoreRoom);
  }
  if (chosen.length === 0 || capacity < needed) return `no enough resource when selecting ${count} clusters`;
  return chosen;
}

/**
 * Selects the best groups and clusters in them. Regions are limited as in Karmada, where no maximum is a maximum of none. The replicas of a target count
 * as its room in the next decision, so that other groups may come first then, or fewer be sufficient, and Karmada gives up the rest. differs: groups by
 * a label, which it does not have, are kept if they have targets, unless the constraints or `needed` replicas cannot be met with them, and there may be
 * more of them than the minimum if that has no room.
 */
function* selectByGroups(
  all: readonly Candidate[],
  spec: BindingSpec,
  grouping: Grouping,
  needed: number | undefined,
): InSteps<Candidate[] | Refusal> {
  const { constraint, name } = grouping;
  const clusterConstraint = constraintOf(spec.placement ?? {}, 'cluster');
  const isLabel = constraint.spreadByLabel !== undefined;
  const { minGroups = 0, maxGroups = 0 } = constraint;
  const what = isLabel ? `groups by label ${name}` : 'region';
  const groups = groupsOf(all, spec, grouping);
  if (groups.length < minGroups) return `the number of feasible ${what} is less than spreadConstraint.MinGroups`;
  const limits = {
    minRegions: minGroups,
    maxRegions: isLabel ? limitsOf(constraint).max : maxGroups,
    minClusters: clusterConstraint?.minGroups ?? 0,
  };
  const mostClusters = isLabel ? limitsOf(clusterConstraint).max : (clusterConstraint?.maxGroups ?? 0);
  if (isLabel) {
    const roomy = selectWithRoom(groups, spec, { limits, mostClusters, minRoom: needed ?? 0 });
    if (roomy) return roomy;
    const wanted = { groupings: [grouping], clusters: limitsOf(clusterConstraint) };
    const roomiest = needed === undefined ? '' : yield* spreadByAll(all, wanted, needed);
    if (typeof roomiest !== 'string') return roomiest;
    // Where replicas are divided, the division tells how much room there is. A workload that is placed takes room itself.
    if (roomiest !== '' && !isDivisible(spec) && !spec.clusters?.length) return roomiest;
  }
  const chosen = chooseRegions(groups, { ...limits, minRoom: 0 });
  if (!chosen?.length) return 'the number of clusters is less than the cluster spreadConstraint.MinGroups';
  return clustersOf(chosen, mostClusters);
}

/** What clusters in groups have to satisfy. */
interface Demands {
  readonly limits: Omit<RegionLimits, 'minRoom'>;
  readonly mostClusters: number;
  readonly minRoom: number;
}

/** Returns clusters with enough room, the most preferred ones of as few groups as possible; undefined if they are not found in this way. */
function selectWithRoom(
  groups: readonly Region[],
  spec: BindingSpec,
  { limits, mostClusters, minRoom }: Demands,
): Candidate[] | undefined {
  const usable = groups.map(group => ({ ...group, room: roomOf(group.clusters.slice(0, mostClusters)) }));
  // Each group has one cluster at least.
  const maxRegions = Math.min(limits.maxRegions, Math.max(limits.minRegions, mostClusters));
  const kept = keptOf(usable, spec).slice(0, maxRegions);
  const attempts: readonly { readonly kept: readonly Region[]; readonly minRoom: number }[] = [
    ...(kept.length > 0 ? [{ kept, minRoom }] : []),
    // Others than the best groups are looked for only if those have no room.
    { kept: [], minRoom: 0 },
    { kept: [], minRoom },
  ];
  for (const { kept, minRoom: least } of attempts) {
    const regions = chooseRegions(usable, { ...limits, maxRegions, minRoom: least }, kept) ?? [];
    const chosen = clustersOf(regions, mostClusters);
    if (chosen.length > 0 && roomOf(chosen) >= minRoom) return chosen;
  }
  return undefined;
}

/** Returns one cluster of each group, and others by preference up to the maximum. */
function clustersOf(groups: readonly Region[], most: number): Candidate[] {
  const first = groups.map(group => group.clusters[0] as Candidate);
  const others = groups.flatMap(group => group.clusters.slice(1)).sort(byPreference);
  const count = Math.min(first.length + others.length, most);
  return [...first, ...others.slice(0, Math.max(0, count - first.length))];
}

const roomOf = (clusters: readonly Candidate[]): number => clusters.reduce((sum, { available }) => sum + available, 0);

/** Returns the groups with a target, the best first. Where every cluster takes all replicas, it has to have room for them. */
function keptOf(groups: readonly Region[], { clusters = [], placement = {}, replicas = 0 }: BindingSpec): Region[] {
  const targets = new Set(clusters.map(({ name }) => name));
  const least = isDuplicated(placement) ? replicas : 0;
  const isKept = ({ name, available }: Candidate): boolean => available >= least && targets.has(name);
  return groups.filter(group => group.clusters.some(isKept)).sort(byScore);
}

/** Returns the groups of candidates with their scores. Candidates without a group are in none. */
export function groupsOf(
  all: readonly Candidate[],
  spec: BindingSpec,
  { constraint, groupNameOf }: Grouping,
): Region[] {
  const members = new Map<string, Candidate[]>();
  for (const candidate of all) {
    const value = groupNameOf(candidate.cluster);
    if (value === undefined) continue;
    const clusters = members.get(value);
    if (clusters) clusters.push(candidate);
    else members.set(value, [candidate]);
  }
  const minClusters = constraintOf(spec.placement ?? {}, 'cluster')?.minGroups ?? 0;
  const minGroups = constraint.minGroups ?? 0;
  return [...members].map(([name, clusters]) => ({
    name,
    clusters,
    room: roomOf(clusters),
    score: regionScore(clusters, spec, minGroups, minClusters),
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
