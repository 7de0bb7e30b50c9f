import type { Clock } from '../../lib/clock.js';
import { StorageError } from '../error.js';
import type { CachedBackend, Happened, Item, Page, Revision } from '../interface.js';
import { noRevision } from '../revision.js';
import type { EventLog } from '../event-log/event-log.js';
import type { View } from '../event-log/view.js';
import { decoded } from './decoder.js';
import { type CacheFigures, countList, countStoreList } from './figures.js';
import { createFreshness } from './freshness.js';
import type { CachePage, CacheRangeOptions } from './interface.js';
import type { Replica } from './replica.js';

export interface Reader<V> {
  get(key: string, options?: { readonly notBefore?: Revision }): Promise<Item<V> | undefined>;
  range(prefix: string, options?: CacheRangeOptions): Promise<CachePage<V>>;
  /** Returns the event log when the cache is filled. Throws 'initializing' when that takes too long. */
  whenFilled(): Promise<EventLog<V>>;
  /** Returns a view that throws 'corrupt' instead of showing an item that could not be decoded. */
  sound(view: View<V>): View<V>;
  /** Reports that the replica holds more than before. */
  moved(): void;
}

export interface ReaderOptions<V> {
  readonly backend: CachedBackend;
  readonly prefix: string;
  readonly replica: Replica<V>;
  readonly clock: Clock;
  readonly freshMs: number;
  readonly figures: CacheFigures;
  readonly waited: ((seconds: number) => void) | undefined;
  /** Called when the store answers with a revision below one that it had reached. */
  readonly storeWentBack: () => void;
  readonly closed: AbortSignal;
}

const maxDirectGets = 64;

/**
 * Answers reads from memory or from the store:
 *
 *     at R          memory while it holds R, else the store
 *     not before R  memory as soon as it has seen R; the store when it has reached R and memory cannot tell
 *     newest        memory, once it has seen the store's current revision, or when nothing happened up to there; the store when memory
 *                   cannot tell, or is not filled in time
 */
