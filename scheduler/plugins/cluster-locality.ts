import type { Score } from '../interface.js';
import { isTarget } from './is-target.js';

/** Prefers existing targets. */
export const clusterLocality: Score = ({ spec }, cluster) => (isTarget(spec, cluster.metadata.name ?? '') ? 100 : 0);
