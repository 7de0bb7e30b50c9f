/** Values of expressions. Null, bool, string, double (number) and int (bigint) are themselves; the others are these classes. */
import { deepEqual } from '../../meta/equality.js';
import { Opaque } from './opaque.js';
import * as types from './types.js';

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
  /** How many lists this one is put together from. */
  readonly parts: number;
  constructor(size: number, at: (index: number) => Value, like?: Likeness, growing?: Value[], parts = 1) {
    this.size = size;
    this.at = at;
    this.like = like;
    this.growing = growing;
    this.parts = parts;
  }
  toArray(): Value[] {
    return Array.from({ length: this.size }, (_, i) => this.at(i));
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
  constructor(
    get: (field: string) => Value | undefined,
    raw: Readonly<Record<string, unknown>>,
    knows: (member: string) => string | undefined,
  ) {
    this.get = get;
    this.raw = raw;
    this.knows = knows;
  }
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
  readonly type: types.Type;
  constructor(type: types.Type) {
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

/** A key for JavaScript's maps: equal numbers have equal keys, whatever their type. */
export function keyOf(value: Value): string {
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

/** A map with one more entry. */
export function insert(map: CelMap, key: Value, value: Value): CelMap {
  if (map.get(key) !== undefined) throw new CelError(`insert failed: key ${shownKey(key)} already exists`);
  let entries = map.growing;
  if (entries?.keys.length !== map.size) {
    entries = { keys: [], values: [], places: new Map() };
    for (const own of map.keys()) put(entries, own, map.get(own) as Value);
  }
  put(entries, key, value);
  return firstOf(entries, entries.keys.length);
}

/** A key or index as errors show it. */
export function shownKey(key: Value): string {
  if (key instanceof Uint) return String(key.value);
  return key === null || typeof key !== 'object' ? String(key) : 'object';
}

const isKey = (value: Value): boolean =>
  typeof value === 'string' ||
  typeof value === 'bigint' ||
  typeof value === 'boolean' ||
  value instanceof Uint ||
  (typeof value === 'number' && Number.isInteger(value));

/** The number that a value is, for comparisons across types; ints stay exact. */
function numberOf(value: Value): bigint | number | undefined {
  if (typeof value === 'bigint' || typeof value === 'number') return value;
  return value instanceof Uint ? value.value : undefined;
}

const sameItems = (a: List, b: List): boolean => {
  for (let i = 0; i < a.size; i++) if (!equal(a.at(i), b.at(i))) return false;
  return true;
};

/** The item of a list map that has the same keys. */
function counterpart(item: Value, keys: readonly string[], among: readonly Value[]): Value | undefined {
  const part = (of: Value, key: string): Value | undefined =>
    of instanceof CelObject ? of.get(key) : of instanceof CelMap ? of.get(key) : undefined;
  return among.find(other =>
    keys.every(key => {
      const [a, b] = [part(item, key), part(other, key)];
      return a === undefined || b === undefined ? a === b : equal(a, b);
    }),
  );
}

function equalLists(a: List, b: List): boolean {
  if (a.size !== b.size) return false;
  const { like } = a;
  if (like === undefined) return sameItems(a, b);
  const others = b.toArray();
  return a.toArray().every(item => {
    if (like === 'set') return others.some(other => equal(item, other));
    const other = counterpart(item, like, others);
    return other !== undefined && equal(item, other);
  });
}

function equalMaps(a: CelMap, b: CelMap): boolean {
  if (a.size !== b.size) return false;
  return a.keys().every(key => {
    const [x, y] = [a.get(key), b.get(key)];
    return x !== undefined && y !== undefined && equal(x, y);
  });
}

/** Members that the type does not know are compared as JSON. */
function equalObjects(a: CelObject, b: CelObject): boolean {
  const members = Object.keys(a.raw);
  if (members.length !== Object.keys(b.raw).length) return false;
  return members.every(member => {
    const field = a.knows(member);
    if (field === undefined) return !Object.hasOwn(b.raw, member) || deepEqual(a.raw[member], b.raw[member]);
    const [x, y] = [a.get(field), b.get(field)];
    return x === undefined || y === undefined ? x === y : equal(x, y);
  });
}

/** Equality: numbers across their types; values of different types are different. */
export function equal(a: Value, b: Value): boolean {
  if (a === b) return true;
  const [x, y] = [numberOf(a), numberOf(b)];
  if (x !== undefined || y !== undefined) return x !== undefined && y !== undefined && x == y; // eslint-disable-line eqeqeq
  if (a instanceof List) return b instanceof List && equalLists(a, b);
  if (a instanceof CelMap) return b instanceof CelMap && equalMaps(a, b);
  if (a instanceof CelObject) return b instanceof CelObject && equalObjects(a, b);
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0;
  if (a instanceof Timestamp) return b instanceof Timestamp && a.nanos === b.nanos;
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos;
  if (a instanceof TypeValue) return b instanceof TypeValue && types.typeText(a.type) === types.typeText(b.type);
  if (a instanceof Opaque) return b instanceof Opaque && a.equals(b);
  if (a instanceof Optional && b instanceof Optional) {
    if (a.value === undefined || b.value === undefined) return a.value === b.value;
    return equal(a.value, b.value);
  }
  return false;
}

const order = (a: bigint | number | string | boolean, b: typeof a): -1 | 0 | 1 => (a < b ? -1 : a > b ? 1 : 0);

/** The order of two values of one kind. Throws for values that have none. */
export function compare(a: Value, b: Value): -1 | 0 | 1 {
  const [x, y] = [numberOf(a), numberOf(b)];
  if (x !== undefined && y !== undefined) {
    if (Number.isNaN(x) || Number.isNaN(y)) throw new CelError('NaN values cannot be ordered');
    return order(x, y);
  }
  if (typeof a === 'string' && typeof b === 'string')
    return Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b))) as -1;
  if (typeof a === 'boolean' && typeof b === 'boolean') return order(a, b);
  if (a instanceof Timestamp && b instanceof Timestamp) return order(a.nanos, b.nanos);
  if (a instanceof Duration && b instanceof Duration) return order(a.nanos, b.nanos);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Math.sign(Buffer.compare(a, b)) as -1;
  throw new CelError('no such overload');
}

