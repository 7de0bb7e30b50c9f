import type { Filter } from '../interface.js';

/** Refuses a cluster without the location that a policy spreads by. */
export const spreadConstraint: Filter = ({ spec }, cluster) => {
  for (const { spreadByField, spreadByLabel } of spec.placement?.spreadConstraints ?? []) {
    if (spreadByField === 'provider' && !cluster.spec.provider) return 'cluster(s) did not have provider property';
    if (spreadByField === 'region' && !cluster.spec.region) return 'cluster(s) did not have region property';
    if (spreadByField === 'zone' && !cluster.spec.zones?.length) return 'cluster(s) did not have zones property';
    // differs: Karmada does not spread by labels.
    if (spreadByLabel && cluster.metadata.labels?.[spreadByLabel] === undefined)
      return `cluster(s) did not have label ${spreadByLabel}`;
  }
  return undefined;
};
