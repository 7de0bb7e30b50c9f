import type { Clock } from '../../lib/clock.js';
import { StorageError } from '../error.js';
import type { Backend, Happened, Item, Page, Revision } from '../interface.js';
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
  /** The current state, when it is there. Throws 'initializing' when that takes too long. */
  held(): Promise<EventLog<V>>;
  /** A view that throws 'corrupt' instead of showing an item that could not be decoded. */
  sound(view: View<V>): View<V>;
  /** The replica holds more than before. */
  moved(): void;
}

export interface ReaderOptions<V> {
  readonly backend: Backend;
  readonly prefix: string;
  readonly replica: Replica<V>;
  readonly clock: Clock;
  readonly freshMs: number;
  readonly figures: CacheFigures;
  readonly waited: ((seconds: number) => void) | undefined;
  /** The store answered with a revision that lies behind what was seen of it. */
  readonly storeWentBack: () => void;
  readonly closed: AbortSignal;
}

const getsAlone = 64;

/**
 * Where a read is answered:
 *
 *     at R          memory while it holds R, else the store
 *     not before R  memory as soon as it has seen R; the store when it has and memory cannot know
 *     newest        memory, once it has seen the revision that the store has now, or knows that nothing happened up to there; the store when
 *                   memory cannot know, for all of it when memory is not filled in time
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

  async function held(): Promise<EventLog<V>> {
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
    if (at > (await held()).revision && (await freshness.reach(at)) === 'store') return fromStore(below, range);
    const timeline = await held();
    if (!timeline.holds(at)) return fromStore(below, range);
    return fromMemory(at === timeline.revision ? timeline : timeline.viewAt(at), below, range);
  }

  /** Whether the cache holds what is newest now, if need be after waiting for it. */
  async function isNewest(): Promise<boolean> {
    const before = replica.revision;
    if (before === undefined) return false;
    const target = await backend.revision();
    if (target >= before) return (await freshness.reach(target)) === 'cache';
    // What was asked later is older: it is not the same store any more.
    options.storeWentBack();
    return false;
  }

  /**
   * Who wants everything waits for a while until the cache has it: at a start many do, and each would have a copy of its own of all that is in the
   * store. as apiserver/pkg/storage/cacher (ResilientWatchCacheInitialization), which refuses them.
   */
  async function filling(): Promise<void> {
    if (replica.timeline === undefined && !closed.aborted) await freshness.reach(noRevision);
  }

  let getting = 0;
  /** So many gets do not ask together: a moment ago it was in vain, and cost a question more. */
  let alone = 0;

  /** Whether the cache holds what is newest now, without waiting for it. */
  async function isThere(): Promise<boolean> {
    if (backend.asksTogether) return isNewest();
    if (getting < 2 || alone-- > 0) return false;
    const before = replica.revision;
    const target = await backend.revision();
    if (before !== undefined && target < before) options.storeWentBack();
    else if ((replica.revision ?? -1) >= target || happened(target) === 'nothing') {
      alone = 0;
      return true;
    }
    alone = getsAlone;
    return false;
  }

  /** hot: many who ask at once ask for the revision together. One who asks alone asks for the item: that costs no more. */
  async function newest(key: string): Promise<Item<V> | undefined> {
    getting++;
    try {
      if (await isThere()) {
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
    held,
    moved: () => freshness.moved(),
    async get(key, { notBefore } = {}) {
      // Whatever is at hand: while the cache fills, that is the store.
      const filling = notBefore === noRevision && replica.timeline === undefined && !closed.aborted;
      if (notBefore !== undefined && !filling) {
        const timeline = await held();
        if (notBefore <= timeline.revision || (await freshness.reach(notBefore)) === 'cache') {
          const item = (await held()).get(key);
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
      } else if (notBefore > (await held()).revision && (await freshness.reach(notBefore)) === 'store') {
        return fromStore(below, range);
      }
      return fromMemory(await held(), below, range);
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
