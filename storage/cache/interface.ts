/**
 * The watch cache: all items below one prefix of a backend, decoded once, held in memory and updated by one watch. It is a Store around a Store
 * that also offers reads without waiting, indexes, and watches that cost nothing while no change concerns them.
 */
import type { Clock } from '../../lib/clock.js';
import type { Change, Item, Page, RangeOptions, Revision, Store } from '../interface.js';
import type { WatchStream } from '../watch-stream.js';
import type { Log } from '../log.js';
import type { View } from '../event-log/view.js';
import type { CacheCounters } from './counters.js';

export type { View } from '../event-log/view.js';

/** Returns the words under which a value is indexed. Pure: the answer for a value never changes. */
export type IndexFunction<V> = (value: V) => readonly string[];

export interface CacheOptions<V> {
  readonly log?: Log;
  readonly clock?: Clock;
  /** Index functions by name. An index is built when it is first used. */
  readonly indexes?: Readonly<Record<string, IndexFunction<V>>>;
  /** Returns the bytes that a value takes in memory. Absent: every value counts as 1 KiB. */
  readonly sizeOf?: (value: V) => number;
  /** Called for every value that another one has replaced: only the history uses it from then on, so it may be held in a smaller form. */
  readonly replaced?: (value: V, newer: V) => void;
  /** How long changes can be watched again and past states can be read from memory: 75 s by default, as in kube-apiserver. */
  readonly historyWindowMs?: number;
  /** How much memory the history may take: 64 MiB by default. */
  readonly historyBytes?: number;
  /** How often idle watches get a progress change: every 10 s by default. */
  readonly progressMs?: number;
  /** How long a read waits for a revision: 3 s by default, as in kube-apiserver. */
  readonly freshnessTimeoutMs?: number;
  /** Called with the seconds that a read waited until the cache had seen the revision it needs. */
  readonly waited?: (seconds: number) => void;
}

/** The name of an index, and a word in it. */
export interface IndexedWord {
  readonly name: string;
  readonly word: string;
}

export interface CacheRangeOptions extends RangeOptions {
  /** Only items that the index has under this word. The cost grows with the answer, not with the prefix. */
  readonly index?: IndexedWord;
}

export interface CacheWatchOptions {
  /** Only changes of exactly this key. */
  readonly key?: string;
  /**
   * Called with a function that requests a progress change, which is delivered after all changes before it, even when nothing happened since.
   * Without this option every watch gets progress every `progressMs`; with it, only on request.
   */
  readonly asked?: (ask: () => void) => void;
}

/** A page and where it came from. */
export interface CachePage<V> extends Page<V> {
  /** The store answered, since memory could not. */
  readonly fromStore?: boolean;
}

/**
 * Reads and writes are those of a Store. A value that cannot be decoded makes what would show it (get, range, watch) throw StorageError
 * 'corrupt' with the key in its message; other keys are not affected. While the cache fills, reads that need it wait as long as for a revision,
 * then throw 'initializing'.
 */
export interface Cache<V, D = V> extends Store<V, D> {
  /** Resolves when the cache holds the whole prefix for the first time. */
  readonly ready: Promise<void>;
  /** The newest revision that the cache has seen; 0 before it is ready. */
  readonly seen: Revision;
  /** Number of items in the cache; 0 before it is ready. */
  readonly size: number;
  readonly counters: CacheCounters;
  /** Returns the newest known item: from the cache, or read or written through it. It may be behind the store. */
  getCached(key: string): Item<V> | undefined;
  /** Returns the items below a prefix that the cache holds now, by key. Undefined before it is ready. */
  rangeCached(prefix: string): readonly Item<V>[] | undefined;
  /**
   * Returns everything that the cache holds now, as a view that later changes do not affect. Throws 'initializing' before the cache is ready.
   */
  snapshot(): View<V>;
  range(prefix: string, options?: CacheRangeOptions): Promise<CachePage<V>>;
  /** A prefix that ends with a slash, or a key, costs nothing while no change concerns it. */
  watch(prefix: string, from: Revision, signal: AbortSignal, options?: CacheWatchOptions): WatchStream<Change<V>>;
  /** Ends the watches and the cache's own work; the backend stays open. */
  close(): Promise<void>;
}
