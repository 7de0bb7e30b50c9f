import type { Filter } from '../interface.js';

/** Refuses a cluster without the location that a policy spreads by. */
export const spreadConstraint: Filter = ({ spec }, cluster) => {
  for (const { spreadByField } of spec.placement?.spreadConstraints ?? []) {
    if (spreadByField === 'provider' && !cluster.spec.provider) return 'cluster(s) did not have provider property';
    if (spreadByField === 'region' && !cluster.spec.region) return 'cluster(s) did not have region property';
    if (spreadByField === 'zone' && !cluster.spec.zones?.length) return 'cluster(s) did not have zones property';
  }
  return undefined;
};
