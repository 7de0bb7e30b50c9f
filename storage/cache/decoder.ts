import { ChurnMap } from '../../lib/collections/churn-map.js';
import { StorageError } from '../error.js';
import type { Codec, Item, Revision, StoredItem } from '../interface.js';
import type { KeyChange } from '../event-log/history.js';

/** Takes the place of a value that could not be decoded. */
class Undecodable {
  readonly error: StorageError;
  constructor(error: StorageError) {
    this.error = error;
  }
}

/** Returns why the item has no value; undefined when it has one. */
export function undecodable<V>(item: { readonly value: V } | undefined): StorageError | undefined {
  return item?.value instanceof Undecodable ? item.value.error : undefined;
}

/** Returns the item. Throws StorageError 'corrupt' when its value could not be decoded. */
export function decoded<V>(item: Item<V>): Item<V> {
  const error = undecodable(item);
  if (error !== undefined) throw error;
  return item;
}

/** Returns a change as watchers get it, without an undecodable previous value; the error when the new value could not be decoded. */
export function outgoing<V>(change: KeyChange<V>): KeyChange<V> | StorageError {
  const error = change.type === 'put' ? undecodable(change.item) : undefined;
  if (error !== undefined) return error;
  return undecodable(change.previous) === undefined ? change : { ...change, previous: undefined };
}

/** A write of this process whose answer has not arrived. */
interface InFlight<D> {
  readonly key: string;
  readonly value: D;
  readonly bytes: Uint8Array;
}

/** The items that the cache holds. */
interface CachedItems<V> {
  get(key: string): Item<V> | undefined;
  /** Returns the revision that the cache has seen. */
  seen(): Revision;
}

/** Decodes each value once: a value that was just written, or read ahead of the watch, is not decoded again when its change arrives. */
export class Decoder<V, D> {
  readonly #codec: Codec<V, D>;
  readonly #cached: CachedItems<V>;
  readonly #inFlight = new ChurnMap<string, InFlight<D>[]>();
  /** Items that are newer than what the cache has seen. */
  readonly #ahead = new ChurnMap<string, Item<V>>();

  constructor(codec: Codec<V, D>, cached: CachedItems<V>) {
    this.#codec = codec;
    this.#cached = cached;
  }

  /** Returns the item of an arriving change or of a listing. Never throws: the item may be undecodable. */
  arrived(item: StoredItem): Item<V> {
    const { key, revision } = item;
    const found = this.#known(key, revision);
    if (found !== undefined) return this.#keep(found, item);
    // A change may arrive before the answer to the write that made it. Two writes of the same bytes are interchangeable.
    const writes = this.#inFlight.get(key);
    if (writes === undefined) return this.#keep(this.#decode(item), item);
    const { value } = item;
    const write = writes.find(w => w.bytes === value || Buffer.compare(w.bytes, value) === 0);
    return this.#keep(write === undefined ? this.#decode(item) : this.#adopt(write, revision), item);
  }

  /** Reports that the cache is about to hold what is known of the key up to this revision. */
  held(key: string, revision: Revision): void {
    if ((this.#ahead.get(key)?.revision ?? Infinity) <= revision) this.#ahead.delete(key);
  }

  /** Returns an item that was read past the cache, and keeps it until the cache has seen it. Throws when it cannot be decoded. */
  read(item: Item<Uint8Array>): Item<V> {
    return decoded(this.#known(item.key, item.revision) ?? this.#remember(this.#decode(item)));
  }

  /** Returns the newest known item of the key, which the cache may not have seen yet. */
  newest(key: string): Item<V> | undefined {
    const early = this.#ahead.get(key);
    const item = this.#cached.get(key);
    return early !== undefined && early.revision > (item?.revision ?? 0) ? early : item;
  }

  /** Announces a write, which lasts until `ended`. */
  writing(key: string, value: D, bytes: Uint8Array): InFlight<D> {
    const write = { key, value, bytes };
    this.#inFlight.set(key, [...(this.#inFlight.get(key) ?? []), write]);
    return write;
  }

  /** Reports that the write was committed at this revision. Returns the item as the cache holds it, or will hold it. */
  written(write: InFlight<D>, revision: Revision): Item<V> {
    return this.#known(write.key, revision) ?? this.#remember(this.#adopt(write, revision));
  }

  /** Reports that the write was answered, or has failed. */
  ended(write: InFlight<D>): void {
    const { key } = write;
    const others = (this.#inFlight.get(key) ?? []).filter(w => w !== write);
    if (others.length > 0) this.#inFlight.set(key, others);
    else this.#inFlight.delete(key);
  }

  /** Drops what was read or written ahead of the cache. */
  forget(): void {
    this.#ahead.clear();
  }

  #decode(item: Item<Uint8Array>): Item<V> {
    const { key, revision } = item;
    try {
      return { key, value: this.#codec.decode(item.value, key, revision), revision };
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      const error = new StorageError('corrupt', `the value of ${key} cannot be decoded: ${why}`, { cause, revision });
      return { key, value: new Undecodable(error) as V, revision };
    }
  }

  /** Lets the backend drop its bytes: the cache holds the value and can restore them. */
  #keep(cachedItem: Item<V>, item: StoredItem): Item<V> {
    if (item.handOver === undefined || undecodable(cachedItem) !== undefined) return cachedItem;
    const holder = this.#codec.restorable?.(cachedItem.value);
    if (holder !== undefined) item.handOver(holder);
    return cachedItem;
  }

  #adopt({ key, value, bytes }: InFlight<D>, revision: Revision): Item<V> {
    if (this.#codec.adopt === undefined) return this.#decode({ key, value: bytes, revision });
    return { key, value: this.#codec.adopt(value, key, revision), revision };
  }

  /** Returns the item if the cache holds it, or if it was read or written ahead of the cache. */
  #known(key: string, revision: Revision): Item<V> | undefined {
    const early = this.#ahead.get(key);
    if (early?.revision === revision) return early;
    const item = this.#cached.get(key);
    return item?.revision === revision ? item : undefined;
  }

  #remember(item: Item<V>): Item<V> {
    const early = this.#ahead.get(item.key);
    const { revision } = item;
    if (revision > this.#cached.seen() && revision > (early?.revision ?? 0)) this.#ahead.set(item.key, item);
    return item;
  }
}
