/**
 * The recent changes of one resource of one member. It is written by the member's informer, and read by any number of watchers, each with
 * its own cursor.
 *
 *   start          first                        end
 *     |  (gone)      | change  change  change    |        a cursor is an index between first and end
 */
import { expired } from '../../apimachinery/errors/status.js';
import type { Cached } from './cached.js';

export interface FeedChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  /** The member's resourceVersion after it. */
  readonly version: string;
  /** undefined for a bookmark. */
  readonly object: Cached | undefined;
  /** The previous state. */
  readonly old: Cached | undefined;
}

export interface Cursor {
  /** Returns the next change; undefined if there is none yet. Throws 410 if it has been dropped. */
  next(): FeedChange | undefined;
  /** True after the feed was restarted or ended. */
  readonly ended: boolean;
}

export interface Feed {
  /** The resourceVersion of the mirror; undefined before its first list. */
  readonly position: string | undefined;
  /** Drops all changes after a new list of the mirror, since those before it are not known. */
  restart(version: string): void;
  /** Appends a change that the mirror already contains. */
  push(change: FeedChange): void;
  /** Reports whether all changes after a version are kept, and whether it is not newer than the mirror. */
  has(version: string): boolean;
  /** Returns a cursor at the first change after a version. Throws 410 if that has been dropped. */
  cursor(version: string): Cursor;
  /** Calls the listener after every push, restart and end. Returns a function to unsubscribe. */
  onChange(listener: () => void): () => void;
  end(): void;
}

/** Maximum number of changes and bytes; beyond either, the older half is dropped. */
const maxChanges = 4096;
const maxBytes = 8 * 1024 * 1024;

/** Reports whether one resourceVersion of a server is older than another. */
export const isOlder = (a: string, b: string): boolean => (a.length === b.length ? a < b : a.length < b.length);

const tooOld = (wanted: string, start: string): Error => expired(`too old resource version: ${wanted} (${start})`);

const sizeOf = ({ object }: FeedChange): number => object?.json.length ?? 0;

class ChangeFeed implements Feed {
  readonly #listeners = new Set<() => void>();
  #changes: FeedChange[] = [];
  /** The number of dropped changes, which is the index of the first one that is left. */
  #first = 0;
  /** The version before the first change. */
  #start: string | undefined;
  #position: string | undefined;
  /** Grows with every restart and at the end: cursors of an earlier epoch have ended. */
  #epoch = 0;
  #bytes = 0;

  get position(): string | undefined {
    return this.#position;
  }

  get epoch(): number {
    return this.#epoch;
  }

  restart(version: string): void {
    this.#first += this.#changes.length;
    this.#clear(version);
  }

  push(change: FeedChange): void {
    this.#changes.push(change);
    this.#position = change.version;
    this.#bytes += sizeOf(change);
    if (this.#changes.length > maxChanges || this.#bytes > maxBytes) this.#dropOlderHalf();
    this.#notify();
  }

  has(version: string): boolean {
    if (this.#start === undefined || this.#position === undefined) return false;
    return !isOlder(version, this.#start) && !isOlder(this.#position, version);
  }

  cursor(version: string): Cursor {
    if (this.#start === undefined || isOlder(version, this.#start)) throw tooOld(version, this.#start ?? '');
    const after = this.#changes.findIndex(change => isOlder(version, change.version));
    return new FeedCursor(this, version, this.#first + (after < 0 ? this.#changes.length : after));
  }

  /** Returns the change at an index; undefined if there is none yet. Throws 410 if it has been dropped. `version`: where the reader began. */
  changeAt(index: number, version: string): FeedChange | undefined {
    if (index < this.#first) throw tooOld(version, this.#start ?? '');
    return this.#changes[index - this.#first];
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  end(): void {
    this.#clear(undefined);
  }

  #clear(version: string | undefined): void {
    this.#changes = [];
    this.#bytes = 0;
    this.#start = this.#position = version;
    this.#epoch++;
    this.#notify();
  }

  #dropOlderHalf(): void {
    const count = Math.ceil(this.#changes.length / 2);
    this.#start = this.#changes[count - 1]?.version ?? this.#start;
    this.#changes = this.#changes.slice(count);
    this.#first += count;
    this.#bytes = this.#changes.reduce((sum, change) => sum + sizeOf(change), 0);
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

class FeedCursor implements Cursor {
  readonly #feed: ChangeFeed;
  readonly #version: string;
  readonly #epoch: number;
  /** The index of the next change. */
  #at: number;

  constructor(feed: ChangeFeed, version: string, at: number) {
    this.#feed = feed;
    this.#version = version;
    this.#epoch = feed.epoch;
    this.#at = at;
  }

  get ended(): boolean {
    return this.#epoch !== this.#feed.epoch;
  }

  next(): FeedChange | undefined {
    if (this.ended) return undefined;
    let change = this.#feed.changeAt(this.#at, this.#version);
    // The reader may begin at a version that the mirror has, but whose change is pushed only now.
    for (; change && !isOlder(this.#version, change.version); change = this.#feed.changeAt(this.#at, this.#version))
      this.#at++;
    if (change) this.#at++;
    return change;
  }
}

/** Returns a feed without changes and readers. */
export const createFeed = (): Feed => new ChangeFeed();
