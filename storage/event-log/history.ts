import type { Change, Item, Revision } from '../interface.js';
import { noRevision } from '../revision.js';
import type { KeyMap } from './key-map.js';
import { changedKey } from './changed-key.js';

/** A change of a key, as opposed to a progress change. */
export type KeyChange<V> = Exclude<Change<V>, { readonly type: 'progress' }>;

/** A change in the log and its place. Places count from the first change ever logged, without gaps. */
export interface Entry<V> {
  readonly change: KeyChange<V>;
  readonly place: number;
  readonly bytes: number;
}

export interface HistoryOptions {
  /** Milliseconds for which a change stays in the log. */
  readonly windowMs: number;
  /** Bytes of the log at most, whatever its age. */
  readonly windowBytes: number;
  /** Bytes for changes older than `freshMs`; absent: as much as for all of them. */
  readonly agedBytes?: number;
  /** Milliseconds. Up to this age changes are limited by `windowBytes` alone. */
  readonly freshMs?: number;
  /** Changes that stay whatever their age, so that a quiet prefix can be watched from long ago. */
  readonly keep?: number;
  /** Called when a watch has fallen behind the log, and ends. */
  readonly onSlow?: () => void;
}

/** Bytes counted for a change besides its key and value. */
const entryBytes = 256;
/** Changes between two copy-on-write clones of the state. A past state is the nearest later clone with the changes since undone. */
const checkpointEvery = 2048;
/** Milliseconds within which two marks are merged. */
const markMs = 1000;

/** Says that at `time` the newest revision was `revision`; the mark was first made at `since`. */
interface Mark {
  readonly since: number;
  readonly time: number;
  readonly revision: Revision;
}

/**
 * The recent history: changes in order, and the times at which revisions were reached.
 *
 *     entries    [ 7 8 9 | 12 13 | 17 ]      floor 6: every change after revision 6 is here
 *     states                9      13        clones after revisions 9 and 13 (checkpoints)
 *     marks      (t1, 8) (t2, 13)            at time t1 the newest revision was 8
 */
export class History<V> {
  readonly #options: Required<HistoryOptions>;
  readonly #sizeOf: (item: Item<V>) => number;
  #entries: (Entry<V> | undefined)[] = [];
  /** The index of the oldest entry; dropped entries before it are cut off in batches. */
  #first = 0;
  #places = 0;
  #bytes = 0;
  #floor: Revision;
  #checkpoints: { readonly revision: Revision; readonly items: KeyMap<Item<V>> }[] = [];
  #sinceCheckpoint = 0;
  #marks: Mark[] = [];

  constructor(start: Revision, options: HistoryOptions, sizeOf: (item: Item<V>) => number) {
    this.#floor = start;
    const { windowBytes, windowMs } = options;
    this.#options = { keep: 0, onSlow: () => undefined, agedBytes: windowBytes, freshMs: windowMs, ...options };
    this.#sizeOf = sizeOf;
  }

  /** Every change after this revision is in the log. */
  get floor(): Revision {
    return this.#floor;
  }

  /** The place of the oldest change in the log. */
  get firstPlace(): number {
    return this.#places - (this.#entries.length - this.#first);
  }

  /** The place of the next change. */
  get nextPlace(): number {
    return this.#places;
  }

  /** Reports that a watch needs a change that is no longer in the log. */
  countSlow(): void {
    this.#options.onSlow();
  }

  get bytes(): number {
    return this.#bytes;
  }

  entry(place: number): Entry<V> | undefined {
    return this.#entries[this.#first + place - this.firstPlace];
  }

