/** Reads over all mirrored clusters, as if they were one server. as pkg/search/proxy/store MultiClusterCache */
import type { GroupVersionResource, ListMeta } from '../../apimachinery/interface.js';
import { namespacedName } from '../../apimachinery/meta/gvk.js';
import { conflict, notFound } from '../../apimachinery/errors/status.js';
import type { ListQuery } from '../../client/interface.js';
import type { RequestScope, Pipeline, Stored } from '../../registry/pipeline/interface.js';
import { eventsOf } from '../../registry/pipeline/reads/events-of.js';
import { cache, withVersion } from './cached.js';
import type { Caches, Collection } from './caches.js';
import { type ListDeps, ListOfAll } from './list-of-all.js';
import { requestMember } from './member-reads.js';
import { isWithin, resourceOf } from './selection.js';
import { versionIn } from './versions.js';
import { watchAll } from './watch-all.js';

/** The part of a pipeline that the handlers of reads use. */
export interface ResourceReader extends Pick<Pipeline, 'get' | 'list' | 'watch' | 'convert'> {
  /**
   * Returns a list in parts, and its metadata at the end, so that it need not be in memory as a whole; undefined if it takes little memory anyway.
   * Throws as `list` rejects for what the client asks wrongly.
   */
  listParts?(call: RequestScope, query: ListQuery): AsyncGenerator<readonly Stored[], ListMeta> | undefined;
}

/** Returns the collection of the only cluster that has the object. Throws NotFound, or Conflict if several clusters have it. */
export function locate(caches: Caches, resource: GroupVersionResource, namespace: string, name: string): Collection {
  const holders = caches
    .collections(resource)
    .filter(each => isWithin(each, namespace) && each.informer.get(namespacedName(namespace, name)));
  const [only] = holders;
  if (!only) throw notFound(resource, name);
  if (holders.length === 1) return only;
  throw conflict(resource, name, `ambiguous objects in clusters [${holders.map(({ cluster }) => cluster).join(', ')}]`);
}

/** Returns the reader of one request. */
export function createReader(deps: ListDeps): ResourceReader {
  const { caches } = deps;
  return {
    async get(call, name, resourceVersion = '') {
      const resource = resourceOf(call);
      const collection = locate(caches, resource, call.namespace, name);
      const { cluster, informer } = collection;
      const key = { ...(call.namespace === '' ? {} : { namespace: call.namespace }), name };
      // Without a version, the latest state is read from the member.
      const found =
        resourceVersion === '' || collection.keptPaths
          ? cache(await requestMember(collection, client => client.get(resource, key)), cluster)
          : informer.get(namespacedName(call.namespace, name));
      if (!found) throw notFound(resource, name);
      return { stored: withVersion(found, versionIn(cluster, found.metadata.resourceVersion ?? '')) };
    },
    list: (call, query) => new ListOfAll(deps, call, query).whole(),
    listParts(call, query) {
      const list = new ListOfAll(deps, call, query);
      return list.isSmall ? undefined : list.parts();
    },
    watch: (call, query) => eventsOf(watchAll(deps, call, query)),
    // Members are mirrored in the requested version, so no conversion is needed.
    convert: (_call, stored) => stored.object,
  };
}
