import type { JsonObject } from '../../../apimachinery/interface.js';
import { setKey } from '../../../lib/json/clone.js';
import { isMap } from '../../../lib/json/is-map.js';

type IsZero = (value: unknown) => boolean;

function remaining(value: unknown, isZero: IsZero): unknown {
  if (Array.isArray(value)) {
    const items = value.map(item => remaining(item, isZero)).filter(item => item !== undefined);
    return items.length > 0 ? items : undefined;
  }
  if (isMap(value)) return withoutZeros(value, isZero);
  return value === null || isZero(value) ? undefined : value;
}

/** Returns a copy without null, what `isZero` holds for, and all that is empty without these; undefined if nothing remains. */
export function withoutZeros(object: JsonObject, isZero: IsZero): JsonObject | undefined {
  const result: JsonObject = {};
  for (const [key, value] of Object.entries(object)) {
    const kept = remaining(value, isZero);
    if (kept !== undefined) setKey(result, key, kept);
  }
  return Object.keys(result).length > 0 ? result : undefined;
}

/** Reports whether a field of a job's status is left out: a count of zero, an empty string or duration. */
export const isZeroOfStatus = (value: unknown): boolean => value === 0 || value === '' || value === '0s';
