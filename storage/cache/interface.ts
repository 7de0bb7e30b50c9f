/**
 * The watch cache: all items below one prefix of a backend, decoded once, held in memory and kept up by one watch. A Store around a Store,
 * and what a server needs besides: reads without waiting, indexes, and watches that cost nothing while nothing concerns them.
 */
import type { Clock } from '../../lib/clock.js';
import type { Change, Cursor, Item, Page, RangeOptions, Revision, Store } from '../interface.js';
import type { Log } from '../log.js';
import type { View } from '../event-log/view.js';
import type { CacheFigures } from './figures.js';

export type { View } from '../event-log/view.js';

/** Under which words a value can be found. Pure; what it answers for a value must never change. */
export type IndexFunction<V> = (value: V) => readonly string[];

export interface CacheOptions<V> {
  readonly log?: Log;
  readonly clock?: Clock;
  /** Name of an index -> its function. An index is made when it is first asked for. */
  readonly indexes?: Readonly<Record<string, IndexFunction<V>>>;
  /** Bytes that a value keeps in memory. Absent: every value counts as 1 KiB. */
  readonly sizeOf?: (value: V) => number;
  /** Is told of every value that another has replaced: only the past has use for it then, and it may be kept in less memory. */
  readonly replaced?: (value: V, newer: V) => void;
  /** How long changes can be watched again and past states read from memory: 75 s, as kube-apiserver's. */
  readonly historyWindowMs?: number;
  /** How much memory the past may take: 64 MiB. */
  readonly historyBytes?: number;
  /** How often watches learn, by a progress change, that nothing happened: 10 s. */
  readonly progressMs?: number;
  /** How long a read waits for a revision: 3 s, as kube-apiserver's. */
  readonly freshMs?: number;
  /** Is told how many seconds a read waited until the cache had seen the revision that it needs. */
  readonly waited?: (seconds: number) => void;
}

export interface CacheRangeOptions extends RangeOptions {
  /** Only items that the index has under this word; costs the answer, not the prefix. */
  readonly index?: { readonly name: string; readonly word: string };
}

export interface CacheWatchOptions {
  /** Only changes of exactly this key. */
  readonly key?: string;
  /**
   * Is given what asks the watch for a progress change, as soon as all before is told, also when nothing happened since. Without it progress is told
   * to all every `progressMs`; with it only when it is asked for.
   */
  readonly asked?: (ask: () => void) => void;
}

/** A page, and who gave it. */
export interface CachePage<V> extends Page<V> {
  /** Memory did not know. */
  readonly fromStore?: boolean;
}

/**
 * Reads and writes are those of a Store. A value that cannot be decoded makes what would show it (get, range, watch) throw StorageError
 * 'corrupt' with the key in its message; the rest of the cache is not concerned. While the cache fills, reads that need it wait as long as for a
 * revision, then throw 'initializing'.
 */
export interface Cache<V> extends Store<V> {
  /** Resolves when the cache holds the whole prefix for the first time. */
  readonly ready: Promise<void>;
  /** The newest revision that the cache has seen; 0 before it is ready. */
  readonly seen: Revision;
  /** How many items it holds; 0 before it is ready. */
  readonly size: number;
  readonly figures: CacheFigures;
  /** What is known now: what the cache holds, or what was read or written through it; possibly behind the store. */
  peek(key: string): Item<V> | undefined;
  /** The items below a prefix that the cache holds now, by key. Undefined before it is ready. */
  peekAll(prefix: string): readonly Item<V>[] | undefined;
  /** All it holds now; stays as it is while the cache moves on. Throws 'initializing' before it is ready. */
  snapshot(): View<V>;
  range(prefix: string, options?: CacheRangeOptions): Promise<CachePage<V>>;
  /** A prefix that ends with a slash, or a key, costs nothing while no change concerns it. */
  watch(prefix: string, from: Revision, signal: AbortSignal, options?: CacheWatchOptions): Cursor<Change<V>>;
  /** Ends watches and the cache's own; the backend stays open. */
  close(): Promise<void>;
}
