import { StorageError } from '../error.js';
import type { Maybe } from '../../lib/maybe.js';
import type { CacheSource, Item, Page, Revision } from '../interface.js';
import { noRevision } from '../revision.js';
import type { EventLog } from '../event-log/event-log.js';
import type { View } from '../event-log/view.js';
import { type Decoder, decoded } from './decoder.js';
import { type CacheCounters, countList, countStoreList } from './counters.js';
import { Freshness, type FreshnessOptions } from './freshness.js';
import type { CachePage, CacheRangeOptions } from './interface.js';
import type { Replica } from './replica.js';

interface CacheReaderOptions<V> extends FreshnessOptions<V> {
  readonly counters: CacheCounters;
  /** Called when the store answers with a revision below one that it had reached. */
  readonly onRevisionRollback: () => void;
  readonly closed: AbortSignal;
}

/** Gets that go straight to the store after asking for the revision was useless. */
const maxDirectGets = 64;

/**
 * Answers reads from memory or from the store:
 *
 *     at R          memory while it holds R, else the store
 *     not before R  memory as soon as it has seen R; the store when it has reached R and memory cannot tell
 *     newest        memory, once it has seen the store's current revision, or when nothing happened up to there; the store when memory
 *                   cannot tell, or is not filled in time
 */
export class CacheReader<V> {
  readonly #backend: CacheSource;
  readonly #replica: Replica<V, unknown>;
  readonly #decoder: Decoder<V, unknown>;
  readonly #counters: CacheCounters;
  readonly #freshness: Freshness<V>;
  readonly #onRevisionRollback: () => void;
  readonly #closed: AbortSignal;
  /** The number of gets of the newest state that are in progress. */
  #getting = 0;
  /** The number of following gets that go straight to the store, since asking for the revision was useless a moment ago. */
  #directGets = 0;

  constructor(options: CacheReaderOptions<V>) {
    this.#backend = options.backend;
    this.#replica = options.replica;
    this.#decoder = options.replica.decoder;
    this.#counters = options.counters;
    this.#freshness = new Freshness(options);
    this.#onRevisionRollback = options.onRevisionRollback;
    this.#closed = options.closed;
  }

  /** Reports that the replica holds more than before. */
  onAdvanced(): void {
    this.#freshness.onAdvanced();
  }

  /** hot: adds no asynchronous function to a get of the newest state. */
  get(key: string, { notBefore }: { readonly notBefore?: Revision } = {}): Promise<Item<V> | undefined> {
    return notBefore === undefined ? this.#newest(key) : this.#notBefore(key, notBefore);
  }

  async #notBefore(key: string, notBefore: Revision): Promise<Item<V> | undefined> {
    // Revision 0 takes whatever is available: the store, while the cache fills.
    const isFilling = notBefore === noRevision && this.#replica.eventLog === undefined && !this.#closed.aborted;
    if (!isFilling) {
      const eventLog = await this.whenFilled();
      if (notBefore <= eventLog.revision || (await this.#freshness.reach(notBefore)) === 'cache') {
        const item = (await this.whenFilled()).get(key);
        return item === undefined ? undefined : decoded(item);
      }
    }
    const item = await this.#backend.get(key, { notBefore });
    return item === undefined ? undefined : this.#decoder.read(item);
  }

