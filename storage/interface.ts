/**
 * A revisioned key-value store: keys, values, revisions, changes. Backends (`embedded/`, `etcd/`) hold bytes; the watch cache (`cache/`) is a
 * Store around a Store that holds decoded, frozen values. Code above the storage layer cannot tell which one it uses.
 */

declare const revision: unique symbol;
/** A position in the store's history: it grows by one with every committed change. Below 2^53; only storage/ does arithmetic on it. */
export type Revision = number & { readonly [revision]: true };

export interface Item<V> {
  readonly key: string;
  readonly value: V;
  /** The revision of the last change of the key (etcd: mod_revision). */
  readonly revision: Revision;
}

/** An object that can restore, byte for byte, what was stored. */
export interface Restorable {
  restore(): Uint8Array;
}

/** An item as a backend returns it. */
export interface StoredItem extends Item<Uint8Array> {
  /** Lets a backend that holds values in memory drop this value: from now on `holder` restores it, so that it is in memory once. */
  handOver?(holder: Restorable): void;
}

/**
 * The result of a write. Missing keys and lost races are values. Broken disks, sockets and unreachable servers throw StorageError (`error.ts`).
 */
export type Outcome<V> =
  | {
      readonly type: 'done';
      readonly item: Item<V> /** of this write; for a removal the revision of the removal */;
      readonly revision: Revision;
    }
  | { readonly type: 'conflict' /** what is stored instead */; readonly current: Item<V> | undefined };

export interface RangeOptions {
  /** Keys >= this one (a complete key, inside the prefix). */
  readonly start?: string;
  /** At most so many items; 0 or absent: all. */
  readonly limit?: number;
  /** The state at exactly this revision. StorageError 'compacted' when it is compacted, 'future' when it is not reached yet. */
  readonly at?: Revision;
  /** The state at this revision or a later one. Absent: the newest committed state (linearizable). 0: any state. */
  readonly notBefore?: Revision;
}

export interface Page<V> {
  readonly items: readonly Item<V>[];
  /** The revision of the state that the page shows. */
  readonly revision: Revision;
  /** Number of keys of the range after the last item; 0 on the last page. */
  readonly remaining: number;
}

export type Change<V> =
  | {
      readonly type: 'put';
      readonly item: Item<V>;
      readonly previous: Item<V> | undefined;
      readonly revision: Revision;
      /** Set by a backend: another change of the same revision follows (keys of one lease expire together). */
      readonly more?: true;
    }
  | {
      readonly type: 'remove';
      readonly key: string;
      readonly previous: Item<V> | undefined;
      readonly revision: Revision;
      readonly more?: true;
    }
  /** Nothing happened below the prefix up to this revision (a bookmark). */
  | { readonly type: 'progress'; readonly revision: Revision };

export interface PutOptions {
  /** The key is removed after so many seconds; at least as long, at most 10 % longer. */
  readonly ttlSeconds?: number;
  /** Milliseconds for which the write may wait for others that become durable together with it. etcd batches writes by itself. */
  readonly maxDelayMs?: number;
}

/** `V` are the values that are read. `D` are the values that are written, if those have a form of their own. */
export interface Store<V, D = V> {
  get(key: string, options?: { readonly notBefore?: Revision }): Promise<Item<V> | undefined>;
  /** Returns keys below the prefix in byte order. */
  range(prefix: string, options?: RangeOptions): Promise<Page<V>>;
  /** Compare and swap: writes only if the key is absent, or has exactly this revision. Durable when it resolves. */
  put(key: string, expect: Revision | 'absent', value: D, options?: PutOptions): Promise<Outcome<V>>;
  remove(key: string, expect: Revision): Promise<Outcome<V>>;
  /**
   * Yields every change below the prefix with a revision greater than `from`, in order, without gap or duplicate, until the signal aborts (a
   * clean end). A consumer that falls behind compaction or the retained window gets StorageError 'compacted'; its changes are never buffered
   * without bound. Breaking out of the loop unsubscribes.
   */
  watch(prefix: string, from: Revision, signal: AbortSignal): AsyncIterable<Change<V>>;
  /** Returns the newest committed revision (linearizable). */
  revision(): Promise<Revision>;
}

