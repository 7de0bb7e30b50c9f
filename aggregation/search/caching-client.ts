import type { GroupVersionResource } from '../../apimachinery/interface.js';
import { gvrText } from '../../apimachinery/meta/gvk.js';
import type { CachedEvent, CachedReader, ListerWatcher, WatchEvent } from '../../client/interface.js';
import { keyOf } from '../../client/key.js';
import type { Informer } from '../../client/runtime/interface.js';
import { type Cached, cache, type FieldReaders, memoryOf } from './cached.js';
import type { RemoteClient } from '../interface.js';
import { turns } from '../remote/turns.js';
import type { KeptFields } from './kept-fields.js';
import { type FeedChange, createFeed, type Feed } from './feed.js';

/** Memory of an object in bytes from which on parsing it has taken a considerable part of a turn. */
const largeObject = 256 * 1024;

interface FollowedFeed {
  readonly feed: Feed;
  /** Returns the informer that the feed belongs to. */
  readonly mirror: () => Informer<Cached>;
  /** The fields that are held apart, for selectors. */
  readonly fields: FieldReaders;
  /** The fields that are kept; undefined for whole objects. */
  readonly kept: KeptFields | undefined;
}

/** A client of a member for informers: its lists and watches return objects in their cached form, and record changes in the feeds. */
export class CachingClient implements ListerWatcher {
  readonly #client: RemoteClient;
  readonly #cluster: string;
  /** The time in which large objects are brought into their cached form is a part of that for parsing the answers of members. */
  readonly #lane = turns.lane();
  readonly #feeds = new Map<string, FollowedFeed>();
  readonly cached: CachedReader = {
    list: (...args) => this.#list(...args),
    watch: (...args) => this.#watch(...args),
    getCached: () => undefined,
    listCached: () => undefined,
    lacks: resource => this.#client.mapper.lacks(resource),
  };

  constructor(client: RemoteClient, cluster: string) {
    this.#client = client;
    this.#cluster = cluster;
  }

  list(...args: Parameters<ListerWatcher['list']>): ReturnType<ListerWatcher['list']> {
    return this.#client.list(...args);
  }

  watch(...args: Parameters<ListerWatcher['watch']>): ReturnType<ListerWatcher['watch']> {
    return this.#client.watch(...args);
  }

  /** Creates the feed of changes of a resource. */
  feed(resource: GroupVersionResource, followed: Omit<FollowedFeed, 'feed'>): Feed {
    const feed = createFeed();
    this.#feeds.set(gvrText(resource), { feed, ...followed });
    return feed;
  }

  release(resource: GroupVersionResource): void {
    const id = gvrText(resource);
    this.#feeds.get(id)?.feed.end();
    this.#feeds.delete(id);
  }

  async #list(...args: Parameters<CachedReader['list']>): ReturnType<CachedReader['list']> {
    const [resource, query, take] = args;
    const items = [];
    const { fields, kept } = this.#feeds.get(gvrText(resource)) ?? {};
    const objects = this.#client.each(resource, query);
    for (let next = await objects.next(); ; next = await objects.next()) {
      if (next.done) return { resourceVersion: next.value, items };
      if (next.value.size > largeObject) await this.#lane.pause();
      const item = cachedItem(cache(next.value.object, this.#cluster, fields, kept));
      take?.(item.cached.size);
      items.push(item);
    }
  }

  /** Publishes a change when the reader asks for the next event: only then has the informer stored this one. */
  async *#watch(...args: Parameters<CachedReader['watch']>): AsyncGenerator<CachedEvent, void> {
    const [resource, { resourceVersion = '' }] = args;
    const followed = this.#feeds.get(gvrText(resource));
    if (followed && followed.feed.position !== resourceVersion) followed.feed.restart(resourceVersion);
    for await (const event of this.#client.events(...args)) {
      const { type, object, size } = event;
      if (size > largeObject) await this.#lane.pause();
      const cached = type === 'BOOKMARK' ? undefined : cache(object, this.#cluster, followed?.fields, followed?.kept);
      const change = followed && changeOf(event, cached, followed.mirror);
      const version = object.metadata.resourceVersion ?? '';
      yield type === 'BOOKMARK' || !cached
        ? { type: 'BOOKMARK', resourceVersion: version }
        : { type, resourceVersion: version, ...cachedItem(cached) };
      if (change) followed.feed.push(change);
    }
  }
}

function changeOf(
  { type, object }: WatchEvent,
  cached: Cached | undefined,
  mirror: FollowedFeed['mirror'],
): FeedChange {
  const version = object.metadata.resourceVersion ?? '';
  return { type, version, object: cached, old: cached && mirror().get(keyOf(cached)) };
}

const cachedItem = (object: Cached) => ({
  key: keyOf(object),
  cached: { object, size: memoryOf(object), revision: object.metadata.resourceVersion ?? '' },
});
