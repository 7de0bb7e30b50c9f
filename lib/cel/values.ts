/** Values of expressions. Null, bool, string, double (number) and int (bigint) are themselves; the others are these classes. */
import type { Steps } from '../steps.js';
import type { Opaque } from './opaque.js';
import type { Type } from './types.js';

/** What goes wrong when an expression runs; the text is cel-go's. */
export class CelError extends Error {}

export class Uint {
  readonly value: bigint;
  constructor(value: bigint) {
    this.value = value;
  }
}

/** A point in time, in nanoseconds since 1970. */
export class Timestamp {
  readonly nanos: bigint;
  /** The minutes east of UTC in which it is written. */
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

/** How the items of a list are told apart: `set`, or by the keys of a list map. */
export type Likeness = 'set' | readonly string[] | undefined;

/** A list; items are made as they are asked for. */
export class List {
  readonly size: number;
  readonly at: (index: number) => Value;
  /** Lists of which the schema says so are equal in any order, and are united rather than appended. */
  readonly like: Likeness;
  /** The items, where they are the beginning of an array that may grow behind them. */
  readonly growing: Value[] | undefined;
  /** How many lists lie in one another, where this one is a view of two others. */
  readonly depth: number;
  constructor(size: number, at: (index: number) => Value, like?: Likeness, growing?: Value[], depth = 0) {
    this.size = size;
    this.at = at;
    this.like = like;
    this.growing = growing;
    this.depth = depth;
  }
  /** A copy of the items from one place to another. A list may be far larger than memory: the copy is counted before it is made. */
  toArray(steps: Steps, from = 0, to = this.size): Value[] {
    steps.take(3 * (to - from));
    const items: Value[] = [];
    for (let i = from; i < to; i++) items.push(this.at(i));
    return items;
  }
}

export const listOf = (items: readonly Value[]): List => new List(items.length, i => items[i] as Value);

/** A map; values are made as they are asked for. Keys are strings, ints, uints or bools. */
export class CelMap {
  readonly size: number;
  readonly keys: () => readonly Value[];
  readonly get: (key: Value) => Value | undefined;
  /** The entries, where they are the first of some that may become more. */
  readonly growing: Entries | undefined;
  constructor(size: number, keys: () => readonly Value[], get: (key: Value) => Value | undefined, growing?: Entries) {
    this.size = size;
    this.keys = keys;
    this.get = get;
    this.growing = growing;
  }
}

/** Entries in the order in which they came. */
interface Entries {
  readonly keys: Value[];
  readonly values: Value[];
  readonly places: Map<string, number>;
}

/** An object of a type with fields. A field that is not there is undefined. */
export class CelObject {
  readonly get: (field: string) => Value | undefined;
  /** The JSON of the object, and whether the type knows a member of it: what it does not know counts for equality. */
  readonly raw: Readonly<Record<string, unknown>>;
  readonly knows: (member: string) => string | undefined;
  /** What was written down in an expression. */
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

/** The name of its type, and its fields. */
export interface Struct {
  readonly name: string;
  readonly fields: ReadonlyMap<string, Value>;
}

/** A value that was written down as `NAME{field: value}`. */
export function structOf(name: string, fields: ReadonlyMap<string, Value>): CelObject {
  const raw = Object.fromEntries([...fields.keys()].map(field => [field, true]));
  return new CelObject(
    field => fields.get(field),
    raw,
    field => field,
    { name, fields },
  );
}

/** A value that may be there. */
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
 * Lists, maps and objects inside of another are made once: expressions go there again and again, and a map knows its keys only after it has
 * looked at all of them. hot:
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

/** A key for JavaScript's maps: equal numbers have equal keys, whatever their type. */
function keyOf(value: Value): string {
  if (typeof value === 'string') return `s${value}`;
  if (typeof value === 'bigint') return `n${value}`;
  if (value instanceof Uint) return `n${value.value}`;
  if (typeof value === 'boolean') return `b${value}`;
  if (typeof value === 'number' && Number.isInteger(value)) return `n${BigInt(value)}`;
  throw new CelError('unsupported key type');
}

/** The first entries of some. */
function firstOf(entries: Entries, size: number): CelMap {
  const keys = (): readonly Value[] => (entries.keys.length === size ? entries.keys : entries.keys.slice(0, size));
  const get = (key: Value): Value | undefined => {
    const place = isKey(key) ? entries.places.get(keyOf(key)) : undefined;
    return place !== undefined && place < size ? entries.values[place] : undefined;
  };
  return new CelMap(size, keys, get, entries);
}

function put(entries: Entries, key: Value, value: Value): void {
  const id = keyOf(key);
  const place = entries.places.get(id) ?? entries.keys.length;
  entries.places.set(id, place);
  entries.keys[place] = key;
  entries.values[place] = value;
}

export function mapOf(given: Iterable<readonly [Value, Value]>): CelMap {
  const entries: Entries = { keys: [], values: [], places: new Map() };
  for (const [key, value] of given) put(entries, key, value);
  return firstOf(entries, entries.keys.length);
}

/** A map with one more entry. Counts a copy, where one has to be made. */
export function insert(map: CelMap, key: Value, value: Value, steps: Steps): CelMap {
  if (map.get(key) !== undefined) throw new CelError(`insert failed: key ${shownKey(key)} already exists`);
  let entries = map.growing;
  if (entries?.keys.length !== map.size) {
    steps.take(8 * map.size);
    entries = { keys: [], values: [], places: new Map() };
    for (const own of map.keys()) put(entries, own, map.get(own) as Value);
  }
  put(entries, key, value);
  return firstOf(entries, entries.keys.length);
}

const longestShown = 1000;

/** A key or index as errors show it. */
export function shownKey(key: Value): string {
  if (key instanceof Uint) return String(key.value);
  if (typeof key === 'string') return key.length > longestShown ? `${key.slice(0, longestShown)}...` : key;
  return key === null || typeof key !== 'object' ? String(key) : 'object';
}

const isKey = (value: Value): boolean =>
  typeof value === 'string' ||
  typeof value === 'bigint' ||
  typeof value === 'boolean' ||
  value instanceof Uint ||
  (typeof value === 'number' && Number.isInteger(value));
