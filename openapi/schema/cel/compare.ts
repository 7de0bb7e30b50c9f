/** Which values are equal, which come first, and lists put together. */
import { deepEqual } from '../../meta/equality.js';
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
  if (a.struct?.name !== b.struct?.name) return false;
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
  if (x !== undefined || y !== undefined)
    return x !== undefined && y !== undefined && !Number.isNaN(x) && !Number.isNaN(y) && orderOf(x, y) === 0;
  if (a instanceof List) return b instanceof List && equalLists(a, b);
  if (a instanceof CelMap) return b instanceof CelMap && equalMaps(a, b);
  if (a instanceof CelObject) return b instanceof CelObject && equalObjects(a, b);
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0;
  if (a instanceof Timestamp) return b instanceof Timestamp && a.nanos === b.nanos;
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos;
  if (a instanceof TypeValue) return b instanceof TypeValue && typeText(a.type) === typeText(b.type);
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
    return orderOf(x, y);
  }
  if (typeof a === 'string' && typeof b === 'string')
    return Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b))) as -1;
  if (typeof a === 'boolean' && typeof b === 'boolean') return order(a, b);
  if (a instanceof Timestamp && b instanceof Timestamp) return order(a.nanos, b.nanos);
  if (a instanceof Duration && b instanceof Duration) return order(a.nanos, b.nanos);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Math.sign(Buffer.compare(a, b)) as -1;
  throw new CelError('no such overload');
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