/** The type of a value, as far as the value tells. */
export function typeOfValue(value: Value): types.Type {
  if (value === null) return types.nullType;
  switch (typeof value) {
    case 'boolean':
      return types.bool;
    case 'string':
      return types.string;
    case 'number':
      return types.double;
    case 'bigint':
      return types.int;
    default:
  }
  if (value instanceof List) return types.list(types.dyn);
  if (value instanceof CelMap || value instanceof CelObject) return types.map(types.dyn, types.dyn);
  if (value instanceof Opaque) return value.type;
  if (value instanceof Uint) return types.uint;
  if (value instanceof Timestamp) return types.timestamp;
  if (value instanceof Duration) return types.duration;
  if (value instanceof Optional) return types.optional(types.dyn);
  return value instanceof TypeValue ? types.typeOf(types.dyn) : types.bytes;
}

const shapes: Readonly<Record<types.Type['kind'], (value: Value, type: types.Type) => boolean>> = {
  dyn: () => true,
  param: () => true,
  error: () => false,
  null: value => value === null,
  bool: value => typeof value === 'boolean',
  int: value => typeof value === 'bigint',
  uint: value => value instanceof Uint,
  double: value => typeof value === 'number',
  string: value => typeof value === 'string',
  bytes: value => value instanceof Uint8Array,
  timestamp: value => value instanceof Timestamp,
  duration: value => value instanceof Duration,
  list: value => value instanceof List,
  map: value => value instanceof CelMap || value instanceof CelObject,
  object: value => value instanceof CelObject,
  optional: value => value instanceof Optional,
  type: value => value instanceof TypeValue,
  opaque: (value, type) =>
    value instanceof Opaque && type.kind === 'opaque' && (value.type as typeof type).name === type.name,
};

/** Whether a value may stand where a type is wanted, by its outermost shape. */
export const isOf = (value: Value, type: types.Type): boolean => shapes[type.kind](value, type);

/** The number of code points. */
export function runeCount(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length - 1; i++)
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
      count--;
      i++;
    }
  return count;
}

/** The size that costs are counted in: runes of strings, bytes, items, entries; 1 for all else. */
export function sizeOf(value: Value): number {
  if (typeof value === 'string') return runeCount(value);
  if (value instanceof Uint8Array) return value.length;
  if (value instanceof List) return value.size;
  if (value instanceof CelMap) return value.size;
  if (value instanceof CelObject) return Object.keys(value.raw).length;
  if (value instanceof Opaque) return value.size;
  return value instanceof Optional && value.value !== undefined ? sizeOf(value.value) : 1;
}

/** What looking at all of a value costs: a tenth of the bytes of texts, 1 for other scalars. */
export function walked(value: Value): number {
  if (typeof value === 'string') return Math.trunc(Buffer.byteLength(value) * 0.1);
  if (value instanceof Uint8Array) return Math.trunc(value.length * 0.1);
  let sum = 0;
  if (value instanceof List) {
    for (let i = 0; i < value.size; i++) sum += walked(value.at(i));
    return sum;
  }
  if (!(value instanceof CelMap)) return 1;
  for (const key of value.keys()) sum += walked(key) + walked(value.get(key) as Value);
  return sum;
}

/** Beyond this many parts a list is put into one array. */
const maxParts = 32;

/** Lists built item by item share one array; others stay views of their parts. */
function append(a: List, b: List): List {
  const size = a.size + b.size;
  const parts = a.parts + b.parts;
  const continues = a.growing?.length === a.size;
  if (!continues && a.size > 0 && parts <= maxParts)
    return new List(size, i => (i < a.size ? a.at(i) : b.at(i - a.size)), undefined, undefined, parts);
  const all = continues ? a.growing : a.toArray();
  for (let i = 0; i < b.size; i++) all.push(b.at(i));
  return new List(size, i => all[i] as Value, undefined, all);
}

/** Two lists as one: appended, united (sets), or merged by key (maps of the schema). */
export function concat(a: List, b: List): List {
  const { like } = a;
  if (like === undefined) return append(a, b);
  const [first, second] = [a.toArray(), b.toArray()];
  if (like === 'set') {
    const fresh = second.filter(item => !first.some(other => equal(item, other)));
    const all = [...first, ...fresh];
    return new List(all.length, i => all[i] as Value, like);
  }
  const kept = first.map(item => counterpart(item, like, second) ?? item);
  const all = [...kept, ...second.filter(item => counterpart(item, like, first) === undefined)];
  return new List(all.length, i => all[i] as Value, like);
}
