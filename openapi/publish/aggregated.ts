import type { GroupVersionKind, JsonObject } from '../../apimachinery/interface.js';
import { discoveredSubresources, discoveredVerbs } from './discovery.js';
import { orderedGroups, type GroupVersionEntry, type ServedResource } from './group-versions.js';

/** Returns only the name of the kind for a compiled resource in its own group-version; group, version and kind for all others. */
function responseKind({ resource }: ServedResource, { group, version, kind }: GroupVersionKind, elsewhere: boolean) {
  return elsewhere || resource.wire.itemsCarryType ? { group, version, kind } : { group: '', version: '', kind };
}

function resourceDiscovery(served: ServedResource): JsonObject {
  const { resource, version } = served;
  const gvk = { group: resource.group, version: version.name, kind: resource.kind };
  const subresources = discoveredSubresources(served).map(({ name, verbs, kind, elsewhere }) => ({
    subresource: name,
    responseKind: responseKind(served, kind, elsewhere),
    verbs,
  }));
  return {
    resource: resource.plural,
    responseKind: responseKind(served, gvk, false),
    scope: resource.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: resource.singular,
    verbs: discoveredVerbs(served),
    ...(resource.shortNames.length && { shortNames: resource.shortNames }),
    ...(resource.categories.length && { categories: resource.categories }),
    ...(subresources.length && { subresources }),
  };
}

function versionDiscovery(entry: GroupVersionEntry): JsonObject {
  const resources = entry.remote ? entry.remote.resources : entry.resources.map(resourceDiscovery);
  return {
    version: entry.version,
    ...(resources.length && { resources }),
    freshness: entry.remote?.freshness ?? 'Current',
  };
}

/** Returns the APIGroupDiscoveryList of apidiscovery.k8s.io/v2: `/api` has the core group, `/apis` all others. */
export function aggregatedDiscovery(entries: readonly GroupVersionEntry[], root: 'api' | 'apis'): JsonObject {
  const groups = orderedGroups(
    entries.filter(e => (e.group === '') === (root === 'api')),
    'group',
  );
  const items = groups.map(({ name, versions }) => ({
    metadata: name === '' ? {} : { name },
    versions: versions.map(versionDiscovery),
  }));
  return { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items };
}
