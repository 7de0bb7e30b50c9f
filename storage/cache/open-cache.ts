import { type Clock, systemClock } from '../../lib/clock.js';
import { StorageError } from '../error.js';
import type { CacheSource, Change, Codec, Item, Outcome, PutOptions, Revision } from '../interface.js';
import { type Initial, PhasedStream } from '../phased-stream.js';
import type { WatchStream } from '../watch-stream.js';
import { silentLog } from '../log.js';
import { noRevision } from '../revision.js';
import { changedKey } from '../event-log/changed-key.js';
import { decoded } from './decoder.js';
import { RestartableFeed } from './feed.js';
import { cacheCounters } from './counters.js';
import type { Cache, CacheOptions, CachePage, CacheRangeOptions, CacheWatchOptions, View } from './interface.js';
import { PastReader } from './past.js';
import { CacheReader } from './reader.js';
import { Replica } from './replica.js';
import { CacheWriter } from './writer.js';

interface WatchCacheOptions<V, D> extends CacheOptions<V> {
  readonly backend: CacheSource;
  readonly prefix: string;
  readonly codec: Codec<V, D>;
}

/** A cache and its work in the background, which `open` starts. */
class WatchCache<V, D> implements Cache<V, D> {
  readonly ready: Promise<void>;
  readonly counters = cacheCounters();
  readonly #backend: CacheSource;
  readonly #prefix: string;
  readonly #clock: Clock;
  readonly #progressMs: number;
  readonly #stopping = new AbortController();
  readonly #replica: Replica<V, D>;
  readonly #feed: RestartableFeed;
  readonly #reader: CacheReader<V>;
  readonly #writer: CacheWriter<V, D>;
  readonly #past: PastReader<V>;
  /** Resolves when the work in the background has ended. */
  #ended: Promise<unknown> = Promise.resolve();

  constructor(options: WatchCacheOptions<V, D>) {
    const { backend, prefix, codec, clock = systemClock, log = silentLog } = options;
    const { freshnessTimeoutMs = 3000, progressMs = 10_000, waited } = options;
    const closed = this.#stopping.signal;
    const { counters } = this;
    let announceReady = (): void => undefined;
    this.ready = new Promise<void>(resolve => (announceReady = resolve));
    const onAdvanced = (): void => {
      announceReady();
      this.#reader.onAdvanced();
    };
    const replica = new Replica<V, D>({ ...options, clock, log, counters, onAdvanced });
    const feed = new RestartableFeed({ backend, prefix, clock, log, target: replica, signal: closed });
    this.#backend = backend;
    this.#prefix = prefix;
    this.#clock = clock;
    this.#progressMs = progressMs;
    this.#replica = replica;
    this.#feed = feed;
    this.#reader = new CacheReader({
      ...{ backend, prefix, replica, clock, freshnessTimeoutMs, counters, waited, closed },
      onRevisionRollback: () => feed.restart(),
    });
    this.#writer = new CacheWriter(backend, codec, replica);
    this.#past = new PastReader(backend, item => replica.decoder.read(item));
  }

  /** Starts to fill the cache and to keep it up to date. Called once. */
  open(): void {
    this.#ended = Promise.all([this.#feed.run(), this.#tick()]);
  }

  get seen(): Revision {
    return this.#replica.revision ?? noRevision;
  }

  get size(): number {
    return this.#replica.eventLog?.size ?? 0;
  }

  getCached(key: string): Item<V> | undefined {
    const item = this.#replica.decoder.newest(key);
    return item === undefined ? undefined : decoded(item);
  }

  rangeCached(prefix: string): readonly Item<V>[] | undefined {
    const { eventLog } = this.#replica;
    return eventLog && this.#replica.select(eventLog, prefix, {}).items;
  }

  snapshot(): View<V> {
    const { eventLog } = this.#replica;
    if (eventLog === undefined) throw new StorageError('initializing', 'storage is (re)initializing');
    return this.#reader.failingOnCorrupt(eventLog.view());
  }

  get(key: string, options?: { readonly notBefore?: Revision }): Promise<Item<V> | undefined> {
    return this.#reader.get(key, options);
  }

  range(prefix: string, options?: CacheRangeOptions): Promise<CachePage<V>> {
    return this.#reader.range(prefix, options);
  }

  put(key: string, expect: Revision | 'absent', value: D, options?: PutOptions): Promise<Outcome<V>> {
    return this.#writer.put(key, expect, value, options);
  }

  remove(key: string, expect: Revision): Promise<Outcome<V>> {
    return this.#writer.remove(key, expect);
  }

  revision(): Promise<Revision> {
    return this.#backend.revision();
  }

  watch(prefix: string, from: Revision, signal: AbortSignal, options?: CacheWatchOptions): WatchStream<Change<V>> {
    const { eventLog } = this.#replica;
    return eventLog && from >= eventLog.floor
      ? eventLog.watch(prefix, from, signal, options)
      : new PhasedStream(this.#fromPast(prefix, from, signal, options));
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    this.#replica.eventLog?.end();
    await this.#ended;
  }

  /** Yields the changes before what the cache holds, then hands over to a watch of the cache. Also used before the cache is filled. */
  async *#fromPast(
    prefix: string,
    from: Revision,
    signal: AbortSignal,
    options?: CacheWatchOptions,
  ): Initial<Change<V>> {
    const replica = this.#replica;
    const eventLog = await this.#reader.whenFilled();
    const key = options?.key;
    let seen = from;
    // The cache may drop more changes while these are delivered.
    while (seen < eventLog.floor && !signal.aborted) {
      const to = eventLog.floor;
      for await (const change of this.#past.read(key ?? prefix, seen, to, signal))
        if (key === undefined || changedKey(change) === key) {
          const preparing = replica.prepared(change);
          if (preparing) await preparing;
          yield [change];
        }
      seen = to;
    }
    return eventLog.watch(prefix, seen, signal, options);
  }

  /** Trims the history and sends progress to watches, every so often. */
  async #tick(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.#clock.sleep(this.#progressMs, signal);
      const { eventLog } = this.#replica;
      if (eventLog === undefined || signal.aborted) continue;
      eventLog.trim();
      this.#replica.announceProgress();
      if (!this.#backend.requestProgress(this.#prefix)) eventLog.requestAllProgress();
    }
  }
}

/** Opens a cache of everything below `prefix`. Returns at once; `ready` resolves when it is filled. */
export function openCache<V, D = V>(
  backend: CacheSource,
  prefix: string,
  codec: Codec<V, D>,
  options: CacheOptions<V> = {},
): Cache<V, D> {
  const cache = new WatchCache<V, D>({ ...options, backend, prefix, codec });
  cache.open();
  return cache;
}
