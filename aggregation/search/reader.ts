/** Reads over all mirrored clusters, as if they were one server. as pkg/search/proxy/store MultiClusterCache */
import type { GroupVersionResource } from '../../apimachinery/interface.js';
import { namespacedName } from '../../apimachinery/meta/gvk.js';
import { conflict, continueExpired, notFound } from '../../apimachinery/errors/status.js';
import type { ListQuery } from '../../client/interface.js';
import type { RequestScope, ListAnswer, Pipeline, Stored } from '../../registry/pipeline/interface.js';
import { eventsOf } from '../../registry/pipeline/reads/events-of.js';
import { eachInTurns, TimeSlice } from '../../lib/time-slice.js';
import { cache, type Cached, withVersion } from './cached.js';
import type { Caches, Collection } from './caches.js';
import { isOlder } from './feed.js';
import { type MemberPage, requestAll, requestMember } from './member-reads.js';
import { isWithin, type MirrorSelection, mirrorSelection, resourceOf, selected } from './selection.js';
import { versionOf } from './sources.js';
import { readContinueToken, readVersions, type Versions, versionIn, writeContinueToken } from './versions.js';
import { watchAll } from './watch-all.js';

/** The part of a pipeline that the handlers of reads use. */
export type ResourceReader = Pick<Pipeline, 'get' | 'list' | 'watch' | 'convert'>;

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

/** Whether the mirror can answer: it is there, and new enough for the request. */
function isMirrored({ feed: { position }, keptPaths }: Collection, query: ListQuery, version: string): boolean {
  // A client that writes what it has read must have read the whole object.
  if (keptPaths || version === '' || position === undefined || query.continue || query.resourceVersionMatch === 'Exact')
    return false;
  // as apiserver/pkg/storage/cacher shouldDelegateList: a limited list is delegated to the member, unless any version will do.
  return version === '0' || (query.limit === undefined && !isOlder(position, version));
}

/** Returns a page from the mirror, in time slices. */
async function mirrored(collection: Collection, selection: MirrorSelection): Promise<MemberPage> {
  const { position = '' } = collection.feed;
  const items: Cached[] = [];
  const slice = new TimeSlice();
  for (const object of selected(collection, selection)) {
    if (object) items.push(object);
    const pause = slice.pause();
    if (pause) await pause;
  }
  return { items, version: versionOf(position, items), token: '' };
}

async function requestPage(collection: Collection, query: ListQuery): Promise<MemberPage> {
  const { limit, continue: token, resourceVersion } = query;
  if (limit === undefined && token === undefined && resourceVersion === undefined) return requestAll(collection, query);
  const { items, metadata } = await requestMember(collection, client => client.list(collection.resource, query));
  const seen = items.filter(each => isWithin(collection, each.metadata.namespace));
  const cached: Cached[] = [];
  await eachInTurns(seen, item => cached.push(cache(item, collection.cluster)), new TimeSlice());
  return {
    items: cached,
    version: metadata.resourceVersion ?? '',
    token: metadata.continue ?? '',
  };
}

interface ListRequest {
  readonly selection: MirrorSelection;
  readonly query: ListQuery;
  /** The requested versions by cluster; they are replaced by those of the answer. */
  readonly versions: Versions;
}

function pageOf(
  collection: Collection,
  { selection, query, versions }: ListRequest,
  limit: number | undefined,
  token: string,
): Promise<MemberPage> {
  const { labelSelector, fieldSelector, resourceVersionMatch } = query;
  const version = token === '' ? versions.get(collection.cluster) : '';
  const wanted: ListQuery = {
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
    ...(selection.namespace === '' ? {} : { namespace: selection.namespace }),
    ...(token === '' ? {} : { continue: token }),
    ...(version === '' ? {} : { resourceVersion: version }),
    ...(version === '' || resourceVersionMatch === undefined ? {} : { resourceVersionMatch }),
    ...(limit === undefined ? {} : { limit }),
  };
  return isMirrored(collection, wanted, version) ? mirrored(collection, selection) : requestPage(collection, wanted);
}

/** Lists the clusters in the order of their names, up to the limit. */
async function listAll(caches: Caches, call: RequestScope, query: ListQuery): Promise<ListAnswer> {
  const selection = mirrorSelection(call, query); // throws for an invalid selector before any member is asked
  const position = query.continue === undefined ? undefined : readContinueToken(query.continue);
  const versions = readVersions(position?.versions ?? query.resourceVersion);
  const request = { selection, query, versions };
  const collections = caches.collections(resourceOf(call));
  // A continue token in a cluster that was removed has expired.
  const start = position ? collections.findIndex(({ cluster }) => cluster === position.cluster) : 0;
  if (start < 0) throw continueExpired();
  const items: Stored[] = [];
  for (const [i, collection] of collections.entries()) {
    if (i < start) continue;
    const left = query.limit === undefined ? undefined : query.limit - items.length;
    const page = await pageOf(collection, request, left, i === start ? (position?.token ?? '') : '');
    items.push(...page.items);
    versions.set(collection.cluster, page.version);
    if (left === undefined || page.items.length < left) continue;
    const next = page.token === '' ? collections[i + 1] : collection;
    if (!next) break;
    fillIn(versions, collections);
    const resourceVersion = versions.toString();
    const token = writeContinueToken({ versions: resourceVersion, cluster: next.cluster, token: page.token });
    return { metadata: { resourceVersion, continue: token }, items };
  }
  return { metadata: { resourceVersion: versions.toString() }, items };
}

/** Sets the current versions of the clusters that were not listed. */
function fillIn(versions: Versions, collections: readonly Collection[]): void {
  for (const { cluster, feed } of collections)
    if (!versions.has(cluster) && feed.position !== undefined) versions.set(cluster, feed.position);
}

export function createReader(caches: Caches): ResourceReader {
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
    list: (call, query) => listAll(caches, call, query),
    watch: (call, query) => eventsOf(watchAll(caches, call, query)),
    // Members are mirrored in the requested version, so no conversion is needed.
    convert: (_call, stored) => stored.object,
  };
}
