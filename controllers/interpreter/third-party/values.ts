/** Conversions of values of any type by the rules of Karmada's scripts (Lua). */
import { refuseMany } from '../answers/fields.js';
import { luaNumberOf } from '../lua/number-syntax.js';
import { mapOf, numberOf, unexpected } from './read.js';

/** Returns whether the value counts as true in a condition: zero and an empty string do. */
export const isTruthy = (value: unknown): boolean => value !== undefined && value !== null && value !== false;

/** Returns whether the value is absent or an empty string. */
export const isBlank = (value: unknown): boolean => value === undefined || value === null || value === '';

/** Returns a number, or the number that a string is; undefined for all else. */
export function toNumber(value: unknown): number | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value);
  return typeof value === 'string' ? luaNumberOf(value) : undefined;
}

/** Returns a value for a sum; 0 if it is absent. Throws if it is no number. */
export const countOf = (value: unknown, place: string): number => (isTruthy(value) ? numberOf(value, place) : 0);

/** Entries of an object whose keys are names, such as those of the executors of a job. differs: upstream takes any number. */
const maxEntries = 20_000;

/** Returns the keys of an object or a list with their values, without null. Throws if the value is anything else, or has too many. */
export function entriesIn(value: unknown, place: string): readonly (readonly [string, unknown])[] {
  const map = Array.isArray(value) ? { ...(value as unknown[]) } : mapOf(value, place);
  const entries: [string, unknown][] = [];
  const keys = Object.keys(map);
  refuseMany(keys, maxEntries, `entries of ${place}`);
  for (const key of keys) {
    const item = map[key];
    if (item !== undefined && item !== null) entries.push([key, item]);
  }
  return entries;
}

/** Returns a string; undefined if it is absent or empty. Throws if the value is no string. */
export function textIfAny(value: unknown, place: string): string | undefined {
  if (isBlank(value)) return undefined;
  if (typeof value !== 'string') throw unexpected(place, value, 'a string');
  return value;
}
