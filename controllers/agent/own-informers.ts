import type { GroupVersionResource } from '../../apimachinery/interface.js';
import { executionNamespace } from '../../api/karmada/names.js';
import { resources } from '../../api/karmada/well-known.js';
import type { InformerFactory, Selection } from '../../client/runtime/interface.js';

const isSame = (a: GroupVersionResource, b: GroupVersionResource): boolean =>
  a.resource === b.resource && a.group === b.group;

/** Returns informers that mirror of Clusters and Works only those of one cluster: an agent may not read other Works. */
export function ownInformers(informers: InformerFactory, cluster: string): InformerFactory {
  const selectionOf = (resource: GroupVersionResource): Selection | undefined => {
    if (isSame(resource, resources.clusters)) return { fieldSelector: `metadata.name=${cluster}` };
    return isSame(resource, resources.works) ? { namespace: executionNamespace(cluster) } : undefined;
  };
  return {
    informer: (resource, options) => informers.informer(resource, { ...options, ...selectionOf(resource) }),
    replayed: () => informers.replayed(),
    release: (resource, selection) => informers.release(resource, selectionOf(resource) ?? selection),
  };
}