/** Whether there were changes below a prefix within a range of revisions. */
export type PrefixActivity = 'nothing' | 'something' | 'unknown';

export interface BackendWatchOptions {
  /** false: the consumer does not need previous items; changes may come without them. */
  readonly previous?: boolean;
}

/** The part of a backend that a watch cache reads, watches and writes. */
export interface CacheSource extends Store<Uint8Array> {
  watch(
    prefix: string,
    from: Revision,
    signal: AbortSignal,
    how?: BackendWatchOptions,
  ): AsyncIterable<Change<Uint8Array>>;
  /**
   * Makes every running watch of exactly this prefix yield, after all changes before it, a progress change at the newest revision, or a later
   * change. False: this store cannot promise that, and nothing happens.
   */
  requestProgress(prefix: string): boolean;
  /**
   * Returns every change below the prefix after `from`, up to and including `to`, which the store has reached. For stores whose watches cannot
   * tell when they have delivered that much. Throws 'compacted' when the changes are compacted, or too many.
   */
  past?(
    prefix: string,
    from: Revision,
    to: Revision,
  ): Promise<readonly Exclude<Change<Uint8Array>, { type: 'progress' }>[]>;
  /** Returns what happened below the prefix after `since`, up to and including `to`, as far as this process can tell without a request. */
  happened?(prefix: string, since: Revision, to: Revision): PrefixActivity;
  /**
   * Returns whether the prefix has now (at the `revision` of the answer) the same `count` keys, unchanged, as at `since`. Expensive for many
   * keys, but much cheaper than reading them. For stores that cannot promise progress.
   */
  compare?(
    prefix: string,
    since: Revision,
    count: number,
  ): Promise<{ readonly revision: Revision; readonly same: boolean }>;
  /** Concurrent calls of `revision` share one request, which costs less than a `get` each; progress always comes. */
  readonly asksTogether?: true;
}

/** A store of bytes, with resources of its own. */
export interface Backend extends CacheSource {
  /**
   * Calls the listener with the newest revision, at once and for every newer one, before its changes are visible. Returns a function that ends
   * this. For stores of this process.
   */
  announce?(listener: (revision: Revision) => void): () => void;
  /** Allows the store to drop history up to and including this revision; current values are never dropped. */
  compact(upTo: Revision): Promise<void>;
  /** Returns the bytes that the store takes on disk. Throws 'unavailable' when the answer takes too long. */
  size?(): Promise<number>;
  /** True while the disk takes no writes. Absent: the store has no disk of its own. */
  readonly refusesWrites?: boolean;
  /** For readiness checks: resolves while reads and writes work; throws the problem otherwise, 'unwritable' when reads work. */
  health(): Promise<void>;
  /** Ends watches, finishes writes in progress, releases files and sockets. */
  close(): Promise<void>;
}

/** Converts between bytes and the values that the watch cache holds (`V`), or that are written through it (`D`). */
export interface Codec<V, D = V> {
  /** Decodes a value. May throw; then reads of this key fail, others do not. The bytes are shared and never change. */
  decode(bytes: Uint8Array, key: string, revision: Revision): V;
  encode(value: D): Uint8Array;
  /** Returns the value if it can restore the bytes that it was decoded or adopted from. Absent: no value can. */
  restorable?(value: V): Restorable | undefined;
  /**
   * Returns the promise of work on a value that watchers should not have to do when its change arrives, since it is long; undefined if there is none.
   * After an error the value is as before. Absent: no value has any.
   */
  prepare?(value: V): Promise<void> | undefined;
  /**
   * Returns what `decode` would make of the encoding of `value` at this revision, without decoding: the form in which a value that was just
   * written enters the cache. Absent: the bytes are decoded. A codec whose values do not carry their revision returns `value` itself.
   */
  adopt?(value: D, key: string, revision: Revision): V;
}