export function createReader<V>(options: ReaderOptions<V>): Reader<V> {
  const { backend, prefix, replica, closed, figures } = options;
  const { decoder } = replica;
  const freshness = createFreshness({
    clock: options.clock,
    freshMs: options.freshMs,
    waited: options.waited,
    seen: () => replica.revision ?? -1,
    requestProgress: () => backend.requestProgress(prefix),
    storeRevision: () => backend.revision(),
    happened,
    compare,
  });

  function happened(target: Revision): Happened {
    const { revision } = replica;
    if (revision === undefined || backend.happened === undefined) return 'unknown';
    const found = revision >= target ? 'nothing' : backend.happened(prefix, revision, target);
    if (found === 'nothing') replica.advance(target);
    return found;
  }

  async function compare(): Promise<{ readonly revision: Revision; readonly coming: boolean }> {
    const { timeline } = replica;
    if (timeline === undefined || backend.compare === undefined)
      return { revision: await backend.revision(), coming: false };
    const { revision, same } = await backend.compare(prefix, timeline.revision, timeline.size);
    if (same && timeline === replica.timeline) replica.advance(revision);
    return { revision, coming: !same };
  }

  async function whenFilled(): Promise<EventLog<V>> {
    if (closed.aborted) throw new StorageError('unavailable', 'the watch cache is closed');
    if (replica.timeline === undefined) await freshness.reach(noRevision);
    if (replica.timeline === undefined) throw new StorageError('initializing', 'storage is (re)initializing');
    return replica.timeline;
  }

  async function fromStore(below: string, range: CacheRangeOptions): Promise<CachePage<V>> {
    const { index, limit, ...rest } = range;
    const page = await backend.range(below, index !== undefined || limit === undefined ? rest : { ...rest, limit });
    countStoreList(figures, page.items.length, 0);
    const known = { ...page, items: page.items.map(item => decoder.read(item)) };
    return { ...(index === undefined ? known : replica.filter(known, range)), fromStore: true };
  }

  function fromMemory(from: View<V> | EventLog<V>, below: string, range: CacheRangeOptions): Page<V> {
    const page = replica.select(from, below, range);
    countList(figures, range.index?.name ?? '', page.items.length);
    return page;
  }

  async function rangeAt(below: string, range: CacheRangeOptions, at: Revision): Promise<CachePage<V>> {
    if (at > (await whenFilled()).revision && (await freshness.reach(at)) === 'store') return fromStore(below, range);
    const timeline = await whenFilled();
    if (!timeline.holds(at)) return fromStore(below, range);
    return fromMemory(at === timeline.revision ? timeline : timeline.viewAt(at), below, range);
  }

  /** Returns whether the cache holds the newest state, after waiting for it if need be. */
  async function isNewest(): Promise<boolean> {
    const before = replica.revision;
    if (before === undefined) return false;
    const target = await backend.revision();
    if (target >= before) return (await freshness.reach(target)) === 'cache';
    // A later question got an older revision: it is not the same store any more.
    options.storeWentBack();
    return false;
  }

  /**
   * Lets a list of everything wait for a while until the cache is filled: at a start many clients list, and each would get a copy of its own
   * from the store. as apiserver/pkg/storage/cacher (ResilientWatchCacheInitialization), which refuses them.
   */
  async function filling(): Promise<void> {
    if (replica.timeline === undefined && !closed.aborted) await freshness.reach(noRevision);
  }

  let getting = 0;
  /** The number of following gets that go straight to the store, since asking for the revision was useless a moment ago. */
  let directGets = 0;

  /** Returns whether the cache holds the newest state, without waiting for it. */
  async function isNewestNow(): Promise<boolean> {
    if (backend.asksTogether) return isNewest();
    if (getting < 2 || directGets-- > 0) return false;
    const before = replica.revision;
    const target = await backend.revision();
    if (before !== undefined && target < before) options.storeWentBack();
    else if ((replica.revision ?? -1) >= target || happened(target) === 'nothing') {
      directGets = 0;
      return true;
    }
    directGets = maxDirectGets;
    return false;
  }

  /** hot: concurrent gets share one request for the revision. A single get reads the item instead, which costs no more. */
  async function newest(key: string): Promise<Item<V> | undefined> {
    getting++;
    try {
      if (await isNewestNow()) {
        const held = replica.timeline?.get(key);
        return held === undefined ? undefined : decoded(held);
      }
      const item = await backend.get(key);
      return item === undefined ? undefined : decoder.read(item);
    } finally {
      getting--;
    }
  }

  return {
    whenFilled,
    moved: () => freshness.moved(),
    async get(key, { notBefore } = {}) {
      // Revision 0 takes whatever is available: the store, while the cache fills.
      const filling = notBefore === noRevision && replica.timeline === undefined && !closed.aborted;
      if (notBefore !== undefined && !filling) {
        const timeline = await whenFilled();
        if (notBefore <= timeline.revision || (await freshness.reach(notBefore)) === 'cache') {
          const item = (await whenFilled()).get(key);
          return item === undefined ? undefined : decoded(item);
        }
      }
      if (notBefore === undefined) return newest(key);
      const item = await backend.get(key, { notBefore });
      return item === undefined ? undefined : decoder.read(item);
    },
    async range(below, range = {}) {
      const { at, notBefore } = range;
      if (at !== undefined) return rangeAt(below, range, at);
      if (notBefore === undefined) {
        if ((range.limit ?? 0) === 0) await filling();
        const memory = await isNewest();
        figures.newest[memory ? 'memory' : 'store']++;
        if (!memory) return fromStore(below, range);
      } else if (notBefore > (await whenFilled()).revision && (await freshness.reach(notBefore)) === 'store') {
        return fromStore(below, range);
      }
      return fromMemory(await whenFilled(), below, range);
    },
    sound: view => ({
      ...view,
      get(key) {
        const item = view.get(key);
        return item === undefined ? undefined : decoded(item);
      },
      range: (below, range = {}) => replica.select(view, below, range),
    }),
  };
}
