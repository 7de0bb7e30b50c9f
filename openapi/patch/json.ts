/** What the patches share about JSON values. Inputs are never changed; results share what did not change. */
import type { JsonObject } from '../interface.js';

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Own properties only: `constructor` and `__proto__` are keys like any other. */
export function has(object: JsonObject, key: string): boolean {
  return Object.hasOwn(object, key);
}

export function get(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Sets an own property, whatever its name. */
export function put(object: JsonObject, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  else object[key] = value;
}

// hot: most comparisons end at the first line, since what did not change is shared
/** Deep equality of JSON values; key order does not matter, a key that is absent differs from one that is null. */
export function equalJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (!equalJson(a[i], b[i])) return false;
    return true;
  }
  if (Array.isArray(b)) return false;
  const left = a as JsonObject;
  const right = b as JsonObject;
  let keys = 0;
  for (const key in left) {
    if (!Object.hasOwn(right, key) || !equalJson(left[key], right[key])) return false;
    keys++;
  }
  for (const _ in right) keys--;
  return keys === 0;
}

/** A copy with its keys sorted, one level deep. */
export function sortedByKey(object: JsonObject): JsonObject {
  const out: JsonObject = {};
  for (const key of Object.keys(object).sort()) put(out, key, object[key]);
  return out;
}
