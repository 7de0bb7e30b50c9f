import type { Candidate } from '../interface.js';

export interface Region {
  readonly name: string;
  readonly score: number;
  readonly clusters: readonly Candidate[];
  /** The number of replicas that its clusters take together. */
  readonly room: number;
}

/** What makes a set of regions sufficient. */
export interface RegionLimits {
  readonly minRegions: number;
  readonly maxRegions: number;
  readonly minClusters: number;
  /** The number of replicas for which the set has room. */
  readonly minRoom: number;
}

/** What is known of the regions of a path. */
interface Totals {
  readonly score: number;
  readonly clusters: number;
  readonly room: number;
  /** The highest rank of a region. */
  readonly rank: number;
}

interface Path extends Totals {
  readonly regions: readonly Region[];
}

/** Called with each path that is sufficient. The next call has the same array with other regions. */
type Found = (path: readonly Region[], totals: Totals) => void;

/**
 * After this many sets the search stops, and at most two more are added: regions in order of score, and regions in order of their number of clusters,
 * the most first, each until it is sufficient. differs: upstream enumerates all sets, a hundred million for fifteen of thirty regions.
 */
const maxSets = 5000;

/** Orders regions, the best first. */
export const byScore = (a: Region, b: Region): number => b.score - a.score || (a.name < b.name ? -1 : 1);

/**
 * Returns the best set of regions that is sufficient: the highest total score, then the most clusters, then the one found first; and of that set the
 * shortest prefix that is sufficient. The regions that are kept are in every set, and first in it. Undefined: no set is sufficient.
 * as pkg/scheduler/core/spreadconstraint selectGroups, which keeps none
 */
export function chooseRegions(
  all: readonly Region[],
  limits: RegionLimits,
  kept: readonly Region[] = [],
): readonly Region[] | undefined {
  const isKept = new Set(kept);
  const others = all.filter(region => !isKept.has(region));
  others.sort((a, b) => a.clusters.length - b.clusters.length || byScore(a, b));
  const chosen: { best?: Path } = {};
  searchPaths({ kept, others }, limits, noRanks, (path, totals) => {
    const { best } = chosen;
    const isBetter = !best || (totals.score - best.score || totals.clusters - best.clusters) > 0;
    if (isBetter) chosen.best = { ...totals, regions: [...path] };
  });
  if (!chosen.best) return undefined;
  const best = [...kept, ...chosen.best.regions.slice(kept.length).sort(byScore)];
  const ranks = new Map(best.map((region, rank) => [region, rank]));
  let { length } = best;
  // hot: there may be thousands of paths of hundreds of regions. They are neither kept nor sorted: a path is a prefix if all of its ranks are low.
  searchPaths({ kept, others }, limits, ranks, (path, { rank }) => {
    if (path.length < length && rank < path.length) ({ length } = path);
  });
  return best.slice(0, length);
}

const noRanks: ReadonlyMap<Region, number> = new Map();

/** With which regions all paths begin, and which may be added, in the order of the search. */
interface Choice {
  readonly kept: readonly Region[];
  readonly others: readonly Region[];
}

/**
 * Searches depth first, from the region with the fewest clusters. A path ends as soon as it is sufficient, so that no path is longer than
 * necessary. A region without a rank has none that is low.
 */
function searchPaths(
  { kept, others }: Choice,
  { minRegions, maxRegions, minClusters, minRoom }: RegionLimits,
  ranks: ReadonlyMap<Region, number>,
  found: Found,
): void {
  const takesAll = kept.length + others.length === minRegions;
  const path = [...kept];
  const isEnough = ({ clusters, room }: Totals): boolean =>
    clusters >= minClusters && room >= minRoom && path.length >= minRegions && path.length <= maxRegions;
  const plus = (totals: Totals, region: Region): Totals => ({
    score: totals.score + region.score,
    clusters: totals.clusters + region.clusters.length,
    room: totals.room + region.room,
    rank: Math.max(totals.rank, ranks.get(region) ?? Infinity),
  });
  const begin = kept.reduce(plus, nothing);
  let left = maxSets;
  const search = (totals: Totals, from: number): void => {
    left--;
    if (isEnough(totals)) return found(path, totals);
    if (path.length >= maxRegions) return;
    for (let i = from; i < others.length && left > 0; i++) {
      const region = others[i] as Region;
      path.push(region);
      search(plus(totals, region), i + 1);
      if (takesAll) return;
      path.pop();
    }
  };
  search(begin, 0);
  if (left > 0 || takesAll) return;
  for (const ordered of [others.toSorted(byScore), others.toReversed()]) {
    path.length = kept.length;
    let totals = begin;
    for (const region of ordered) {
      path.push(region);
      totals = plus(totals, region);
      if (path.length < maxRegions && !isEnough(totals)) continue;
      if (isEnough(totals)) found(path, totals);
      break;
    }
  }
}

const nothing: Totals = { score: 0, clusters: 0, room: 0, rank: -1 };
