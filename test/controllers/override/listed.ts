import type { OverridePolicy } from '../../../api/karmada/types.js';
import type { OverrideSource } from '../../../controllers/override/interface.js';

/** A source of overrides that offers all policies, those of a namespace to its objects. */
export const listed = (policies: readonly OverridePolicy[]): OverrideSource => ({
  clusterWide: () => policies.filter(({ kind }) => kind === 'ClusterOverridePolicy'),
  namespaced: (_object, namespace) =>
    policies.filter(({ kind, metadata }) => kind === 'OverridePolicy' && metadata.namespace === namespace),
});
