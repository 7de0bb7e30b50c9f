/**
 * A revisioned key-value store: keys, values, revisions, changes. Backends (`embedded/`, `etcd/`) hold bytes; the watch cache
 * (`cache/`) is a Store around a Store that holds decoded, frozen values. Nothing above can tell which one it has.
 */

declare const revision: unique symbol;
/** A position in the store's history: grows by one with every committed change. Below 2^53; arithmetic on it only in storage/. */
export type Revision = number & { readonly [revision]: true };

export interface Item<V> {
  readonly key: string;
  readonly value: V;
  /** The revision of the last change of the key (etcd: mod_revision). */
  readonly revision: Revision;
}

/** Who can make again, byte for byte, what was stored. */
export interface Restorable {
  restore(): Uint8Array;
}

/** An item as a backend gives it. */
export interface StoredItem extends Item<Uint8Array> {
  /** Of a backend that holds values in memory: from now on `holder` has this one, so that it is there once. */
  handOver?(holder: Restorable): void;
}

/** Absences and lost races are values. Broken disks, sockets and unreachable servers throw StorageError (`error.ts`). */
export type Outcome<V> =
  | {
      readonly type: 'done';
      readonly item: Item<V> /** of this write; for a removal the revision of the removal */;
      readonly revision: Revision;
    }
  | { readonly type: 'conflict' /** what stands there instead */; readonly current: Item<V> | undefined };

export interface RangeOptions {
  /** Keys >= this one (complete key, inside the prefix). */
  readonly start?: string;
  /** At most so many items; 0 or absent: all. */
  readonly limit?: number;
  /** The state at exactly this revision. Compacted: StorageError 'compacted'; not yet there: StorageError 'future'. */
  readonly at?: Revision;
  /** The state at this revision or a later one. Absent: the newest committed state (linearizable). 0: whatever is at hand. */
  readonly notBefore?: Revision;
}

export interface Page<V> {
  readonly items: readonly Item<V>[];
  /** The revision at which the page is true. */
  readonly revision: Revision;
  /** Keys of the range after the last item; 0 on the last page. */
  readonly remaining: number;
}

