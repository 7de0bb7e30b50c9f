import type { Candidate } from '../interface.js';

export interface Region {
  readonly name: string;
  readonly score: number;
  readonly clusters: readonly Candidate[];
}

interface Limits {
  readonly minRegions: number;
  readonly maxRegions: number;
  readonly minClusters: number;
}

/** What is known of the regions of a path. */
interface Totals {
  readonly score: number;
  readonly clusters: number;
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

const byScore = (a: Region, b: Region): number => b.score - a.score || (a.name < b.name ? -1 : 1);

/**
 * Returns the best set of regions with at least `minClusters` clusters in `minRegions` to `maxRegions` regions: the highest total score, then
 * the most clusters, then the one found first; and of that set the shortest prefix that is sufficient. as pkg/scheduler/core/spreadconstraint
 * selectGroups
 */
export function chooseRegions(
  all: readonly Region[],
  minRegions: number,
  maxRegions: number,
  minClusters: number,
): readonly Region[] | undefined {
  const limits = { minRegions, maxRegions, minClusters };
  const regions = [...all].sort((a, b) => a.clusters.length - b.clusters.length || byScore(a, b));
  const chosen: { best?: Path } = {};
  searchPaths(regions, limits, noRanks, (path, totals) => {
    const { best } = chosen;
    const isBetter = !best || (totals.score - best.score || totals.clusters - best.clusters) > 0;
    if (isBetter) chosen.best = { ...totals, regions: [...path] };
  });
  if (!chosen.best) return undefined;
  const best = chosen.best.regions.toSorted(byScore);
  const ranks = new Map(best.map((region, rank) => [region, rank]));
  let { length } = best;
  // hot: there may be thousands of paths of hundreds of regions. They are neither kept nor sorted: a path is a prefix if all of its ranks are low.
  searchPaths(regions, limits, ranks, (path, { rank }) => {
    if (path.length < length && rank < path.length) ({ length } = path);
  });
  return best.slice(0, length);
}

const noRanks: ReadonlyMap<Region, number> = new Map();

/**
 * Searches depth first, from the region with the fewest clusters. A path ends as soon as it is sufficient, so that no path is longer than
 * necessary. A region without a rank has none that is low.
 */
function searchPaths(
  regions: readonly Region[],
  { minRegions, maxRegions, minClusters }: Limits,
  ranks: ReadonlyMap<Region, number>,
  found: Found,
): void {
  const takesAll = regions.length === minRegions;
  const path: Region[] = [];
  const isEnough = (clusters: number): boolean =>
    clusters >= minClusters && path.length >= minRegions && path.length <= maxRegions;
  const plus = (totals: Totals, region: Region): Totals => ({
    score: totals.score + region.score,
    clusters: totals.clusters + region.clusters.length,
    rank: Math.max(totals.rank, ranks.get(region) ?? Infinity),
  });
  let left = maxSets;
  const search = (totals: Totals, from: number): void => {
    left--;
    if (isEnough(totals.clusters)) return found(path, totals);
    if (path.length >= maxRegions) return;
    for (let i = from; i < regions.length && left > 0; i++) {
      const region = regions[i] as Region;
      path.push(region);
      search(plus(totals, region), i + 1);
      if (takesAll) return;
      path.pop();
    }
  };
  search(nothing, 0);
  if (left > 0 || takesAll) return;
  for (const ordered of [regions.toSorted(byScore), regions.toReversed()]) {
    path.length = 0;
    let totals = nothing;
    for (const region of ordered) {
      path.push(region);
      totals = plus(totals, region);
      if (path.length < maxRegions && !isEnough(totals.clusters)) continue;
      if (isEnough(totals.clusters)) found(path, totals);
      break;
    }
  }
}

const nothing: Totals = { score: 0, clusters: 0, rank: -1 };
