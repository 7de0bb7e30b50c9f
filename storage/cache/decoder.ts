import { ChurnMap } from '../../lib/collections/churn-map.js';
import { StorageError } from '../error.js';
import type { Codec, Item, Revision, StoredItem } from '../interface.js';
import type { KeyChange } from '../event-log/history.js';

/** Stands where a value should that could not be decoded. */
class Undecodable {
  readonly error: StorageError;
  constructor(error: StorageError) {
    this.error = error;
  }
}

/** Why the item has no value, if it has none. */
export function undecodable<V>(item: { readonly value: V } | undefined): StorageError | undefined {
  return item?.value instanceof Undecodable ? item.value.error : undefined;
}

/** The item; throws StorageError 'corrupt' when its value could not be decoded. */
export function decoded<V>(item: Item<V>): Item<V> {
  const error = undecodable(item);
  if (error !== undefined) throw error;
  return item;
}

/** How watchers see a change: never with a stand-in for a value. */
export function outgoing<V>(change: KeyChange<V>): KeyChange<V> | StorageError {
  const error = change.type === 'put' ? undecodable(change.item) : undefined;
  if (error !== undefined) return error;
  return undecodable(change.previous) === undefined ? change : { ...change, previous: undefined };
}

/** Bytes to values, each once: one that was just written, or read ahead of the watch, is not decoded again when its change arrives. */
export interface Decoder<V> {
  /** The value of an arriving change or of a listing. Never throws: the item may be undecodable. */
  arrived(item: StoredItem): Item<V>;
  /** A value read beside the cache. Remembered when the cache has yet to see it. Throws when it cannot be decoded. */
  read(item: Item<Uint8Array>): Item<V>;
  /** What is known of the key: the cache may have yet to see it. */
  newest(key: string): Item<V> | undefined;
  /** Announces a write, until the answer's `end` is called. */
  writing(key: string, value: V, bytes: Uint8Array): Writing<V>;
  forget(): void;
}

export interface Writing<V> {
  /** It was done at this revision: the item as the cache holds it, or will. */
  written(revision: Revision): Item<V>;
  end(): void;
}

interface InFlight<V> {
  readonly value: V;
  readonly bytes: Uint8Array;
}

export interface Held<V> {
  get(key: string): Item<V> | undefined;
  readonly revision: Revision;
}

export function createDecoder<V>(codec: Codec<V>, held: Held<V>): Decoder<V> {
  const inFlight = new ChurnMap<string, InFlight<V>[]>();
  /** Newer than what the cache has seen. */
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

  /** The cache will hold it: the backend need not. */
  function keep(held: Item<V>, item: StoredItem): Item<V> {
    if (item.handOver === undefined || undecodable(held) !== undefined) return held;
    const holder = codec.restorable?.(held.value);
    if (holder !== undefined) item.handOver(holder);
    return held;
  }

  function adopt(write: InFlight<V>, key: string, revision: Revision): Item<V> {
    if (codec.adopt === undefined) return decode({ key, value: write.bytes, revision });
    return { key, value: codec.adopt(write.value, key, revision), revision };
  }

  /** The item, if it is held already, or was read or written ahead. */
  function known(key: string, revision: Revision): Item<V> | undefined {
    const early = ahead.get(key);
    if (early?.revision === revision) return early;
    const item = held.get(key);
    return item?.revision === revision ? item : undefined;
  }

  function remember(item: Item<V>): Item<V> {
    const early = ahead.get(item.key);
    if (item.revision > held.revision && item.revision > (early?.revision ?? 0)) ahead.set(item.key, item);
    return item;
  }

  return {
    arrived(item) {
      const { key, revision } = item;
      const found = known(key, revision);
      if ((ahead.get(key)?.revision ?? Infinity) <= revision) ahead.delete(key);
      if (found !== undefined) return keep(found, item);
      // A change may arrive before the answer to the write that made it. Two writes of the same bytes may stand for each other.
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
      const item = held.get(key);
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
