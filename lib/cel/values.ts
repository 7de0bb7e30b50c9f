/** Values of expressions. Null, bool, string, double (number) and int (bigint) are themselves; others are instances of these classes. */
import type { Steps } from '../steps.js';
import type { Opaque } from './opaque.js';
import type { Type } from './types.js';

/** A runtime error of an expression, with cel-go's text. */
export class CelError extends Error {}

export class Uint {
  readonly value: bigint;
  constructor(value: bigint) {
    this.value = value;
  }
}

/** A point in time in nanoseconds since 1970. */
export class Timestamp {
  readonly nanos: bigint;
  /** Minutes east of UTC of the zone in which it was written. */
  readonly zone: number;
  constructor(nanos: bigint, zone = 0) {
    this.nanos = nanos;
    this.zone = zone;
  }
}

export class Duration {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

/** How items of a list are identified: `set`, or by the keys of a list map. */
type Likeness = 'set' | readonly string[] | undefined;

/** A list; items are created on access. */
export class List {
  readonly size: number;
  readonly at: (index: number) => Value;
  /** Sets and list maps of the schema are equal in any order, and are united instead of appended. */
  readonly like: Likeness;
  /** An array that begins with the items of this list, and may grow behind them. */
  readonly growing: Value[] | undefined;
  /** Nesting depth of list views. */
  readonly depth: number;
  constructor(size: number, at: (index: number) => Value, like?: Likeness, growing?: Value[], depth = 0) {
    this.size = size;
    this.at = at;
    this.like = like;
    this.growing = growing;
    this.depth = depth;
  }
  /** Returns a copy of the items in a range. A list may be far larger than memory, so the copy is counted first. */
  toArray(steps: Steps, from = 0, to = this.size): Value[] {
    steps.take(3 * (to - from));
    const items: Value[] = [];
    for (let i = from; i < to; i++) items.push(this.at(i));
    return items;
  }
}

/** Returns a list of the items, which are not copied. */
export const listOf = (items: readonly Value[]): List => new List(items.length, i => items[i] as Value);

/** A map; values are created on access. Keys are strings, ints, uints or bools. */
export class CelMap {
  readonly size: number;
  readonly keys: () => readonly Value[];
  readonly get: (key: Value) => Value | undefined;
  /** Entries that begin with those of this map, and may grow behind them. */
  readonly growing: Entries | undefined;
  constructor(size: number, keys: () => readonly Value[], get: (key: Value) => Value | undefined, growing?: Entries) {
    this.size = size;
    this.keys = keys;
    this.get = get;
    this.growing = growing;
  }
}

/** Entries in insertion order. */
interface Entries {
  readonly keys: Value[];
  readonly values: Value[];
  readonly indexes: Map<string, number>;
}

/** An object of a type with fields. An absent field is undefined. */
export class CelObject {
  readonly get: (field: string) => Value | undefined;
  /** The JSON of the object, and the field of a JSON key; keys without a field count for equality, too. */
  readonly raw: Readonly<Record<string, unknown>>;
  readonly knows: (member: string) => string | undefined;
  /** The fields of a struct literal. */
  readonly struct: Struct | undefined;
  constructor(
    get: (field: string) => Value | undefined,
    raw: Readonly<Record<string, unknown>>,
    knows: (member: string) => string | undefined,
    struct?: Struct,
  ) {
    this.get = get;
    this.raw = raw;
    this.knows = knows;
    this.struct = struct;
  }
}

/** The type name and the fields of a struct literal. */
export interface Struct {
  readonly name: string;
  readonly fields: ReadonlyMap<string, Value>;
}

/** Returns the value of a struct literal `NAME{field: value}`. */
export function structOf(name: string, fields: ReadonlyMap<string, Value>): CelObject {
  const raw = Object.fromEntries([...fields.keys()].map(field => [field, true]));
  return new CelObject(
    field => fields.get(field),
    raw,
    field => field,
    { name, fields },
  );
}

/** An optional value. */
export class Optional {
  readonly value: Value | undefined;
  constructor(value: Value | undefined) {
    this.value = value;
  }
}

export const none = new Optional(undefined);

export class TypeValue {
  readonly type: Type;
  constructor(type: Type) {
    this.type = type;
  }
}

export type Value =
  | null
  | boolean
  | string
  | number
  | bigint
  | Uint
  | Uint8Array
  | Timestamp
  | Duration
  | List
  | CelMap
  | CelObject
  | Optional
  | TypeValue
  | Opaque;

/**
 * Returns a function that caches the lists, maps and objects that `make` returns for the parts of a value. hot: expressions read the same parts
 * repeatedly, and a map has to visit all its keys once.
 */
export function keeping<K>(make: (key: K) => Value | undefined): (key: K) => Value | undefined {
  let made: Map<K, Value> | undefined;
  return key => {
    const known = made?.get(key);
    if (known !== undefined) return known;
    const value = make(key);
    if (value instanceof CelMap || value instanceof List || value instanceof CelObject)
      (made ??= new Map<K, Value>()).set(key, value);
    return value;
  };
}

/** Returns a key for JavaScript's maps: equal numbers of any type have equal keys. */
function keyOf(value: Value): string {
  if (typeof value === 'string') return `s${value}`;
  if (typeof value === 'bigint') return `n${value}`;
  if (value instanceof Uint) return `n${value.value}`;
  if (typeof value === 'boolean') return `b${value}`;
  if (typeof value === 'number' && Number.isInteger(value)) return `n${BigInt(value)}`;
  throw new CelError('unsupported key type');
}

/** Returns a map of the first `size` entries. */
function firstOf(entries: Entries, size: number): CelMap {
  const keys = (): readonly Value[] => (entries.keys.length === size ? entries.keys : entries.keys.slice(0, size));
  const get = (key: Value): Value | undefined => {
    const index = isKey(key) ? entries.indexes.get(keyOf(key)) : undefined;
    return index !== undefined && index < size ? entries.values[index] : undefined;
  };
  return new CelMap(size, keys, get, entries);
}

function put(entries: Entries, key: Value, value: Value): void {
  const id = keyOf(key);
  const index = entries.indexes.get(id) ?? entries.keys.length;
  entries.indexes.set(id, index);
  entries.keys[index] = key;
  entries.values[index] = value;
}

/** Returns a map with these entries. Of several with the same key, the last one counts. */
export function celMapOf(given: Iterable<readonly [Value, Value]>): CelMap {
  const entries: Entries = { keys: [], values: [], indexes: new Map() };
  for (const [key, value] of given) put(entries, key, value);
  return firstOf(entries, entries.keys.length);
}

/** Returns a map with one more entry. Counts a copy, if one is made. */
export function withEntry(map: CelMap, key: Value, value: Value, steps: Steps): CelMap {
  if (map.get(key) !== undefined) throw new CelError(`insert failed: key ${shownKey(key)} already exists`);
  let entries = map.growing;
  if (entries?.keys.length !== map.size) {
    steps.take(8 * map.size);
    entries = { keys: [], values: [], indexes: new Map() };
    for (const oldKey of map.keys()) put(entries, oldKey, map.get(oldKey) as Value);
  }
  put(entries, key, value);
  return firstOf(entries, entries.keys.length);
}

const maxShown = 1000;

/** Returns a key or index as errors show it. */
export function shownKey(key: Value): string {
  if (key instanceof Uint) return String(key.value);
  if (typeof key === 'string') return key.length > maxShown ? `${key.slice(0, maxShown)}...` : key;
  return key === null || typeof key !== 'object' ? String(key) : 'object';
}

const isKey = (value: Value): boolean =>
  typeof value === 'string' ||
  typeof value === 'bigint' ||
  typeof value === 'boolean' ||
  value instanceof Uint ||
  (typeof value === 'number' && Number.isInteger(value));
