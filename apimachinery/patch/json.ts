/** Functions on JSON values that the patches share. They do not change their arguments. */
import type { JsonObject } from '../interface.js';
import { setKey } from '../../lib/json/clone.js';
import { Literal } from '../../lib/json/literal.js';

/** Returns whether a value is a JSON object. A Literal is not. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Literal);
}

/** Returns whether an object has an own property, since `constructor` and `__proto__` may be keys. */
export function has(object: JsonObject, key: string): boolean {
  return Object.hasOwn(object, key);
}

/** Returns a member; undefined for a key that objects inherit, such as `constructor`. */
export function ownMember(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Returns a copy with sorted keys, one level deep. */
export function sortedByKey(object: JsonObject): JsonObject {
  const out: JsonObject = {};
  for (const key of Object.keys(object).sort()) setKey(out, key, object[key]);
  return out;
}
