import { clusterMatches } from '../../kinds/karmada/cluster-affinity.js';
import type { BindingSpec, BindingStatus, ClusterAffinity, ClusterAffinityTerm } from '../../api/karmada/types.js';
import { isWorkload } from '../../kinds/karmada/workload.js';
import type { Filter } from '../interface.js';

/** Returns the term of clusterAffinities that the status names; undefined where the placement has none. */
export function observedTerm(spec: BindingSpec, status: BindingStatus): ClusterAffinityTerm | undefined {
  if (spec.placement?.clusterAffinity) return undefined;
  return spec.placement?.clusterAffinities?.find(term => term.affinityName === status.schedulerObservingAffinityName);
}

/**
 * Requires a matching affinity. Overflow affinities take replicas that the primary clusters cannot; resources without replicas never overflow.
 */
export const clusterAffinity: Filter = ({ spec, term }, cluster) => {
  const single = spec.placement?.clusterAffinity;
  const affinities: ClusterAffinity[] = single ? [single] : [];
  if (term) affinities.push(term, ...(isWorkload(spec) ? (term.overflowAffinities ?? []) : []));
  if (affinities.length === 0 || affinities.some(affinity => clusterMatches(cluster, affinity))) return undefined;
  return 'cluster(s) did not match the placement cluster affinity constraint';
};
