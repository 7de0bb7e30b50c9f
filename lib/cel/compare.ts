/** Equality and order of values, and concatenation of lists. */
import type { Steps } from '../steps.js';
import { Cancelled } from './cancelled.js';
import { jsonValue } from './json-value.js';
import { CelValueSet, counterpartsOf } from './value-set.js';
import { Opaque } from './opaque.js';
import { typeText } from './types.js';
import {
  CelError,
  CelMap,
  CelObject,
  Duration,
  List,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from './values.js';

/** Returns the numeric value; undefined for other types. */
function numberOf(value: Value): bigint | number | undefined {
  if (typeof value === 'bigint' || typeof value === 'number') return value;
  return value instanceof Uint ? value.value : undefined;
}

/**
 * Returns the order of two numbers of any type: ints are compared exactly with ints, and as doubles with doubles. as cel-go v0.26
 * common/types/compare.go
 */
const orderOf = (a: bigint | number, b: bigint | number): -1 | 0 | 1 =>
  typeof a === typeof b ? order(a, b) : order(Number(a), Number(b));

const sameItems = (a: List, b: List, steps: Steps): boolean => {
  for (let i = 0; i < a.size; i++) if (!equal(a.at(i), b.at(i), steps)) return false;
  return true;
};

function equalLists(a: List, b: List, steps: Steps): boolean {
  if (a.size !== b.size) return false;
  const { like } = a;
  if (like === undefined) return sameItems(a, b, steps);
  if (like === 'set') {
    const others = new CelValueSet(b.toArray(steps), equal, steps);
    return a.toArray(steps).every(item => others.has(item, steps));
  }
  const find = counterpartsOf(b.toArray(steps), like, equal, steps);
  return a.toArray(steps).every(item => {
    const other = find(item, steps);
    return other !== undefined && equal(item, other, steps);
  });
}

function equalMaps(a: CelMap, b: CelMap, steps: Steps): boolean {
  if (a.size !== b.size) return false;
  steps.take(2 * a.size);
  return a.keys().every(key => {
    const [x, y] = [a.get(key), b.get(key)];
    return x !== undefined && y !== undefined && equal(x, y, steps);
  });
}

/** Compares objects; fields that their type does not have are compared as JSON. */
function equalObjects(a: CelObject, b: CelObject, steps: Steps): boolean {
  if (a.struct?.name !== b.struct?.name) return false;
  const members = Object.keys(a.raw);
  steps.take(4 * members.length);
  if (members.length !== Object.keys(b.raw).length) return false;
  return members.every(member => {
    const field = a.knows(member);
    if (field === undefined) return !Object.hasOwn(b.raw, member) || equalJson(a.raw[member], b.raw[member], steps);
    const [x, y] = [a.get(field), b.get(field)];
    return x === undefined || y === undefined ? x === y : equal(x, y, steps);
  });
}

/** Compares JSON without a schema. */
export const equalJson = (a: unknown, b: unknown, steps: Steps): boolean => equal(jsonValue(a), jsonValue(b), steps);

/** Returns whether values are equal: numbers across their types; other values of different types are not. Counts the visited values. */
export function equal(a: Value, b: Value, steps: Steps): boolean {
  if (a === b) return true;
  if (typeof a === 'boolean') return false;
  const [x, y] = [numberOf(a), numberOf(b)];
  if (x !== undefined || y !== undefined)
    return x !== undefined && y !== undefined && !Number.isNaN(x) && !Number.isNaN(y) && orderOf(x, y) === 0;
  if (typeof a === 'string') {
    // Strings of equal length are compared completely.
    if (typeof b === 'string' && a.length === b.length) steps.take(a.length >> 4);
    return a === b;
  }
  steps.take(2);
  if (a instanceof List) return b instanceof List && equalLists(a, b, steps);
  if (a instanceof CelMap) return b instanceof CelMap && equalMaps(a, b, steps);
  if (a instanceof CelObject) return b instanceof CelObject && equalObjects(a, b, steps);
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0;
  if (a instanceof Timestamp) return b instanceof Timestamp && a.nanos === b.nanos;
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos;
  if (a instanceof TypeValue) return b instanceof TypeValue && typeText(a.type) === typeText(b.type);
  if (a instanceof Opaque) return b instanceof Opaque && a.equals(b, steps);
  if (a instanceof Optional && b instanceof Optional) {
    if (a.value === undefined || b.value === undefined) return a.value === b.value;
    return equal(a.value, b.value, steps);
  }
  return false;
}

const order = (a: bigint | number | string | boolean, b: typeof a): -1 | 0 | 1 => (a < b ? -1 : a > b ? 1 : 0);

/** Returns the rank of a UTF-16 unit in code point order: surrogates come last. */
const rank = (unit: number): number => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800);

