import type { Candidate } from '../interface.js';

export interface Region {
  readonly name: string;
  readonly score: number;
  readonly clusters: readonly Candidate[];
}

interface Path {
  readonly regions: readonly Region[];
  readonly score: number;
  readonly clusters: number;
}

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
  const paths = feasiblePaths(all, minRegions, maxRegions, minClusters);
  paths.sort((a, b) => b.score - a.score || b.clusters - a.clusters); // stable: found first wins
  let best = paths[0];
  for (const path of paths.slice(1)) if (best && isPrefix(path.regions, best.regions)) best = path;
  return best?.regions;
}

function isPrefix(short: readonly Region[], long: readonly Region[]): boolean {
  return short.length < long.length && short.every((region, i) => long[i]?.name === region.name);
}

/**
 * Searches depth first, from the region with the fewest clusters. A path ends as soon as it is sufficient, so that no path is longer than
 * necessary.
 */
function feasiblePaths(all: readonly Region[], minRegions: number, maxRegions: number, minClusters: number): Path[] {
  const regions = [...all].sort((a, b) => a.clusters.length - b.clusters.length || byScore(a, b));
  const takesAll = regions.length === minRegions;
  const path: Region[] = [];
  const found: Path[] = [];
  const isEnough = (clusters: number): boolean =>
    clusters >= minClusters && path.length >= minRegions && path.length <= maxRegions;
  let left = maxSets;
  const search = (clusters: number, from: number): void => {
    left--;
    if (isEnough(clusters)) {
      found.push(pathOf(path, clusters));
      return;
    }
    if (path.length >= maxRegions) return;
    for (let i = from; i < regions.length && left > 0; i++) {
      const region = regions[i] as Region;
      path.push(region);
      search(clusters + region.clusters.length, i + 1);
      if (takesAll) return;
      path.pop();
    }
  };
  search(0, 0);
  if (left > 0 || takesAll) return found;
  for (const ordered of [regions.toSorted(byScore), regions.toReversed()]) {
    path.length = 0;
    let clusters = 0;
    for (const region of ordered) {
      path.push(region);
      clusters += region.clusters.length;
      if (path.length < maxRegions && !isEnough(clusters)) continue;
      if (isEnough(clusters)) found.push(pathOf(path, clusters));
      break;
    }
  }
  return found;
}

const pathOf = (regions: readonly Region[], clusters: number): Path => ({
  regions: [...regions].sort(byScore),
  score: regions.reduce((sum, region) => sum + region.score, 0),
  clusters,
});
