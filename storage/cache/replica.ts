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

/** What a cache holds of its prefix. Filled and kept up as the sink of a feed. */
export interface Replica<V> extends Sink {
  /** Undefined before it is filled for the first time. A store that went back in time gets a new one. */
  readonly timeline: EventLog<V> | undefined;
  readonly decoder: Decoder<V>;
  /** Items of the current state, or of a past one. Throws 'corrupt' when one of them could not be decoded. */
  select(from: View<V> | EventLog<V>, prefix: string, range: CacheRangeOptions): Page<V>;
  /** What belongs to the index's word among all items of a page, up to the limit. */
  filter(page: Page<V>, range: CacheRangeOptions): Page<V>;
  /** It is known that nothing happened up to this revision. */
  advance(revision: Revision): void;
  /** Watches learn how far the replica is, once it has moved. */
  announceProgress(): void;
}

export interface ReplicaOptions<V> extends CacheOptions<V> {
  readonly codec: Codec<V>;
  readonly clock: Clock;
  readonly log: Log;
  readonly figures: CacheFigures;
  /** Called whenever it holds more than before. */
  readonly moved: () => void;
}

const mebibyte = 1 << 20;
/** So long may decoding keep the event loop to itself while the cache fills. */
const decodeSliceMs = 5;
/** So many changes can be watched again whatever their age, so that watches of a quiet resource resume; as many as kube-apiserver keeps at least. */
const keptChanges = 100;

/** The last change of each key and the removals between two listings. When a removal happened is not known: at the latest now. */
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
  /** The first changes of a revision whose last one has not arrived. */
  let partial: KeyChange<V>[] = [];
  /** Once a value could not be decoded, answers are looked through for such. */
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

  /** What cannot be decoded stays as it is. */
  function replaced(previous: Item<V>, newer: Item<V>): void {
    if ((undecodable(previous) ?? undecodable(newer)) === undefined) options.replaced?.(previous.value, newer.value);
  }

  function moved(): void {
    options.moved();
    if (!progressDue) return;
    progressDue = false;
    timeline?.requestAllProgress();
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
        // Restored from a copy: what was seen of it before is not its past any more.
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
      // A watch that broke off inside of a revision tells it again from its start.
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
