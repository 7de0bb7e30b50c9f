import type { Score } from '../interface.js';

/** Prefers existing targets. */
export const clusterLocality: Score = ({ spec }, cluster) =>
  spec.clusters?.some(target => target.name === cluster.metadata.name) ? 100 : 0;
