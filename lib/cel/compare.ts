/** Which values are equal, which come first, and lists put together. */
import type { Steps } from '../steps.js';
import { Cancelled } from './cancelled.js';
import { jsonValue } from './json-value.js';
import { Members, counterpartsOf } from './members.js';
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

/** The number that a value is. */
function numberOf(value: Value): bigint | number | undefined {
  if (typeof value === 'bigint' || typeof value === 'number') return value;
  return value instanceof Uint ? value.value : undefined;
}

/** The order of two numbers of any type: ints are exact among themselves, and doubles beside doubles. as cel-go v0.26 common/types/compare.go */
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
    const others = new Members(b.toArray(steps), equal, steps);
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

/** Members that the type does not know are compared as JSON. */
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

/** Equality of JSON that no schema describes. */
export const equalJson = (a: unknown, b: unknown, steps: Steps): boolean => equal(jsonValue(a), jsonValue(b), steps);

/** Equality: numbers across their types; values of different types are different. Counts the values that it visits. */
export function equal(a: Value, b: Value, steps: Steps): boolean {
  if (a === b) return true;
  if (typeof a === 'boolean') return false;
  const [x, y] = [numberOf(a), numberOf(b)];
  if (x !== undefined || y !== undefined)
    return x !== undefined && y !== undefined && !Number.isNaN(x) && !Number.isNaN(y) && orderOf(x, y) === 0;
  if (typeof a === 'string') {
    // Texts of one length are compared as a whole.
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

/** A UTF-16 unit as a number in the order of the characters: the halves of those beyond 0xffff come last. */
const rank = (unit: number): number => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800);

/** The order of texts by their characters, which is that of their bytes in UTF-8. */
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

/** The order of two values of one kind. Throws for values that have none. Counts the characters of texts. */
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

/** Items are put behind others one by one up to this number; more are looked at where they are. */
const maxCopied = 64;
/** How deep views of lists lie in one another; beyond that a list is copied. */
const deepest = 48;

/** Lists built item by item share one array; others are views of their parts, so that putting large lists together takes no memory. */
function append(a: List, b: List, steps: Steps): List {
  const size = a.size + b.size;
  if (!Number.isSafeInteger(size)) throw new Cancelled('a list is larger than lists may be');
  const own = a.growing?.length === a.size ? a.growing : a.size === 0 ? [] : undefined;
  if (own && b.size <= maxCopied) {
    steps.take(2 * b.size);
    for (let i = 0; i < b.size; i++) own.push(b.at(i));
    return new List(size, i => own[i] as Value, undefined, own);
  }
  const depth = Math.max(a.depth, b.depth) + 1;
  if (depth <= deepest)
    return new List(size, i => (i < a.size ? a.at(i) : b.at(i - a.size)), undefined, undefined, depth);
  steps.take(2 * size);
  const all = Array.from({ length: size }, (_, i) => (i < a.size ? a.at(i) : b.at(i - a.size)));
  return new List(size, i => all[i] as Value, undefined, all);
}

/** Two lists as one: appended, united (sets), or merged by key (maps of the schema). */
export function concat(steps: Steps, a: List, b: List): List {
  const { like } = a;
  if (like === undefined) return append(a, b, steps);
  const [first, second] = [a.toArray(steps), b.toArray(steps)];
  if (like === 'set') {
    const known = new Members(first, equal, steps);
    const all = [...first, ...second.filter(item => !known.has(item, steps))];
    return new List(all.length, i => all[i] as Value, like);
  }
  const [inFirst, inSecond] = [counterpartsOf(first, like, equal, steps), counterpartsOf(second, like, equal, steps)];
  const kept = first.map(item => inSecond(item, steps) ?? item);
  const all = [...kept, ...second.filter(item => inFirst(item, steps) === undefined)];
  return new List(all.length, i => all[i] as Value, like);
}
