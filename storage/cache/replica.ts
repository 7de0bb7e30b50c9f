import type { Maybe } from '../../lib/maybe.js';
import type { Clock } from '../../lib/clock.js';
import { StorageError } from '../error.js';
import type { Change, Codec, Item, Page, Revision } from '../interface.js';
import type { Log } from '../log.js';
import { noRevision } from '../revision.js';
import type { KeyChange } from '../event-log/history.js';
import { KeyMap } from '../event-log/key-map.js';
import { changedKey } from '../event-log/changed-key.js';
import { EventLog } from '../event-log/event-log.js';
import type { View } from '../event-log/view.js';
import { Decoder, decoded, outgoing, undecodable } from './decoder.js';
import type { FeedTarget } from './feed.js';
import { type CacheCounters, countStoreList } from './counters.js';
import { Indexes } from './indexes.js';
import type { CacheOptions, CacheRangeOptions } from './interface.js';

interface ReplicaOptions<V, D> extends CacheOptions<V> {
  readonly codec: Codec<V, D>;
  readonly clock: Clock;
  readonly log: Log;
  readonly counters: CacheCounters;
  /** Called whenever the replica holds more than before. */
  readonly onAdvanced: () => void;
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

/** The contents of a cache, filled and updated as the target of a feed. */
export class Replica<V, D> implements FeedTarget {
  readonly decoder: Decoder<V, D>;
  readonly #options: ReplicaOptions<V, D>;
  readonly #counters: CacheCounters;
  #eventLog: EventLog<V> | undefined;
  #indexes: Indexes<V>;
  /** The changes of a revision whose last one has not arrived. */
  #partial: KeyChange<V>[] = [];
  /** Set once a value could not be decoded; answers are then checked for such values. */
  #isDamaged = false;
  /** Set when the next move is to send watches a progress change. */
  #isProgressDue = false;

  constructor(options: ReplicaOptions<V, D>) {
    this.#options = options;
    this.#counters = options.counters;
    this.#indexes = this.#createIndexes();
    this.decoder = new Decoder(options.codec, {
      get: key => this.#eventLog?.get(key),
      seen: () => this.#eventLog?.revision ?? noRevision,
    });
  }

  /** The event log. Undefined before it is filled for the first time. A store that went back in time gets a new one. */
  get eventLog(): EventLog<V> | undefined {
    return this.#eventLog;
  }

  get revision(): Revision | undefined {
    return this.#eventLog?.revision;
  }

  async replace(listed: readonly Item<Uint8Array>[], revision: Revision): Promise<void> {
    this.#partial = [];
    this.#counters.filled++;
    countStoreList(this.#counters, listed.length, listed.length);
    const items = await this.#decodeAll(listed);
    this.decoder.forget();
    const old = this.#eventLog;
    if (old !== undefined && revision >= old.revision) {
      const changes = difference(old, items, revision);
      for (const change of changes) {
        const preparing = this.prepared(change);
        if (preparing) await preparing;
      }
      for (const change of changes) this.#index(change);
      this.#counters.dispatched += changes.length;
      old.publishSum(changes, revision);
    } else {
      this.#begin(items, revision);
      // The store was restored from a backup: what was seen of it before is not its history any more.
      old?.end(new StorageError('compacted', 'the store was replaced by an older state', { revision }));
    }
    this.#advanced();
  }

  /** hot: once per change below the prefix. Large values are prepared first, since watchers read them at once. */
  apply(change: Change<Uint8Array>): Maybe<void> {
    const eventLog = this.#eventLog;
    if (eventLog === undefined || change.revision <= eventLog.revision) return;
    if (change.type === 'progress') return this.advance(change.revision);
    this.#counters.received++;
    const arrived = change.type === 'put' ? this.#arrived(change.item) : undefined;
    const preparing = this.#prepared(arrived, eventLog.get(changedKey(change)));
    return preparing
      ? preparing.then(() => this.#publish(eventLog, change, arrived))
      : this.#publish(eventLog, change, arrived);
  }

  /** Prepares the values of a past change. Returns undefined if none has to be prepared. */
  prepared(change: KeyChange<V>): Promise<unknown> | undefined {
    return this.#prepared(change.type === 'put' ? change.item : undefined, change.previous);
  }

  /**
   * Prepares the values of items, and resolves when all are prepared or have failed: a value that cannot be prepared throws its error when it is read.
   * Returns undefined if no value has to be prepared.
   */
  #prepared(...items: readonly (Item<V> | undefined)[]): Promise<unknown> | undefined {
    const { codec } = this.#options;
    if (!codec.prepare) return undefined;
    const works: Promise<void>[] = [];
    for (const item of items) {
      const work = item && undecodable(item) === undefined ? codec.prepare(item.value) : undefined;
      if (work) works.push(work);
    }
    return works.length > 0 ? Promise.allSettled(works) : undefined;
  }

  /** Publishes a change with the item that has arrived; undefined for a removal. */
  #publish(eventLog: EventLog<V>, change: KeyChange<Uint8Array>, arrived: Item<V> | undefined): void {
    const { revision } = change;
    const key = changedKey(change);
    if (arrived) this.decoder.held(key, revision);
    const [first] = this.#partial;
    // A watch that broke off within a revision repeats that revision from its start.
    if (first !== undefined && (first.revision !== revision || changedKey(first) === key)) this.#partial = [];
    const previous = eventLog.get(key);
    if (arrived) this.#partial.push({ type: 'put', item: arrived, previous, revision });
    else if (previous !== undefined) this.#partial.push({ type: 'remove', key, previous, revision });
    if (change.more === true) return;
    const changes = this.#partial;
    this.#partial = [];
    for (const one of changes) this.#index(one);
    this.#counters.dispatched += changes.length;
    eventLog.publish(changes, revision);
    this.#advanced();
  }

