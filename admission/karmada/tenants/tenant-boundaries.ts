/** Admission of objects that tenants write and on which the control plane acts with its own rights. */
import { andThen } from '../../../lib/maybe.js';
import type { Authorizer } from '../../../registry/access.js';
import type { TenantBoundaries } from '../../../kinds/karmada/tenant-boundaries.js';
import { deny } from '../../deny.js';
import type { AdmissionPlugin } from '../../../registry/admission-plugin.js';
import { bindingBoundary } from './binding-boundary.js';
import type { Boundary } from './boundary.js';
import { clusterBoundary } from './cluster-boundary.js';
import { overridePolicyBoundary } from './override-policy-boundary.js';

/** Boundaries by `PLURAL.GROUP`. */
const boundaries: Readonly<Record<string, Boundary>> = {
  'clusters.cluster.karmada.io': clusterBoundary,
  'overridepolicies.policy.karmada.io': overridePolicyBoundary,
  'resourcebindings.work.karmada.io': bindingBoundary,
};

/** Refuses writes that cross a boundary, or warns of them; see `Boundary`. Runs after all plugins that change objects. */
export function tenantBoundaries(mode: Exclude<TenantBoundaries, 'off'>, authorize: Authorizer): AdmissionPlugin {
  return {
    name: 'TenantBoundaries',
    resources: Object.keys(boundaries),
    validate(request) {
      const { group, plural } = request.definition;
      const crossing = boundaries[`${plural}.${group}`]?.(request, authorize);
      return andThen(crossing, text => {
        if (text === undefined) return;
        if (mode === 'enforce') throw deny(request, text);
        request.warn(text);
      });
    },
  };
}
