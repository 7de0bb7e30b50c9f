import type { Clock } from '../../lib/clock.js';
import { StorageError } from '../error.js';
import type { Change, Codec, Item, Page, Revision } from '../interface.js';
import type { Log } from '../log.js';
import { noRevision } from '../revision.js';
import type { KeyChange } from '../event-log/history.js';
import { KeyMap } from '../event-log/key-map.js';
import { keyOf } from '../event-log/key-of.js';
import { EventLog } from '../event-log/event-log.js';
import type { View } from '../event-log/view.js';
import { type Decoder, createDecoder, decoded, outgoing, undecodable } from './decoder.js';
import type { Sink } from './feed.js';
import { type CacheFigures, countStoreList } from './figures.js';
import { type Indexes, createIndexes } from './indexes.js';
import type { CacheOptions, CacheRangeOptions } from './interface.js';

/** The contents of a cache, filled and updated as the sink of a feed. */
export interface Replica<V> extends Sink {
  /** The event log. Undefined before it is filled for the first time. A store that went back in time gets a new one. */
  readonly timeline: EventLog<V> | undefined;
  readonly decoder: Decoder<V>;
  /** Returns items of the current state, or of a past one. Throws 'corrupt' when one of them could not be decoded. */
  select(from: View<V> | EventLog<V>, prefix: string, range: CacheRangeOptions): Page<V>;
  /** Returns the items of a page that the index has under the requested word, up to the limit. */
  filter(page: Page<V>, range: CacheRangeOptions): Page<V>;
  /** Reports that nothing happened up to this revision. */
  advance(revision: Revision): void;
  /** Sends watches a progress change with the next move of the replica. */
  announceProgress(): void;
}

export interface ReplicaOptions<V> extends CacheOptions<V> {
  readonly codec: Codec<V>;
  readonly clock: Clock;
  readonly log: Log;
  readonly figures: CacheFigures;
  /** Called whenever the replica holds more than before. */
  readonly moved: () => void;
}

const mebibyte = 1 << 20;
/** Milliseconds for which decoding may hold the event loop while the cache fills. */
const decodeSliceMs = 5;
/** Changes that are kept whatever their age, so that watches of a quiet resource can resume; the minimum of kube-apiserver. */
const keptChanges = 100;

/**
 * Returns the last change of each key and the removals between two listings. The time of a removal is unknown, so it gets the newest revision.
 */
function difference<V>(held: EventLog<V>, items: readonly Item<V>[], revision: Revision): KeyChange<V>[] {
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

export function createReplica<V>(options: ReplicaOptions<V>): Replica<V> {
  const { clock, log, figures } = options;
  let timeline: EventLog<V> | undefined;
  let indexes = indexed();
  /** The changes of a revision whose last one has not arrived. */
  let partial: KeyChange<V>[] = [];
  /** Set once a value could not be decoded; answers are then checked for such values. */
  let damaged = false;
  let progressDue = false;

  function indexed(): Indexes<V> {
    return createIndexes(options.indexes ?? {}, () => {
      const items = [...(timeline?.items().values() ?? [])];
      return damaged ? items.filter(item => undecodable(item) === undefined) : items;
    });
  }

  const decoder = createDecoder(options.codec, {
    get: key => timeline?.get(key),
    get revision() {
      return timeline?.revision ?? noRevision;
    },
  });

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
    if (!(sound instanceof StorageError)) return indexes.apply(sound);
    const { previous, revision } = change;
    if (previous === undefined || undecodable(previous) !== undefined) return;
    indexes.apply({ type: 'remove', key: previous.key, previous, revision });
  }

  /** Undecodable values are left as they are. */
  function replaced(previous: Item<V>, newer: Item<V>): void {
    if ((undecodable(previous) ?? undecodable(newer)) === undefined) options.replaced?.(previous.value, newer.value);
  }

  function moved(): void {
    options.moved();
    if (!progressDue) return;
    progressDue = false;
    timeline?.requestAllProgress();
  }

  /** Decodes in slices, so that the event loop is not held. */
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
    indexes = indexed();
    for (const item of items) map.set(item.key, item);
    const { historyWindowMs = 75_000, historyBytes = 64 * mebibyte, sizeOf = () => 1024 } = options;
    timeline = new EventLog<V>(
      {
        start,
        windowMs: historyWindowMs,
        windowBytes: historyBytes,
        keep: keptChanges,
        now: () => clock.now(),
        sizeOf: item => (undecodable(item) === undefined ? sizeOf(item.value) : 0),
        replaced,
        outgoing,
        onSlow: () => figures.tooSlow++,
      },
      map,
    );
  }

  function soundPage(page: Page<V>): Page<V> {
    if (damaged) for (const item of page.items) decoded(item);
    return page;
  }

  function filter(page: Page<V>, { index: by, limit = 0 }: CacheRangeOptions): Page<V> {
    const items = soundPage(page).items.filter(
      item => by === undefined || indexes.matches(by.name, by.word, item.value),
    );
    const taken = limit > 0 ? items.slice(0, limit) : items;
    return { items: taken, revision: page.revision, remaining: items.length - taken.length };
  }

  function advance(revision: Revision): void {
    timeline?.advance(revision);
    moved();
  }

  return {
    decoder,
    advance,
    get timeline() {
      return timeline;
    },
    get revision() {
      return timeline?.revision;
    },
    async replace(listed, revision) {
      partial = [];
      figures.filled++;
      countStoreList(figures, listed.length, listed.length);
      const items = await decodeAll(listed);
      decoder.forget();
      const old = timeline;
      if (old !== undefined && revision >= old.revision) {
        const changes = difference(old, items, revision);
        for (const change of changes) index(change);
        figures.dispatched += changes.length;
        old.publishSum(changes, revision);
      } else {
        begin(items, revision);
        // The store was restored from a backup: what was seen of it before is not its history any more.
        old?.end(new StorageError('compacted', 'the store was replaced by an older state', { revision }));
      }
      moved();
    },
    /** hot: once per change below the prefix. */
    apply(change: Change<Uint8Array>) {
      if (timeline === undefined || change.revision <= timeline.revision) return;
      const { revision } = change;
      if (change.type === 'progress') return advance(revision);
      figures.received++;
      const key = keyOf(change);
      const [first] = partial;
      // A watch that broke off within a revision repeats that revision from its start.
      if (first !== undefined && (first.revision !== revision || keyOf(first) === key)) partial = [];
      const previous = timeline.get(key);
      if (change.type === 'put') partial.push({ type: 'put', item: arrived(change.item), previous, revision });
      else if (previous !== undefined) partial.push({ type: 'remove', key, previous, revision });
      if (change.more === true) return;
      const changes = partial;
      partial = [];
      for (const one of changes) index(one);
      figures.dispatched += changes.length;
      timeline.publish(changes, revision);
      moved();
    },
    select(from, prefix, range) {
      const { index: by } = range;
      if (by === undefined) return soundPage(from.range(prefix, range));
      if (from === timeline) return indexes.find(by.name, by.word, from.revision, prefix, range);
      return filter(from.range(prefix, range.start === undefined ? {} : { start: range.start }), range);
    },
    filter,
    announceProgress() {
      progressDue = true;
    },
  };
}
