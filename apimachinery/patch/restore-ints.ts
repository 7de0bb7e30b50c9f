/**
 * Converts numbers in the integer fields of a native type after strategic patches and applies as Go does: an integer that is too large
 * loses its upper bits, a float beyond int64 becomes the smallest int64 (on amd64). as apimachinery/pkg/runtime/converter.go fromUnstructured
 */
import { cloneJson } from '../../lib/json/clone.js';
import { int64Of, isNumeric, minInt64, type Int64 } from '../../lib/json/json.js';
import type { Schema } from '../codec/interface.js';
import { ownMember, isObject } from './json.js';

function converted(value: Int64, bits: 32 | 64): Int64 {
  if (typeof value === 'number' && !Number.isInteger(value)) return value;
  const whole = BigInt(value);
  return int64Of(BigInt.asIntN(bits, BigInt.asIntN(64, whole) === whole ? whole : minInt64));
}

/** Converts a value in place, and returns it; returns the converted value of a scalar. */
function restore(value: unknown, schema: Schema): unknown {
  if (schema.scalar !== undefined) return value;
  if (schema.type === 'integer')
    return isNumeric(value) ? converted(value, schema.format === 'int32' ? 32 : 64) : value;
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items) for (let i = 0; i < value.length; i++) value[i] = restore(value[i], items);
  } else if (isObject(value)) {
    const { properties = {}, additionalProperties: more } = schema;
    for (const name of Object.keys(value)) {
      const of = ownMember(properties, name) ?? (typeof more === 'object' ? more : undefined);
      if (of) value[name] = restore(value[name], of);
    }
  }
  return value;
}

/** Returns a copy of an object of a native type with converted integer fields. */
export const restoredInts = <T>(object: T, schema: Schema): T => restore(cloneJson(object), schema) as T;
