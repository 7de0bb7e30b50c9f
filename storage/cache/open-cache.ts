import { systemClock } from '../../lib/clock.js';
import { StorageError } from '../error.js';
import type { CachedBackend, Change, Codec, Item, Outcome, PutOptions, Revision } from '../interface.js';
import { type Initial, PhasedStream } from '../phased-stream.js';
import type { WatchStream } from '../watch-stream.js';
import { silent } from '../log.js';
import { noRevision } from '../revision.js';
import { keyOf } from '../event-log/key-of.js';
import { decoded } from './decoder.js';
import { feed } from './feed.js';
import { cacheFigures } from './figures.js';
import type { Cache, CacheOptions, CacheWatchOptions } from './interface.js';
import { createPast } from './past.js';
import { createReader } from './reader.js';
import { createReplica } from './replica.js';

/** Creates a cache of everything below `prefix`. Returns at once; `ready` resolves when it is filled. */
export function openCache<V>(
  backend: CachedBackend,
  prefix: string,
  codec: Codec<V>,
  options: CacheOptions<V> = {},
): Cache<V> {
  const { clock = systemClock, log = silent, freshMs = 3000, progressMs = 10_000 } = options;
  const stopping = new AbortController();
  const figures = cacheFigures();
  let restart = new AbortController();
  let announceReady = (): void => undefined;
  const ready = new Promise<void>(resolve => (announceReady = resolve));

  const replica = createReplica({
    ...options,
    codec,
    clock,
    log,
    figures,
    moved: () => {
      announceReady();
      reader.moved();
    },
  });
  const { decoder } = replica;
  const reader = createReader({
    backend,
    prefix,
    replica,
    clock,
    freshMs,
    figures,
    waited: options.waited,
    storeWentBack: () => restart.abort(),
    closed: stopping.signal,
  });

  /** Feeds the replica, and starts again when the store turns out to have gone back in time, which no watch reports. */
  async function run(): Promise<void> {
    let lost = false;
    const sink = {
      apply: replica.apply,
      async replace(items: readonly Item<Uint8Array>[], revision: Revision) {
        await replica.replace(items, revision);
        lost = false;
      },
      get revision() {
        return lost ? undefined : replica.revision;
      },
    };
    while (!stopping.signal.aborted) {
      restart = new AbortController();
      await feed({
        backend,
        prefix,
        clock,
        log,
        sink,
        signal: AbortSignal.any([stopping.signal, restart.signal]),
      });
      lost = true;
    }
  }

  async function tick(): Promise<void> {
    while (!stopping.signal.aborted) {
      await clock.sleep(progressMs, stopping.signal);
      if (replica.timeline === undefined || stopping.signal.aborted) continue;
      replica.timeline.trim();
      replica.announceProgress();
      if (!backend.requestProgress(prefix)) replica.timeline.requestAllProgress();
    }
  }

  function conflict(current: Item<Uint8Array> | undefined): Outcome<V> {
    return { type: 'conflict', current: current === undefined ? undefined : decoder.read(current) };
  }

  async function put(key: string, expect: Revision | 'absent', value: V, how?: PutOptions): Promise<Outcome<V>> {
    const bytes = codec.encode(value);
    const writing = decoder.writing(key, value, bytes);
    let item: Item<V> | undefined;
    try {
      const outcome = await backend.put(key, expect, bytes, how);
      if (outcome.type === 'conflict') return conflict(outcome.current);
      item = writing.written(outcome.revision);
    } finally {
      writing.end();
    }
    return { type: 'done', item: decoded(item), revision: item.revision };
  }

  async function remove(key: string, expect: Revision): Promise<Outcome<V>> {
    const cached = replica.timeline?.get(key);
    const outcome = await backend.remove(key, expect);
    if (outcome.type === 'conflict') return conflict(outcome.current);
    const { item, revision } = outcome;
    const removed =
      cached?.revision === expect ? decoded(cached) : decoder.read({ key, value: item.value, revision: expect });
    return { type: 'done', item: { key, value: removed.value, revision }, revision };
  }

  const past = createPast<V>({ backend, decode: decoder.read });

  type Watch = readonly [below: string, from: Revision, signal: AbortSignal, how?: CacheWatchOptions];

  /** Yields the changes before what the cache holds, then hands over to a watch of the cache. Also used before the cache is filled. */
  async function* fromPast(...[below, from, signal, how]: Watch): Initial<Change<V>> {
    const timeline = await reader.whenFilled();
    const key = how?.key;
    let seen = from;
    // The cache may drop more changes while these are delivered.
    while (seen < timeline.floor && !signal.aborted) {
      const to = timeline.floor;
      for await (const change of past(key ?? below, seen, to, signal))
        if (key === undefined || keyOf(change) === key) yield [change];
      seen = to;
    }
    return timeline.watch(below, seen, signal, how);
  }

  function watch(...watch: Watch): WatchStream<Change<V>> {
    const { timeline } = replica;
    return timeline && watch[1] >= timeline.floor ? timeline.watch(...watch) : new PhasedStream(fromPast(...watch));
  }

  const running = [run(), tick()];

  return {
    ready,
    get seen() {
      return replica.revision ?? noRevision;
    },
    get size() {
      return replica.timeline?.size ?? 0;
    },
    figures,
    peek(key) {
      const item = decoder.newest(key);
      return item === undefined ? undefined : decoded(item);
    },
    peekAll: below => replica.timeline && replica.select(replica.timeline, below, {}).items,
    snapshot() {
      if (replica.timeline === undefined) throw new StorageError('initializing', 'storage is (re)initializing');
      return reader.sound(replica.timeline.view());
    },
    get: reader.get,
    range: reader.range,
    put,
    remove,
    watch,
    revision: () => backend.revision(),
    async close() {
      stopping.abort();
      replica.timeline?.end();
      await Promise.all(running);
    },
  };
}
