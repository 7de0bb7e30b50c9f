/**
 * Reads objects that users and members wrote: any JSON may be in any place. The rules are those of Karmada's scripts (Lua), since they decide
 * when an operation fails: null is absent, a field of something that is absent, a number or a boolean cannot be read, and a string has no fields.
 */
import type { JsonObject } from '../../../apimachinery/interface.js';
import { ExpectedError } from '../../../lib/logging/cause.js';
import { luaNumberText } from '../lua/number-text.js';
import { isMap } from '../../../lib/json/is-map.js';

/** Returns `a number`, for a message. */
function described(value: unknown): string {
  if (value === undefined || value === null) return 'missing';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'string' ? 'a string' : typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** Returns an error that says what the value at the place is. */
export const unexpected = (place: string, value: unknown, wanted: string): ExpectedError =>
  new ExpectedError(`${place} is ${described(value)}, not ${wanted}`);

function walk(object: unknown, path: readonly string[], isOptional: boolean): unknown {
  let value = object;
  let depth = 0;
  for (const key of path) {
    if (isOptional && (value === undefined || value === null)) return undefined;
    if (typeof value !== 'string' && (typeof value !== 'object' || value === null)) {
      const parent = path.slice(0, depth).join('.') || 'the value';
      throw unexpected(parent, value, `an object with ${key}`);
    }
    value = isMap(value) && Object.hasOwn(value, key) ? value[key] : undefined;
    depth++;
  }
  return typeof value === 'bigint' ? Number(value) : (value ?? undefined);
}

/** Returns the value at a path of keys; undefined if the last one is absent. Throws if a parent is absent or cannot have fields. */
export const fieldAt = (object: unknown, ...path: readonly string[]): unknown => walk(object, path, false);

/** Returns the value at a path of keys; undefined if it or a parent is absent. Throws if a parent cannot have fields. */
export const fieldIfAny = (object: unknown, ...path: readonly string[]): unknown => walk(object, path, true);

/** Returns the namespace of an object; undefined for a cluster-scoped one. */
export function namespaceOf(object: unknown): string | undefined {
  const namespace = fieldAt(object, 'metadata', 'namespace');
  return namespace === undefined ? undefined : textOf(namespace, 'metadata.namespace');
}

/** Returns the items of a list without null. An object and an empty string have none, as in Lua. Throws if the value is anything else. */
export function itemsOf(value: unknown, place: string): readonly unknown[] {
  if (Array.isArray(value)) return value.filter(item => item !== null);
  if (isMap(value) || value === '') return [];
  throw unexpected(place, value, 'a list');
}

/** Returns a value for arithmetic. A string with a decimal number is one. Throws if the value is no number. */
export function numberOf(value: unknown, place: string): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'string' && /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?\s*$/i.test(value))
    return Number(value);
  throw unexpected(place, value, 'a number');
}

/** Returns a value that becomes part of a string. Throws if it is no string or number. */
export function textOf(value: unknown, place: string): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return luaNumberText(value);
  throw unexpected(place, value, 'a string');
}

/** Returns the value if it is an object. An empty list is an empty object, as in Lua. Throws if the value is anything else. */
export function mapOf(value: unknown, place: string): JsonObject {
  if (isMap(value)) return value;
  if (Array.isArray(value) && value.every(item => item === null)) return {};
  throw unexpected(place, value, 'an object');
}

/** Compares two numbers, or two texts. Throws if the values are anything else. */
export function isLess(a: unknown, b: unknown, place: string): boolean {
  if (typeof a === 'number' && typeof b === 'number') return a < b;
  if (typeof a === 'string' && typeof b === 'string') return a < b;
  throw new ExpectedError(`${place} cannot be compared: one is ${described(a)}, the other ${described(b)}`);
}
