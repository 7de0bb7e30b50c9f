import { systemClock } from '../clock.js';
import { StorageError } from '../error.js';
import type { Backend, Change, Codec, Item, Outcome, Page, PutOptions, RangeOptions, Revision } from '../interface.js';
import { silent } from '../log.js';
import { noRevision } from '../revision.js';
import type { KeyChange } from '../timeline/history.js';
import { KeyMap } from '../timeline/key-map.js';
import { Timeline } from '../timeline/timeline.js';
import type { View } from '../timeline/view.js';
import { createDecoder, decoded, outgoing, undecodable } from './decoder.js';
import { feed } from './feed.js';
import { createFreshness } from './freshness.js';
import { type Indexes, createIndexes } from './indexes.js';
import type { Cache, CacheOptions, CacheRangeOptions, CacheWatchOptions } from './interface.js';

const mebibyte = 1 << 20;
/** So long may decoding keep the event loop to itself while the cache fills. */
const decodeSliceMs = 5;
/** So many changes can be watched again whatever their age, so that watches of a quiet resource resume (// as cacher's smallest capacity). */
const keptChanges = 100;

/** Holds everything below `prefix` in memory. Returns at once; see `ready`. */
export function openCache<V>(
  backend: Backend,
  prefix: string,
  codec: Codec<V>,
  options: CacheOptions<V> = {},
): Cache<V> {
  const { clock = systemClock, log = silent } = options;
  const freshMs = options.freshMs ?? 3000;
  const stopping = new AbortController();
  let timeline: Timeline<V> | undefined;
  let indexes: Indexes<V> = createIndexes(options.indexes ?? {});
  /** The first changes of a revision whose last one has not arrived. */
  let partial: KeyChange<V>[] = [];
  /** Once a value could not be decoded, answers are looked through for it. */
  let damaged = false;
  let progressDue = false;
  let announceReady = (): void => undefined;
  const ready = new Promise<void>(resolve => (announceReady = resolve));

  const decoder = createDecoder(codec, {
    get: key => timeline?.get(key),
    get revision() {
      return timeline?.revision ?? noRevision;
    },
  });
  const freshness = createFreshness({
    clock,
    seen: () => timeline?.revision ?? -1,
    requestProgress: () => backend.requestProgress(prefix),
    storeRevision: () => backend.revision(),
    freshMs,
  });

  // ------------------------------------------------------------------------------------------------ keeping up

  function arrived(item: Item<Uint8Array>): Item<V> {
    const found = decoder.arrived(item);
    const error = undecodable(found);
    if (error !== undefined) {
      damaged = true;
      log.error({ key: item.key, err: error }, 'a stored value cannot be decoded');
    }
    return found;
  }

  function index(change: KeyChange<V>): void {
    const sound = outgoing(change);
    if (sound instanceof StorageError) {
      if (change.previous !== undefined && undecodable(change.previous) === undefined) {
        indexes.apply({
          type: 'remove',
          key: change.previous.key,
          previous: change.previous,
          revision: change.revision,
        });
      }
    } else indexes.apply(sound);
  }

  function moved(): void {
    freshness.moved();
    if (!progressDue) return;
    progressDue = false;
    timeline?.requestAllProgress();
  }

  function publish(changes: readonly KeyChange<V>[], revision: Revision): void {
    for (const change of changes) index(change);
    timeline?.publish(changes, revision);
    moved();
  }

  function publishSum(changes: readonly KeyChange<V>[], revision: Revision): void {
    for (const change of changes) index(change);
    timeline?.publishSum(changes, revision);
    moved();
  }

  /** hot: once per change of the prefix. */
  function apply(change: Change<Uint8Array>): void {
    if (timeline === undefined || change.revision <= timeline.revision) return;
    const { revision } = change;
    if (change.type === 'progress') {
      timeline.advance(revision);
      return moved();
    }
    if (change.type === 'put') {
      const previous = timeline.get(change.item.key);
      partial.push({ type: 'put', item: arrived(change.item), previous, revision });
    } else {
      const previous = timeline.get(change.key);
      if (previous !== undefined) partial.push({ type: 'remove', key: change.key, previous, revision });
    }
    if (change.more === true) return;
    const changes = partial;
    partial = [];
    publish(changes, revision);
  }

  /** Decodes without keeping the event loop. */
  async function decodeAll(items: readonly Item<Uint8Array>[]): Promise<Item<V>[]> {
    const found: Item<V>[] = [];
    let since = performance.now();
    for (const item of items) {
      found.push(arrived(item));
      if (performance.now() - since < decodeSliceMs) continue;
      await new Promise(resolve => setImmediate(resolve));
      since = performance.now();
    }
    return found;
  }

  function begin(items: readonly Item<V>[], start: Revision): void {
    const map = new KeyMap<Item<V>>();
    indexes = createIndexes(options.indexes ?? {});
    for (const item of items) {
      map.set(item.key, item);
      if (undecodable(item) === undefined) indexes.add(item);
    }
    timeline = new Timeline<V>(
      {
        start,
        windowMs: options.historyWindowMs ?? 75_000,
        windowBytes: options.historyBytes ?? 64 * mebibyte,
        keep: keptChanges,
        now: () => clock.now(),
        sizeOf: value => (undecodable({ value } as Item<V>) === undefined ? (options.sizeOf?.(value) ?? 1024) : 0),
        outgoing,
      },
      map,
    );
    announceReady();
    moved();
  }

  /** Tells what is different now, as changes: the last one of each key, then the removals, at the revision of the listing. */
  function difference(held: Timeline<V>, items: readonly Item<V>[], revision: Revision): KeyChange<V>[] {
    const keys = new Set<string>();
    const changes: KeyChange<V>[] = [];
    for (const item of items) {
      keys.add(item.key);
      const previous = held.get(item.key);
      if (previous?.revision !== item.revision) changes.push({ type: 'put', item, previous, revision: item.revision });
    }
    changes.sort((a, b) => a.revision - b.revision);
    for (const previous of held.items().values()) {
      if (!keys.has(previous.key)) changes.push({ type: 'remove', key: previous.key, previous, revision });
    }
    return changes;
  }

  async function replace(listed: readonly Item<Uint8Array>[], revision: Revision): Promise<void> {
    partial = [];
    const items = await decodeAll(listed);
    decoder.forget();
    if (stopping.signal.aborted) return;
    if (timeline !== undefined && revision >= timeline.revision) {
      return publishSum(difference(timeline, items, revision), revision);
    }
    // A store that went back was restored from a copy: what was seen of it is not its past any more.
    const old = timeline;
    begin(items, revision);
    old?.end(new StorageError('compacted', 'the store was replaced by an older state', { revision }));
  }

  async function tick(): Promise<void> {
    while (!stopping.signal.aborted) {
      await clock.sleep(options.progressMs ?? 10_000, stopping.signal);
      if (timeline === undefined || stopping.signal.aborted) continue;
      timeline.trim();
      progressDue = true;
      if (!backend.requestProgress(prefix)) moved();
    }
  }

  // ------------------------------------------------------------------------------------------------ reading

  const initializing = (): StorageError => new StorageError('unavailable', 'storage is (re)initializing');

  async function held(): Promise<Timeline<V>> {
    if (timeline === undefined) {
      if (stopping.signal.aborted) throw new StorageError('unavailable', 'the watch cache is closed');
      await freshness.reach(noRevision);
    }
    if (timeline === undefined) throw initializing();
    return timeline;
  }

  const sound = (item: Item<V> | undefined): Item<V> | undefined => (item === undefined ? undefined : decoded(item));

  function soundPage(page: Page<V>): Page<V> {
    if (damaged) for (const item of page.items) decoded(item);
    return page;
  }

  function select(view: View<V> | Timeline<V>, below: string, range: CacheRangeOptions): Page<V> {
    const { index } = range;
    if (index === undefined) return soundPage(view.range(below, range));
    if (view === timeline) return indexes.find(index.name, index.word, view.revision, below, range);
    return filtered(view.range(below, range.start === undefined ? {} : { start: range.start }), range);
  }

  function filtered(page: Page<V>, { index, limit = 0 }: CacheRangeOptions): Page<V> {
    const items = soundPage(page).items.filter(
      item => index === undefined || indexes.matches(index.name, index.word, item.value),
    );
    const taken = limit > 0 ? items.slice(0, limit) : items;
    return { items: taken, revision: page.revision, remaining: items.length - taken.length };
  }

  async function fromStore(below: string, range: CacheRangeOptions): Promise<Page<V>> {
    const { index, limit, ...rest } = range;
    const unlimited = index !== undefined || limit === undefined ? rest : { ...rest, limit };
    const page = await backend.range(below, unlimited satisfies RangeOptions);
    const items = page.items.map(item => decoder.read(item));
    return index === undefined ? { ...page, items } : filtered({ ...page, items }, range);
  }

  async function rangeAt(below: string, range: CacheRangeOptions, at: Revision): Promise<Page<V>> {
    const current = await held();
    if (at > current.revision && (await freshness.reach(at)) === 'store') return fromStore(below, range);
    if (timeline?.holds(at) !== true) return fromStore(below, range);
    return select(at === timeline.revision ? timeline : timeline.viewAt(at), below, range);
  }

  async function range(below: string, options: CacheRangeOptions = {}): Promise<Page<V>> {
    if (options.at !== undefined) return rangeAt(below, options, options.at);
    const { notBefore } = options;
    if (notBefore === undefined) {
      if (timeline === undefined) return fromStore(below, options);
      if (!(await isCurrent(timeline))) return fromStore(below, options);
    } else {
      const current = await held();
      if (notBefore > current.revision && (await freshness.reach(notBefore)) === 'store')
        return fromStore(below, options);
    }
    return select(await held(), below, options);
  }

  /** Whether the cache holds the newest committed state, if need be after waiting for it. */
  async function isCurrent(seen: Timeline<V>): Promise<boolean> {
    const before = seen.revision;
    const target = await backend.revision();
    if (target < before) {
      // Seen before it was asked, and yet beyond what it answered: not the same store any more.
      restart.abort();
      return false;
    }
    return (await freshness.reach(target)) === 'cache';
  }

  async function get(key: string, { notBefore }: { readonly notBefore?: Revision } = {}): Promise<Item<V> | undefined> {
    if (notBefore !== undefined) {
      const current = await held();
      if (notBefore <= current.revision || (await freshness.reach(notBefore)) === 'cache')
        return sound(timeline?.get(key));
    }
    // One round trip either way: asking for the item costs no more than asking for the revision.
    const item = await backend.get(key, notBefore === undefined ? {} : { notBefore });
    return item === undefined ? undefined : decoder.read(item);
  }

  // ------------------------------------------------------------------------------------------------ writing

  async function put(key: string, expect: Revision | 'absent', value: V, how?: PutOptions): Promise<Outcome<V>> {
    const bytes = codec.encode(value);
    const writing = decoder.writing(key, value, bytes);
    let written: Revision | undefined;
    try {
      const outcome = await backend.put(key, expect, bytes, how);
      if (outcome.type === 'conflict') return conflict(outcome.current);
      written = outcome.revision;
    } finally {
      if (written === undefined) writing.finish();
    }
    const item = writing.finish(written);
    if (item === undefined) throw new Error('a finished write has no item');
    return { type: 'done', item: decoded(item), revision: written };
  }

  function conflict(current: Item<Uint8Array> | undefined): Outcome<V> {
    return { type: 'conflict', current: current === undefined ? undefined : decoder.read(current) };
  }

  async function remove(key: string, expect: Revision): Promise<Outcome<V>> {
    const standing = timeline?.get(key);
    const outcome = await backend.remove(key, expect);
    if (outcome.type === 'conflict') return conflict(outcome.current);
    const { revision } = outcome;
    const removed =
      standing?.revision === expect
        ? decoded(standing)
        : decoder.read({ key, value: outcome.item.value, revision: expect });
    return { type: 'done', item: { key, value: removed.value, revision }, revision };
  }

  // ------------------------------------------------------------------------------------------------ watching

  async function* lateWatch(
    below: string,
    from: Revision,
    signal: AbortSignal,
    how: CacheWatchOptions | undefined,
  ): AsyncGenerator<Change<V>> {
    yield* (await held()).watch(below, from, signal, how);
  }

  let restart = new AbortController();
  /** Runs the feed; anew when the store turns out to be another one. */
  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      restart = new AbortController();
      const first = { fresh: timeline === undefined };
      await feed({
        backend,
        prefix,
        clock,
        log,
        signal: AbortSignal.any([stopping.signal, restart.signal]),
        sink: {
          async replace(items, revision) {
            await replace(items, revision);
            first.fresh = true;
          },
          apply,
          get revision() {
            return first.fresh ? timeline?.revision : undefined;
          },
        },
      });
    }
  }

  const running = [run(), tick()];

  return {
    ready,
    get seen() {
      return timeline?.revision ?? noRevision;
    },
    peek: key => sound(timeline?.get(key)),
    snapshot() {
      if (timeline === undefined) throw initializing();
      const view = timeline.view();
      return damaged
        ? { ...view, get: key => sound(view.get(key)), range: (p, o) => soundPage(view.range(p, o)) }
        : view;
    },
    get,
    range,
    put,
    remove,
    watch: (below, from, signal, how) =>
      timeline === undefined ? lateWatch(below, from, signal, how) : timeline.watch(below, from, signal, how),
    revision: () => backend.revision(),
    async close() {
      stopping.abort();
      timeline?.end();
      await Promise.all(running);
    },
  };
}