  append(change: KeyChange<V>): Entry<V> {
    const { previous } = change;
    const key = changedKey(change);
    // The log keeps the replaced value alive; the new value is counted when it is replaced in turn.
    const bytes = entryBytes + 2 * key.length + (previous === undefined ? 0 : this.#sizeOf(previous));
    const entry: Entry<V> = { change, place: this.#places++, bytes };
    this.#entries.push(entry);
    this.#bytes += bytes;
    this.#sinceCheckpoint++;
    return entry;
  }

  /** Records that the state `items` is complete at `revision`, which was reached at `time`. */
  mark(revision: Revision, time: number, items: KeyMap<Item<V>>): void {
    if (this.#sinceCheckpoint >= checkpointEvery) {
      this.#checkpoints.push({ revision, items: items.clone() });
      this.#sinceCheckpoint = 0;
    }
    const last = this.#marks.at(-1);
    if (last === undefined || time >= last.since + markMs) {
      if (revision !== last?.revision) this.#marks.push({ since: time, time, revision });
    } else if (time >= last.time) {
      this.#marks[this.#marks.length - 1] = { since: last.since, time, revision };
    }
  }

  /** Returns the newest revision known to be older than the window: states before it may be dropped. */
  expired(now: number): Revision {
    const line = now - this.#options.windowMs;
    let found = -1;
    while (found + 1 < this.#marks.length && (this.#marks[found + 1]?.time ?? Infinity) <= line) found++;
    // The newest of them stays, since later calls compare with it.
    if (found > 0) this.#marks.splice(0, found);
    return found < 0 ? noRevision : (this.#marks[0]?.revision ?? noRevision);
  }

  /** Returns the newest revision known to be older than `freshMs`. */
  #stale(now: number): Revision {
    const line = now - this.#options.freshMs;
    let low = 0;
    let high = this.#marks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#marks[middle]?.time ?? Infinity) <= line) low = middle + 1;
      else high = middle;
    }
    return this.#marks[low - 1]?.revision ?? noRevision;
  }

  /** Drops changes that are older than the window, or too many. */
  trim(now: number): void {
    const old = this.expired(now);
    const { keep, windowBytes, agedBytes } = this.#options;
    const stale = this.#bytes > agedBytes ? this.#stale(now) : noRevision;
    while (this.#first < this.#entries.length) {
      const entry = this.#entries[this.#first];
      if (entry === undefined) break;
      const aged = entry.change.revision <= old && this.#entries.length - this.#first > keep;
      const limit = entry.change.revision <= stale ? agedBytes : windowBytes;
      if (!aged && this.#bytes <= limit) break;
      this.#drop(entry);
    }
    if (keep === 0 && old > this.#floor) this.#floor = old;
    this.#cut();
  }

  /** Drops changes up to and including this revision. */
  compact(upTo: Revision): void {
    for (let entry = this.#entries[this.#first]; entry !== undefined; entry = this.#entries[this.#first]) {
      if (entry.change.revision > upTo) break;
      this.#drop(entry);
    }
    if (upTo > this.#floor) this.#floor = upTo;
    this.#cut();
  }

  #drop(entry: Entry<V>): void {
    this.#entries[this.#first++] = undefined;
    this.#bytes -= entry.bytes;
    if (entry.change.revision > this.#floor) this.#floor = entry.change.revision;
  }

  #cut(): void {
    if (this.#first > 64 && this.#first * 2 > this.#entries.length) {
      this.#entries = this.#entries.slice(this.#first);
      this.#first = 0;
    }
    const live = this.#checkpoints.findIndex(checkpoint => checkpoint.revision >= this.#floor);
    if (live < 0) this.#checkpoints = [];
    else if (live > 0) this.#checkpoints.splice(0, live);
  }

  /** Returns the place of the first change after `revision`, which must not be below the floor. */
  placeAfter(revision: Revision): number {
    let low = this.#first;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#entries[middle]?.change.revision ?? 0) > revision) high = middle;
      else low = middle + 1;
    }
    return this.firstPlace + low - this.#first;
  }

  /** Returns the state at `revision` (>= floor): a clone of the nearest later state with the changes since undone. */
  stateAt(revision: Revision, current: KeyMap<Item<V>>): KeyMap<Item<V>> {
    const checkpoint = this.#checkpoints.find(c => c.revision >= revision);
    const items = (checkpoint?.items ?? current).clone();
    const end = checkpoint === undefined ? this.#places : this.placeAfter(checkpoint.revision);
    for (let place = end - 1, from = this.placeAfter(revision); place >= from; place--) {
      const change = this.entry(place)?.change;
      if (change === undefined) throw new Error(`history has no change at place ${place}`);
      const key = changedKey(change);
      if (change.previous === undefined) items.delete(key);
      else items.set(key, change.previous);
    }
    return items;
  }
}
