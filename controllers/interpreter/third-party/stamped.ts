import type { JsonObject } from '../../../apimachinery/interface.js';
import { timestamp } from '../../../client/runtime/conditions.js';
import { isMap } from '../../../lib/json/is-map.js';

/**
 * Returns the values with times: those of the first object in `before` with the same values, otherwise the current time by `now`, in milliseconds since
 * 1970.
 * differs: Karmada always uses the current time. Here a status that has not changed is not written again.
 */
export function stamped(values: JsonObject, times: readonly string[], before: unknown, now: () => number): JsonObject {
  const candidates = Array.isArray(before) ? before.filter(isMap) : [];
  const earlier = candidates.find(
    candidate =>
      Object.keys(values).every(key => candidate[key] === values[key]) &&
      times.every(field => typeof candidate[field] === 'string'),
  );
  const current = timestamp(now());
  return { ...values, ...Object.fromEntries(times.map(field => [field, earlier?.[field] ?? current])) };
}
