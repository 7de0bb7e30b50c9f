/** What the patches share about JSON values. Inputs are never changed; results share what did not change. */
import type { JsonObject } from '../interface.js';
import { setKey } from '../../lib/json/clone.js';
import { Literal } from '../../lib/json/literal.js';

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Literal);
}

/** Own properties only: `constructor` and `__proto__` are keys like any other. */
export function has(object: JsonObject, key: string): boolean {
  return Object.hasOwn(object, key);
}

export function get(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** A copy with its keys sorted, one level deep. */
export function sortedByKey(object: JsonObject): JsonObject {
  const out: JsonObject = {};
  for (const key of Object.keys(object).sort()) setKey(out, key, object[key]);
  return out;
}
