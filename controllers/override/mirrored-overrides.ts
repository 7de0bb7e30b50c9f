import type { KubeObject } from '../../apimachinery/interface.js';
import type { OverridePolicy } from '../../api/karmada/types.js';
import { resources } from '../../api/karmada/well-known.js';
import type { Informer, InformerFactory } from '../../client/runtime/interface.js';
import { policiesFor, selectorIndexers } from '../../kinds/karmada/policies-by-selector.js';
import type { ObjectIdentity } from '../../kinds/karmada/resource-selector.js';
import type { OverrideSource } from './interface.js';

const identityOf = ({ apiVersion, kind, metadata: { namespace = '', name = '' } }: KubeObject): ObjectIdentity => ({
  ...{ apiVersion, kind, namespace, name },
});

/** The mirrors of both kinds of override policies, indexed by what they select. */
export class MirroredOverrides implements OverrideSource {
  readonly overrides: Informer<OverridePolicy>;
  readonly clusterOverrides: Informer<OverridePolicy>;

  constructor(informers: InformerFactory) {
    const options = { indexers: selectorIndexers };
    this.overrides = informers.informer<OverridePolicy>(resources.overridePolicies, options);
    this.clusterOverrides = informers.informer<OverridePolicy>(resources.clusterOverridePolicies, options);
  }

  clusterWide(object: KubeObject): readonly OverridePolicy[] {
    return policiesFor(this.clusterOverrides, '', identityOf(object));
  }

  namespaced(object: KubeObject, namespace: string): readonly OverridePolicy[] {
    return policiesFor(this.overrides, namespace, identityOf(object));
  }
}
