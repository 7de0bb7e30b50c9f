import type { GroupVersionResource, KubeList } from '../../openapi/interface.js';
import { gvrText } from '../../openapi/meta/gvk.js';
import type { Client, ListQuery, WatchEvent } from '../../registry/interface.js';
import { keyOf } from '../../controllers/runtime/informer.js';
import type { Informer } from '../../controllers/runtime/interface.js';
import { type Cached, cache } from './cached.js';
import { createFeed, type Feed } from './feed.js';

export interface CachingClient {
  /** For informers: its objects are as they are cached. */
  readonly client: Client;
  /** What the informer of a resource lives through. */
  feed(resource: GroupVersionResource, mirror: () => Informer<Cached>): Feed;
  release(resource: GroupVersionResource): void;
}

/** What is fetched at a time: a first list of many objects need not be in memory at once. */
const pageSize = 500;

/** A client of a member whose lists and watches hand out objects as they are cached, and leave a record of what went by. */
export function cachingClient(client: Client, cluster: string): CachingClient {
  const feeds = new Map<string, { readonly feed: Feed; readonly mirror: () => Informer<Cached> }>();

  async function list(...[resource, query]: Parameters<Client['list']>): Promise<KubeList> {
    const items: Cached[] = [];
    let page: ListQuery = { ...query, limit: pageSize };
    for (;;) {
      const found = await client.list(resource, page);
      for (const item of found.items) items.push(cache(item, cluster));
      const next = found.metadata.continue;
      if (!next) return { ...found, items };
      page = { ...query, limit: pageSize, continue: next };
    }
  }

  function changeOf({ type, object }: WatchEvent, mirror: () => Informer<Cached>) {
    const version = object.metadata.resourceVersion ?? '';
    if (type === 'BOOKMARK') return { type, version, object: undefined, old: undefined };
    const cached = object as Cached;
    return { type, version, object: cached, old: mirror().get(keyOf(cached)) };
  }

  /** When the reader comes for the next event it has taken in the one before: only then others hear of it. */
  async function* watch(...args: Parameters<Client['watch']>): AsyncGenerator<WatchEvent> {
    const [resource, { resourceVersion = '' }] = args;
    const known = feeds.get(gvrText(resource));
    if (known && known.feed.position !== resourceVersion) known.feed.restart(resourceVersion);
    for await (const event of client.watch(...args)) {
      const seen: WatchEvent =
        event.type === 'BOOKMARK' ? event : { type: event.type, object: cache(event.object, cluster) };
      const change = known && changeOf(seen, known.mirror);
      yield seen;
      if (change) known.feed.push(change);
    }
  }

  return {
    client: { ...client, list, watch },
    feed(resource, mirror) {
      const feed = createFeed();
      feeds.set(gvrText(resource), { feed, mirror });
      return feed;
    },
    release(resource) {
      const id = gvrText(resource);
      feeds.get(id)?.feed.end();
      feeds.delete(id);
    },
  };
}