/** Returns the order of strings by code points, which is that of their UTF-8 bytes. */
function orderOfTexts(a: string, b: string, steps: Steps): -1 | 0 | 1 {
  if (a === b) return 0;
  const end = Math.min(a.length, b.length);
  steps.take(end >> 3);
  for (let i = 0; i < end; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (x !== y) return rank(x) < rank(y) ? -1 : 1;
  }
  return order(a.length, b.length);
}

/** Returns the order of two values of one type. Throws for values without order. Counts the characters of strings. */
export function compare(a: Value, b: Value, steps: Steps): -1 | 0 | 1 {
  const [x, y] = [numberOf(a), numberOf(b)];
  if (x !== undefined && y !== undefined) {
    if (Number.isNaN(x) || Number.isNaN(y)) throw new CelError('NaN values cannot be ordered');
    return orderOf(x, y);
  }
  if (typeof a === 'string' && typeof b === 'string') return orderOfTexts(a, b, steps);
  if (typeof a === 'boolean' && typeof b === 'boolean') return order(a, b);
  if (a instanceof Timestamp && b instanceof Timestamp) return order(a.nanos, b.nanos);
  if (a instanceof Duration && b instanceof Duration) return order(a.nanos, b.nanos);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Math.sign(Buffer.compare(a, b)) as -1;
  throw new CelError('no such overload');
}

/** Up to this number, items are copied one by one; larger lists become views. */
const maxCopied = 64;
/** Nesting depth of list views, beyond which a list is copied. */
const maxViewDepth = 48;

/** Appends a list. Lists built item by item share one array; others are views of their parts, so that joining large lists takes no memory. */
function append(a: List, b: List, steps: Steps): List {
  const size = a.size + b.size;
  if (!Number.isSafeInteger(size)) throw new Cancelled('a list is larger than lists may be');
  const shared = a.growing?.length === a.size ? a.growing : a.size === 0 ? [] : undefined;
  if (shared && b.size <= maxCopied) {
    steps.take(2 * b.size);
    for (let i = 0; i < b.size; i++) shared.push(b.at(i));
    return new List(size, i => shared[i] as Value, undefined, shared);
  }
  const depth = Math.max(a.depth, b.depth) + 1;
  if (depth <= maxViewDepth)
    return new List(size, i => (i < a.size ? a.at(i) : b.at(i - a.size)), undefined, undefined, depth);
  steps.take(2 * size);
  const all = Array.from({ length: size }, (_, i) => (i < a.size ? a.at(i) : b.at(i - a.size)));
  return new List(size, i => all[i] as Value, undefined, all);
}

/** Returns two lists as one: appended, united (sets), or merged by key (list maps of the schema). */
export function concat(steps: Steps, a: List, b: List): List {
  const { like } = a;
  if (like === undefined) return append(a, b, steps);
  const [first, second] = [a.toArray(steps), b.toArray(steps)];
  if (like === 'set') {
    const known = new CelValueSet(first, equal, steps);
    const all = [...first, ...second.filter(item => !known.has(item, steps))];
    return new List(all.length, i => all[i] as Value, like);
  }
  const [inFirst, inSecond] = [counterpartsOf(first, like, equal, steps), counterpartsOf(second, like, equal, steps)];
  const kept = first.map(item => inSecond(item, steps) ?? item);
  const all = [...kept, ...second.filter(item => inFirst(item, steps) === undefined)];
  return new List(all.length, i => all[i] as Value, like);
}