  async range(below: string, range: CacheRangeOptions = {}): Promise<CachePage<V>> {
    const { at, notBefore } = range;
    if (at !== undefined) return this.#rangeAt(below, range, at);
    if (notBefore === undefined) {
      if ((range.limit ?? 0) === 0) await this.#filling();
      const memory = await this.#isNewest();
      this.#counters.newest[memory ? 'memory' : 'store']++;
      if (!memory) return this.#fromStore(below, range);
    } else if (notBefore > (await this.whenFilled()).revision && (await this.#freshness.reach(notBefore)) === 'store') {
      return this.#fromStore(below, range);
    }
    return this.#fromMemory(await this.whenFilled(), below, range);
  }

  /** Returns the event log when the cache is filled. Throws 'initializing' when that takes too long. */
  async whenFilled(): Promise<EventLog<V>> {
    if (this.#closed.aborted) throw new StorageError('unavailable', 'the watch cache is closed');
    if (this.#replica.eventLog === undefined) await this.#freshness.reach(noRevision);
    if (this.#replica.eventLog === undefined) throw new StorageError('initializing', 'storage is (re)initializing');
    return this.#replica.eventLog;
  }

  /** Returns a view that throws 'corrupt' instead of showing an item that could not be decoded. */
  failingOnCorrupt(view: View<V>): View<V> {
    return {
      ...view,
      get(key) {
        const item = view.get(key);
        return item === undefined ? undefined : decoded(item);
      },
      range: (below, range = {}) => this.#replica.select(view, below, range),
    };
  }

  async #fromStore(below: string, range: CacheRangeOptions): Promise<CachePage<V>> {
    const { index, limit, ...rest } = range;
    const options = index !== undefined || limit === undefined ? rest : { ...rest, limit };
    const page = await this.#backend.range(below, options);
    countStoreList(this.#counters, page.items.length, 0);
    const known = { ...page, items: page.items.map(item => this.#decoder.read(item)) };
    return { ...(index === undefined ? known : this.#replica.filter(known, range)), fromStore: true };
  }

  #fromMemory(from: View<V> | EventLog<V>, below: string, range: CacheRangeOptions): Page<V> {
    const page = this.#replica.select(from, below, range);
    countList(this.#counters, range.index?.name ?? '', page.items.length);
    return page;
  }

  async #rangeAt(below: string, range: CacheRangeOptions, at: Revision): Promise<CachePage<V>> {
    if (at > (await this.whenFilled()).revision && (await this.#freshness.reach(at)) === 'store')
      return this.#fromStore(below, range);
    const eventLog = await this.whenFilled();
    if (!eventLog.holds(at)) return this.#fromStore(below, range);
    return this.#fromMemory(at === eventLog.revision ? eventLog : eventLog.viewAt(at), below, range);
  }

  /** Returns whether the cache holds the newest state, after waiting for it if need be. */
  async #isNewest(): Promise<boolean> {
    const before = this.#replica.revision;
    if (before === undefined) return false;
    const target = await this.#backend.revision();
    if (target >= before) return (await this.#freshness.reach(target)) === 'cache';
    // A later question got an older revision: it is not the same store any more.
    this.#onRevisionRollback();
    return false;
  }

  /**
   * Lets a list of everything wait for a while until the cache is filled: at a start many clients list, and each would get a copy of its own
   * from the store. as apiserver/pkg/storage/cacher (ResilientWatchCacheInitialization), which refuses them.
   */
  async #filling(): Promise<void> {
    if (this.#replica.eventLog === undefined && !this.#closed.aborted) await this.#freshness.reach(noRevision);
  }

  /** Returns whether the cache holds the newest state, without waiting for it. */
  #isNewestNow(): Maybe<boolean> {
    if (this.#backend.asksTogether) return this.#isNewest();
    if (this.#getting < 2 || this.#directGets-- > 0) return false;
    return this.#askIfNewest();
  }

  async #askIfNewest(): Promise<boolean> {
    const before = this.#replica.revision;
    const target = await this.#backend.revision();
    if (before !== undefined && target < before) this.#onRevisionRollback();
    else if ((this.#replica.revision ?? -1) >= target || this.#freshness.happened(target) === 'nothing') {
      this.#directGets = 0;
      return true;
    }
    this.#directGets = maxDirectGets;
    return false;
  }

  /** hot: concurrent gets share one request for the revision. A single get reads the item instead, which costs no more. */
  async #newest(key: string): Promise<Item<V> | undefined> {
    this.#getting++;
    try {
      const isNewest = this.#isNewestNow();
      if (typeof isNewest === 'boolean' ? isNewest : await isNewest) {
        const held = this.#replica.eventLog?.get(key);
        return held === undefined ? undefined : decoded(held);
      }
      const item = await this.#backend.get(key);
      return item === undefined ? undefined : this.#decoder.read(item);
    } finally {
      this.#getting--;
    }
  }
}
