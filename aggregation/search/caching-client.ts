import type { GroupVersionResource } from '../../apimachinery/interface.js';
import { gvrText } from '../../apimachinery/meta/gvk.js';
import type { Client, CachedEvent, CachedReader, WatchEvent } from '../../client/interface.js';
import { keyOf } from '../../client/runtime/informer.js';
import type { Informer } from '../../client/runtime/interface.js';
import { type Cached, cache } from './cached.js';
import type { RemoteClient } from '../interface.js';
import { type Change, createFeed, type Feed } from './feed.js';

export interface CachingClient {
  /** Client for informers, which returns objects in their cached form. */
  readonly client: Client;
  /** Creates the feed of changes of a resource. `mirror` returns its informer. */
  feed(resource: GroupVersionResource, mirror: () => Informer<Cached>): Feed;
  release(resource: GroupVersionResource): void;
}

/** Creates a client of a member whose lists and watches return objects in their cached form, and record changes in the feeds. */
export function cachingClient(client: RemoteClient, cluster: string): CachingClient {
  const feeds = new Map<string, { readonly feed: Feed; readonly mirror: () => Informer<Cached> }>();

  const list: CachedReader['list'] = async (resource, query, take) => {
    const items = [];
    const objects = client.each(resource, query);
    for (let next = await objects.next(); ; next = await objects.next()) {
      if (next.done) return { resourceVersion: next.value, items };
      const item = heldItem(cache(next.value.object, cluster));
      take?.(item.cached.size);
      items.push(item);
    }
  };

  function changeOf({ type, object }: WatchEvent, seen: Cached | undefined, mirror: () => Informer<Cached>): Change {
    const version = object.metadata.resourceVersion ?? '';
    return { type, version, object: seen, old: seen && mirror().get(keyOf(seen)) };
  }

  /** Publishes a change only when the reader asks for the next event, since the mirror contains the previous one then. */
  async function* watch(...args: Parameters<CachedReader['watch']>): AsyncGenerator<CachedEvent, void> {
    const [resource, { resourceVersion = '' }] = args;
    const known = feeds.get(gvrText(resource));
    if (known && known.feed.position !== resourceVersion) known.feed.restart(resourceVersion);
    for await (const event of client.events(...args)) {
      const { type, object } = event;
      const seen = type === 'BOOKMARK' ? undefined : cache(object, cluster);
      const change = known && changeOf(event, seen, known.mirror);
      const version = object.metadata.resourceVersion ?? '';
      yield type === 'BOOKMARK' || !seen
        ? { type: 'BOOKMARK', resourceVersion: version }
        : { type, resourceVersion: version, ...heldItem(seen) };
      if (change) known.feed.push(change);
    }
  }

  const cached: CachedReader = { list, watch, getCached: () => undefined, listCached: () => undefined };
  return {
    client: { ...client, cached },
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

/** Memory of a cached object in addition to its text, in bytes. */
const overhead = 512;

const heldItem = (object: Cached) => ({
  key: keyOf(object),
  cached: { object, size: object.json.length + overhead, revision: object.metadata.resourceVersion ?? '' },
});