  /** Reports that nothing happened up to this revision. */
  advance(revision: Revision): void {
    this.#eventLog?.advance(revision);
    this.#advanced();
  }

  /** Sends watches a progress change with the next move of the replica. */
  announceProgress(): void {
    this.#isProgressDue = true;
  }

  /** Returns items of the current state, or of a past one. Throws 'corrupt' when one of them could not be decoded. */
  select(from: View<V> | EventLog<V>, prefix: string, range: CacheRangeOptions): Page<V> {
    const { index: by } = range;
    if (by === undefined) return this.#soundPage(from.range(prefix, range));
    if (from === this.#eventLog) return this.#indexes.find(by, from.revision, prefix, range);
    return this.filter(from.range(prefix, range.start === undefined ? {} : { start: range.start }), range);
  }

  /** Returns the items of a page that the index has under the requested word, up to the limit. */
  filter(page: Page<V>, { index: by, limit = 0 }: CacheRangeOptions): Page<V> {
    const items = this.#soundPage(page).items.filter(item => by === undefined || this.#indexes.matches(by, item.value));
    const taken = limit > 0 ? items.slice(0, limit) : items;
    return { items: taken, revision: page.revision, remaining: items.length - taken.length };
  }

  #advanced(): void {
    this.#options.onAdvanced();
    if (!this.#isProgressDue) return;
    this.#isProgressDue = false;
    this.#eventLog?.requestAllProgress();
  }

  #createIndexes(): Indexes<V> {
    return new Indexes(this.#options.indexes ?? {}, () => {
      const items = [...(this.#eventLog?.items().values() ?? [])];
      return this.#isDamaged ? items.filter(item => undecodable(item) === undefined) : items;
    });
  }

  #arrived(item: Item<Uint8Array>): Item<V> {
    const found = this.decoder.arrived(item);
    const error = undecodable(found);
    if (error !== undefined) {
      this.#isDamaged = true;
      this.#options.log.error({ key: item.key, err: error }, 'a stored value cannot be decoded');
    }
    return found;
  }

  #index(change: KeyChange<V>): void {
    const sound = outgoing(change);
    if (!(sound instanceof StorageError)) return this.#indexes.apply(sound);
    const { previous, revision } = change;
    if (previous === undefined || undecodable(previous) !== undefined) return;
    this.#indexes.apply({ type: 'remove', key: previous.key, previous, revision });
  }

  /** Decodes in slices, so that the event loop is not held. */
  async #decodeAll(items: readonly Item<Uint8Array>[]): Promise<Item<V>[]> {
    const found: Item<V>[] = [];
    let since = performance.now();
    for (const item of items) {
      found.push(this.#arrived(item));
      if (performance.now() - since < decodeSliceMs) continue;
      await new Promise(resolve => setImmediate(resolve));
      since = performance.now();
    }
    return found;
  }

  /** Begins a new event log with these items. */
  #begin(items: readonly Item<V>[], start: Revision): void {
    const map = new KeyMap<Item<V>>();
    this.#indexes = this.#createIndexes();
    for (const item of items) map.set(item.key, item);
    const { clock, historyWindowMs = 75_000, historyBytes = 64 * mebibyte } = this.#options;
    const { sizeOf = () => 1024, replaced } = this.#options;
    this.#eventLog = new EventLog<V>(
      {
        start,
        windowMs: historyWindowMs,
        windowBytes: historyBytes,
        keep: keptChanges,
        now: () => clock.now(),
        sizeOf: item => (undecodable(item) === undefined ? sizeOf(item.value) : 0),
        replaced(previous, newer) {
          // Undecodable values are left as they are.
          if ((undecodable(previous) ?? undecodable(newer)) === undefined) replaced?.(previous.value, newer.value);
        },
        outgoing,
        onSlow: () => this.#counters.tooSlow++,
      },
      map,
    );
  }

  #soundPage(page: Page<V>): Page<V> {
    if (this.#isDamaged) for (const item of page.items) decoded(item);
    return page;
  }
}
