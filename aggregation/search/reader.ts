/** Reads over all mirrored clusters, as if they were one server. as pkg/search/proxy/store MultiClusterCache */
import type { GroupVersionResource } from '../../apimachinery/interface.js';
import { objectKey } from '../../apimachinery/meta/gvk.js';
import { conflict, continueExpired, notFound, StatusError } from '../../apimachinery/errors/status.js';
import type { ListQuery } from '../../client/interface.js';
import type { RequestScope, ListAnswer, Pipeline, Stored } from '../../registry/pipeline/interface.js';
import { eventsOf } from '../../registry/pipeline/reads/events-of.js';
import { reachFailure } from '../proxy/reach-failure.js';
import { yieldToEventLoop } from '../../lib/time-slice.js';
import { cache, type Cached, withVersion } from './cached.js';
import type { Caches, Collection } from './caches.js';
import { isOlder } from './feed.js';
import { isWithin, matcherOf, resourceOf } from './selection.js';
import { readPlace, readVersions, type Versions, versionIn, writePlace } from './versions.js';
import { watchAll } from './watch-all.js';

/** What a handler of reads needs of a pipeline. */
export type Reader = Pick<Pipeline, 'get' | 'list' | 'watch' | 'convert'>;

/** The one cluster that has an object. Throws NotFound, or Conflict when several do. */
export function locate(caches: Caches, resource: GroupVersionResource, namespace: string, name: string): Collection {
  const having = caches
    .collections(resource)
    .filter(each => isWithin(each, namespace) && each.informer.get(objectKey(namespace, name)));
  const [only] = having;
  if (!only) throw notFound(resource, name);
  if (having.length === 1) return only;
  throw conflict(resource, name, `ambiguous objects in clusters [${having.map(({ cluster }) => cluster).join(', ')}]`);
}

/** A page of one cluster. */
interface Page {
  readonly items: readonly Stored[];
  readonly version: string;
  readonly token: string;
}

/** From the mirror, when it is there and new enough for the asker. */
function mirrored(collection: Collection, call: RequestScope, query: ListQuery, version: string): Page | undefined {
  const { position } = collection.feed;
  if (version === '' || position === undefined || query.continue || query.resourceVersionMatch === 'Exact')
    return undefined;
  // as apiserver/pkg/storage/cacher shouldDelegateList: pages are the member's, unless anything will do.
  if (version !== '0' && (query.limit !== undefined || isOlder(position, version))) return undefined;
  const matches = matcherOf(call, query);
  const items = collection.informer
    .list(call.namespace)
    .filter(object => isWithin(collection, object.metadata.namespace) && matches(object));
  return { items, version: position, token: '' };
}

/** Asks a member; what went wrong on the way becomes an answer. */
async function ask<T>(
  { member }: Collection,
  request: (client: Collection['member']['client']) => Promise<T>,
): Promise<T> {
  try {
    return await request(member.client);
  } catch (error) {
    if (error instanceof StatusError || !(error instanceof Error)) throw error;
    throw reachFailure(error, member.endpoint.server);
  }
}

async function asked(collection: Collection, query: ListQuery): Promise<Page> {
  const { items, metadata } = await ask(collection, client => client.list(collection.resource, query));
  const seen = items.filter(each => isWithin(collection, each.metadata.namespace));
  const cached: Cached[] = [];
  for (const item of seen) {
    cached.push(cache(item, collection.cluster));
    const pause = yieldToEventLoop();
    if (pause) await pause;
  }
  return {
    items: cached,
    version: metadata.resourceVersion ?? '',
    token: metadata.continue ?? '',
  };
}

interface ListRequest {
  readonly call: RequestScope;
  readonly query: ListQuery;
  /** What the asker knows of each cluster; becomes what the answer says. */
  readonly versions: Versions;
}

function pageOf(
  collection: Collection,
  { call, query, versions }: ListRequest,
  limit: number | undefined,
  token: string,
): Promise<Page> | Page {
  const { labelSelector, fieldSelector, resourceVersionMatch } = query;
  const version = token === '' ? versions.get(collection.cluster) : '';
  const wanted: ListQuery = {
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
    ...(call.namespace === '' ? {} : { namespace: call.namespace }),
    ...(token === '' ? {} : { continue: token }),
    ...(version === '' ? {} : { resourceVersion: version }),
    ...(version === '' || resourceVersionMatch === undefined ? {} : { resourceVersionMatch }),
    ...(limit === undefined ? {} : { limit }),
  };
  return mirrored(collection, call, wanted, version) ?? asked(collection, wanted);
}

/** Lists visit the clusters by name, as far as the limit goes. */
async function listAll(caches: Caches, call: RequestScope, query: ListQuery): Promise<ListAnswer> {
  matcherOf(call, query); // members need not be asked what is refused here
  const place = query.continue === undefined ? undefined : readPlace(query.continue);
  const versions = readVersions(place?.versions ?? query.resourceVersion);
  const request = { call, query, versions };
  const collections = caches.collections(resourceOf(call));
  // A cluster that left takes the place in it along.
  const start = place ? collections.findIndex(({ cluster }) => cluster === place.cluster) : 0;
  if (start < 0) throw continueExpired();
  const items: Stored[] = [];
  for (const [i, collection] of collections.entries()) {
    if (i < start) continue;
    const left = query.limit === undefined ? undefined : query.limit - items.length;
    const page = await pageOf(collection, request, left, i === start ? (place?.token ?? '') : '');
    items.push(...page.items);
    versions.set(collection.cluster, page.version);
    if (left === undefined || page.items.length < left) continue;
    const next = page.token === '' ? collections[i + 1] : collection;
    if (!next) break;
    fillIn(versions, collections);
    const resourceVersion = versions.toString();
    const token = writePlace({ versions: resourceVersion, cluster: next.cluster, token: page.token });
    return { metadata: { resourceVersion, continue: token }, items };
  }
  return { metadata: { resourceVersion: versions.toString() }, items };
}

/** Clusters that the list did not come to are listed as of now. */
function fillIn(versions: Versions, collections: readonly Collection[]): void {
  for (const { cluster, feed } of collections)
    if (!versions.has(cluster) && feed.position !== undefined) versions.set(cluster, feed.position);
}

export function createReader(caches: Caches): Reader {
  return {
    async get(call, name, resourceVersion = '') {
      const resource = resourceOf(call);
      const collection = locate(caches, resource, call.namespace, name);
      const { cluster, informer } = collection;
      const key = { ...(call.namespace === '' ? {} : { namespace: call.namespace }), name };
      // Who names no version wants what is there now.
      const found =
        resourceVersion === ''
          ? cache(await ask(collection, client => client.get(resource, key)), cluster)
          : informer.get(objectKey(call.namespace, name));
      if (!found) throw notFound(resource, name);
      return { stored: withVersion(found, versionIn(cluster, found.metadata.resourceVersion ?? '')) };
    },
    list: (call, query) => listAll(caches, call, query),
    watch: (call, query) => eventsOf(watchAll(caches, call, query)),
    // Members are asked for the version that the client speaks.
    convert: (_call, stored) => stored.object,
  };
}
