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

/** Decodes each value once: a value that was just written, or read ahead of the watch, is not decoded again when its change arrives. */
export interface Decoder<V> {
  /** Returns the item of an arriving change or of a listing. Never throws: the item may be undecodable. */
  arrived(item: StoredItem): Item<V>;
  /** Returns an item that was read past the cache, and keeps it until the cache has seen it. Throws when it cannot be decoded. */
  read(item: Item<Uint8Array>): Item<V>;
  /** Returns the newest known item of the key, which the cache may not have seen yet. */
  newest(key: string): Item<V> | undefined;
  /** Announces a write that lasts until `end` of the result is called. */
  writing(key: string, value: V, bytes: Uint8Array): Writing<V>;
  forget(): void;
}

export interface Writing<V> {
  /** Reports that the write was committed at this revision. Returns the item as the cache holds it, or will hold it. */
  written(revision: Revision): Item<V>;
  end(): void;
}

interface InFlight<V> {
  readonly value: V;
  readonly bytes: Uint8Array;
}

export interface CachedItems<V> {
  get(key: string): Item<V> | undefined;
  readonly revision: Revision;
}

export function createDecoder<V>(codec: Codec<V>, cached: CachedItems<V>): Decoder<V> {
  const inFlight = new ChurnMap<string, InFlight<V>[]>();
  /** Items that are newer than what the cache has seen. */
  const ahead = new ChurnMap<string, Item<V>>();

  function decode(item: Item<Uint8Array>): Item<V> {
    const { key, revision } = item;
    try {
      return { key, value: codec.decode(item.value, key, revision), revision };
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      const error = new StorageError('corrupt', `the value of ${key} cannot be decoded: ${why}`, { cause, revision });
      return { key, value: new Undecodable(error) as V, revision };
    }
  }

  /** Lets the backend drop its bytes: the cache holds the value and can restore them. */
  function keep(cachedItem: Item<V>, item: StoredItem): Item<V> {
    if (item.handOver === undefined || undecodable(cachedItem) !== undefined) return cachedItem;
    const holder = codec.restorable?.(cachedItem.value);
    if (holder !== undefined) item.handOver(holder);
    return cachedItem;
  }

  function adopt(write: InFlight<V>, key: string, revision: Revision): Item<V> {
    if (codec.adopt === undefined) return decode({ key, value: write.bytes, revision });
    return { key, value: codec.adopt(write.value, key, revision), revision };
  }

  /** Returns the item if the cache holds it, or if it was read or written ahead of the cache. */
  function known(key: string, revision: Revision): Item<V> | undefined {
    const early = ahead.get(key);
    if (early?.revision === revision) return early;
    const item = cached.get(key);
    return item?.revision === revision ? item : undefined;
  }

  function remember(item: Item<V>): Item<V> {
    const early = ahead.get(item.key);
    if (item.revision > cached.revision && item.revision > (early?.revision ?? 0)) ahead.set(item.key, item);
    return item;
  }

  return {
    arrived(item) {
      const { key, revision } = item;
      const found = known(key, revision);
      if ((ahead.get(key)?.revision ?? Infinity) <= revision) ahead.delete(key);
      if (found !== undefined) return keep(found, item);
      // A change may arrive before the answer to the write that made it. Two writes of the same bytes are interchangeable.
      const writes = inFlight.get(key);
      if (writes === undefined) return keep(decode(item), item);
      const { value } = item;
      const write = writes.find(w => w.bytes === value || Buffer.compare(w.bytes, value) === 0);
      return keep(write === undefined ? decode(item) : adopt(write, key, revision), item);
    },
    read(item) {
      return decoded(known(item.key, item.revision) ?? remember(decode(item)));
    },
    newest(key) {
      const early = ahead.get(key);
      const item = cached.get(key);
      return early !== undefined && early.revision > (item?.revision ?? 0) ? early : item;
    },
    writing(key, value, bytes) {
      const write = { value, bytes };
      inFlight.set(key, [...(inFlight.get(key) ?? []), write]);
      return {
        written: revision => known(key, revision) ?? remember(adopt(write, key, revision)),
        end() {
          const others = (inFlight.get(key) ?? []).filter(w => w !== write);
          if (others.length > 0) inFlight.set(key, others);
          else inFlight.delete(key);
        },
      };
    },
    forget: () => ahead.clear(),
  };
}
