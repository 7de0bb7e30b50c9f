import { StorageError } from '../error.js';
import type { Change, Item, Page, Revision } from '../interface.js';
import type { WatchStream } from '../watch-stream.js';
import type { Outgoing } from './log-stream.js';
import { History, type HistoryOptions, type KeyChange } from './history.js';
import { KeyMap } from './key-map.js';
import { type View, type ViewRange, pageOf, viewOf } from './view.js';
import { type WatchOptions, Watchers } from './watchers.js';

interface EventLogOptions<V> extends HistoryOptions {
  /** The revision before the first change. */
  readonly start: Revision;
  readonly now: () => number;
  /** Returns the bytes that the item's value takes in memory. */
  readonly sizeOf: (item: Item<V>) => number;
  /** Called for each item that another one has replaced; it may make the item smaller. */
  readonly replaced?: (item: Item<V>, newer: Item<V>) => void;
  readonly outgoing?: Outgoing<V>;
}

/** Milliseconds between two searches for watchers that fell behind. */
const sweepEveryMs = 1000;
/** Past states that are kept for the following pages of a list. */
const keptViews = 8;

/**
 * The state of a key range in memory, with its recent history and its watchers. Synchronous: the changes of one `publish` become visible to
 * readers and watchers at the same moment.
 */
export class EventLog<V> {
  readonly #items: KeyMap<Item<V>>;
  readonly #history: History<V>;
  readonly #watchers: Watchers<V>;
  readonly #now: () => number;
  readonly #sizeOf: (item: Item<V>) => number;
  readonly #replaced: (item: Item<V>, newer: Item<V>) => void;
  #valueBytes = 0;
  #revision: Revision;
  #sweptAt = 0;
  /** Revisions strictly between two listings, of which only the difference is known. */
  #gaps: { readonly after: Revision; readonly before: Revision }[] = [];
  #views: View<V>[] = [];

  constructor(options: EventLogOptions<V>, items = new KeyMap<Item<V>>()) {
    this.#items = items;
    this.#now = options.now;
    this.#sizeOf = options.sizeOf;
    this.#replaced = options.replaced ?? (() => undefined);
    for (const item of items.values()) this.#valueBytes += options.sizeOf(item);
    this.#revision = options.start;
    this.#history = new History<V>(options.start, options, options.sizeOf);
    this.#history.mark(options.start, options.now(), items);
    this.#watchers = new Watchers(this.#history, () => this.#revision, options.outgoing);
  }

  get revision(): Revision {
    return this.#revision;
  }

  /** Changes after this revision can be watched. */
  get floor(): Revision {
    return this.#history.floor;
  }

  get size(): number {
    return this.#items.size;
  }

  /** Bytes of the current values, without their keys. */
  get valueBytes(): number {
    return this.#valueBytes;
  }

  get historyBytes(): number {
    return this.#history.bytes;
  }

  get watcherCount(): number {
    return this.#watchers.count;
  }

  get(key: string): Item<V> | undefined {
    return this.#items.get(key);
  }

  range(prefix: string, options?: ViewRange): Page<V> {
    return pageOf(this.#items, this.#revision, prefix, options);
  }

  /** Returns a clone of the current state. */
  items(): KeyMap<Item<V>> {
    return this.#items.clone();
  }

  /** Returns the current state as a view that later changes do not affect. */
  view(): View<V> {
    return viewOf(this.items(), this.#revision);
  }

  /** Returns whether `viewAt` has this revision. */
  holds(revision: Revision): boolean {
    if (revision === this.#revision) return true;
    if (this.#gaps.some(gap => revision > gap.after && revision < gap.before)) return false;
    return (
      revision < this.#revision && revision >= this.#history.floor && revision >= this.#history.expired(this.#now())
    );
  }

  /** Returns the state at exactly this revision. Throws 'future' or 'compacted'. */
  viewAt(revision: Revision): View<V> {
    if (revision > this.#revision) {
      throw new StorageError('future', `revision ${revision} is not reached yet`, { revision: this.#revision });
    }
    if (!this.holds(revision)) {
      throw new StorageError('compacted', `revision ${revision} is forgotten`, { revision: this.#history.floor });
    }
    const kept = this.#views.find(view => view.revision === revision);
    if (kept !== undefined) return kept;
    const made = viewOf(this.#history.stateAt(revision, this.#items), revision);
    this.#views = [made, ...this.#views.slice(0, keptViews - 1)];
    return made;
  }

  /** Publishes the changes of one step, after which `revision` is the newest one. hot: every write. */
  publish(changes: readonly KeyChange<V>[], revision: Revision, time = this.#now()): void {
    for (const change of changes) {
      const { previous } = change;
      if (previous !== undefined) this.#valueBytes -= this.#sizeOf(previous);
      if (change.type === 'put') {
        this.#items.set(change.item.key, change.item);
        this.#valueBytes += this.#sizeOf(change.item);
        if (previous !== undefined) this.#replaced(previous, change.item);
      } else this.#items.delete(change.key);
      this.#watchers.add(this.#history.append(change));
    }
    this.#revision = revision;
    this.#history.mark(revision, time, this.#items);
    this.#watchers.publish();
    this.#tidy(time);
  }

  /** Publishes the difference between two listings as changes; the states in between stay unknown. */
  publishSum(changes: readonly KeyChange<V>[], revision: Revision): void {
    this.#gaps = this.#gaps.filter(gap => gap.before > this.#history.floor);
    this.#gaps.push({ after: this.#revision, before: revision });
    this.publish(changes, revision);
  }

  /** Reports that nothing changed up to this revision. */
  advance(revision: Revision): void {
    if (revision <= this.#revision) return;
    this.#revision = revision;
    this.#history.mark(revision, this.#now(), this.#items);
  }

  /** Drops changes that are older than the window; `publish` does so, too. */
  trim(): void {
    const now = this.#now();
    this.#history.mark(this.#revision, now, this.#items);
    this.#tidy(now);
  }

  #tidy(now: number): void {
    this.#history.trim(now);
    if (now - this.#sweptAt < sweepEveryMs) return;
    this.#sweptAt = now;
    this.#watchers.endStale();
    this.#views = this.#views.filter(view => this.holds(view.revision));
  }

  compact(upTo: Revision): void {
    this.#history.compact(upTo);
    this.#watchers.endStale();
    this.#views = this.#views.filter(view => view.revision >= upTo);
  }

  watch(prefix: string, from: Revision, signal: AbortSignal, options?: WatchOptions): WatchStream<Change<V>> {
    return this.#watchers.watch(prefix, from, signal, options);
  }

  requestProgress(prefix: string): void {
    this.#watchers.requestProgress(prefix);
  }

  requestAllProgress(): void {
    this.#watchers.requestAllProgress();
  }

  /** Ends all watches: with an error, or cleanly. */
  end(error?: StorageError): void {
    this.#watchers.end(error);
  }
}
