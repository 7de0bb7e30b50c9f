/** Types and sizes of values. */
import type { Steps } from '../steps.js';
import { Opaque } from './opaque.js';
import * as types from './types.js';
import { CelMap, CelObject, Duration, List, Optional, Timestamp, TypeValue, Uint, type Value } from './values.js';

/** Returns the type of a value, as far as the value determines it. */
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

/** Returns whether a value fits a type, by its outermost shape. */
export const isOf = (value: Value, type: types.Type): boolean => shapes[type.kind](value, type);

/** Returns the number of code points. */
export function runeCount(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length - 1; i++)
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
      count--;
      i++;
    }
  return count;
}

/** Returns the size for costs: code points, bytes, items or entries; 1 for other values. */
export function sizeOf(value: Value): number {
  if (typeof value === 'string') return runeCount(value);
  if (value instanceof Uint8Array) return value.length;
  if (value instanceof List) return value.size;
  if (value instanceof CelMap) return value.size;
  if (value instanceof CelObject) return Object.keys(value.raw).length;
  if (value instanceof Opaque) return value.size;
  return value instanceof Optional && value.value !== undefined ? sizeOf(value.value) : 1;
}

/** Returns the cost of visiting all of a value: a tenth of the bytes of strings, 1 for other scalars. */
export function walked(value: Value, steps: Steps): number {
  if (typeof value === 'string') {
    steps.take(1 + (value.length >> 3));
    return Math.trunc(Buffer.byteLength(value) * 0.1);
  }
  if (value instanceof Uint8Array) return Math.trunc(value.length * 0.1);
  steps.take(1);
  let sum = 0;
  if (value instanceof List) {
    for (let i = 0; i < value.size; i++) sum += walked(value.at(i), steps);
    return sum;
  }
  if (!(value instanceof CelMap)) return 1;
  for (const key of value.keys()) sum += walked(key, steps) + walked(value.get(key) as Value, steps);
  return sum;
}
