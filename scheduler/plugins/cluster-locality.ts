import type { Score } from '../interface.js';

/** Prefers to stay: a cluster that is a target already scores the most. */
export const clusterLocality: Score = ({ spec }, cluster) =>
  spec.clusters?.some(target => target.name === cluster.metadata.name) ? 100 : 0;
