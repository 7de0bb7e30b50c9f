import { untoleratedTaint } from '../../kinds/kubernetes/core/tolerates.js';
import type { Taint } from '../../api/karmada/types.js';
import type { Filter } from '../interface.js';
import { isTarget } from './is-target.js';

/** Returns `key=value:effect`, with the value only when there is one. */
const taintText = ({ key, value, effect }: Taint): string => `${key}${value ? `=${value}` : ''}:${effect}`;

/** Refuses clusters with taints that the binding does not tolerate. Existing targets pass: eviction decides about them, not the scheduler. */
export const taintToleration: Filter = ({ spec }, cluster) => {
  if (isTarget(spec, cluster.metadata.name ?? '')) return undefined;
  const taint = untoleratedTaint(cluster.spec.taints ?? [], spec.placement?.clusterTolerations ?? []);
  return taint && `cluster(s) had untolerated taint {${taintText(taint)}}`;
};