export type Change<V> =
  | {
      readonly type: 'put';
      readonly item: Item<V>;
      readonly previous: Item<V> | undefined;
      readonly revision: Revision;
      /** From a backend: another change of the same revision follows (keys of one lease expire together). */
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

/**
 * One reader's place in a stream, for whoever takes what is there without waiting. Nothing is kept for him: he takes at his own pace, and who is too slow
 * is told so. As an AsyncIterable it waits; breaking out of the loop closes it.
 */
export interface Cursor<T> extends AsyncIterable<T> {
  /** What comes next, if it is there now. Undefined: not yet. Throws, once, what the stream ends with. */
  take: () => IteratorResult<T, undefined> | undefined;
  /**
   * `wake` is called whenever something may be there that was not when `take` was asked last: at once, in the middle of what made it. It must not throw,
   * and does better to note it only. A later one takes its place.
   */
  onReady: (wake: () => void) => void;
  /** Unsubscribes: the end is what comes next. */
  close: () => void;
  /** Absent: nobody is told the same, or it is not known yet. */
  readonly company?: () => Company<T> | undefined;
}

/** Cursors that are told the same from one place on can share one that looks for all of them, while they rest. */
export interface Company<T> {
  /** The same for all that are told the same. */
  readonly channel: object;
  /** Are there others of this channel, resting or not? */
  isAccompanied(): boolean;
  /** Up to where it has taken: the same object for all who stand there. Undefined while it looks through what was before, and when it has ended. */
  place(): object | undefined;
  /** From now on it is woken by its end, and by what is for it alone, only. It takes nothing before it goes on. */
  rest(): void;
  /** From the place that another one of the channel has reached. */
  goOn(place: object): void;
  /** One more, at the same place, that nobody else ends or asks for progress. */
  fork(): Cursor<T>;
}

export interface PutOptions {
  /** The key disappears by itself (as a removal) after so many seconds; at least as long, at most 10 % longer. */
  readonly ttlSeconds?: number;
}

export interface Store<V> {
  get(key: string, options?: { readonly notBefore?: Revision }): Promise<Item<V> | undefined>;
  /** Keys below the prefix in byte order. */
  range(prefix: string, options?: RangeOptions): Promise<Page<V>>;
  /** Compare and swap: done only if the key is absent, or stands at exactly this revision. Durable when it resolves. */
  put(key: string, expect: Revision | 'absent', value: V, options?: PutOptions): Promise<Outcome<V>>;
  remove(key: string, expect: Revision): Promise<Outcome<V>>;
  /**
   * Every change below the prefix with a revision greater than `from`, in order, without gap or duplicate, until the signal aborts
   * (a clean end). A cursor that fell behind compaction or the retained window ends with StorageError 'compacted'. A consumer that is
   * too slow is ended the same way, never buffered without bound. Breaking out of the loop unsubscribes.
   */
  watch(prefix: string, from: Revision, signal: AbortSignal): AsyncIterable<Change<V>>;
  /** The newest committed revision (linearizable). */
  revision(): Promise<Revision>;
}

/** Within a range of revisions, below a prefix. */
export type Happened = 'nothing' | 'something' | 'unknown';

export interface BackendWatchOptions {
  /** false: nobody asks for what stood there before; changes may come without it. */
  readonly previous?: boolean;
}

/** A store of bytes with a life of its own. */
export interface Backend extends Store<Uint8Array> {
  watch(
    prefix: string,
    from: Revision,
    signal: AbortSignal,
    how?: BackendWatchOptions,
  ): AsyncIterable<Change<Uint8Array>>;
  /**
   * Every running watch of exactly this prefix yields a progress change at the newest revision or a later change soon, once it has delivered
   * all before. False: this store cannot promise that, and nothing happens.
   */
  requestProgress(prefix: string): boolean;
  /**
   * Every change below the prefix after `from`, up to and including `to`, which the store has reached. For stores whose watches cannot tell when they
   * have told that much. Throws 'compacted' when it is forgotten, or too much.
   */
  past?(
    prefix: string,
    from: Revision,
    to: Revision,
  ): Promise<readonly Exclude<Change<Uint8Array>, { type: 'progress' }>[]>;
  /** What happened below the prefix after `since`, up to and including `to`, as far as that is known without asking anybody. */
  happened?(prefix: string, since: Revision, to: Revision): Happened;
  /**
   * Whether that is below the prefix now (at the `revision` of the answer) what was there at `since`: `count` keys. Dear where there are many, but much
   * cheaper than to read them. For stores that cannot promise progress.
   */
  compare?(
    prefix: string,
    since: Revision,
    count: number,
  ): Promise<{ readonly revision: Revision; readonly same: boolean }>;
  /**
   * Tells the newest revision, at once and whenever there is a newer one: before anybody can see what it brought. Answers what ends that. For stores of
   * this process.
   */
  announce?(listener: (revision: Revision) => void): () => void;
  /** Many who ask for the revision at once are one question, which costs less than one `get` for each; progress always comes. */
  readonly asksTogether?: true;
  /** Histories up to and including this revision may be forgotten; current values never are. */
  compact(upTo: Revision): Promise<void>;
  /** Bytes that it takes where it is kept. Throws 'unavailable' when nobody says so soon. */
  size?(): Promise<number>;
  /** The disk takes no writes at the moment. Absent: the store has no disk of its own. */
  readonly refusesWrites?: boolean;
  /** Resolves while reads and writes work; throws what is wrong otherwise, 'unwritable' when reads work. For readiness checks. */
  health(): Promise<void>;
  /** Ends watches, finishes writes in progress, releases files and sockets. */
  close(): Promise<void>;
}

/** How the watch cache turns bytes into the value it holds. */
export interface Codec<V> {
  /** May throw; the key then fails to be read, the others do not. The bytes are shared and never changed. */
  decode(bytes: Uint8Array, key: string, revision: Revision): V;
  encode(value: V): Uint8Array;
  /** The value, if it can make again the bytes that it was decoded or adopted from. Absent: none can. */
  restorable?(value: V): Restorable | undefined;
  /**
   * What `decode` would make of the encoding of `value` at this revision, without decoding: how a value that was just written enters the cache.
   * Absent: it is decoded. A codec whose values do not carry their revision answers `value` itself.
   */
  adopt?(value: V, key: string, revision: Revision): V;
}
