/** Compares JSON values regardless of the order of keys. */
import { isNumeric } from './json.js';

type Plain = Record<string, unknown>;

/** Compares integers beyond the safe range, which may be ints or floats (1e18). */
const sameNumber = (a: unknown, b: unknown): boolean =>
  (typeof a === 'bigint' || typeof b === 'bigint') && isNumeric(a) && isNumeric(b) && a == b; // eslint-disable-line eqeqeq

/** Returns whether values are equal as JSON: an undefined key equals an absent one, null is a value. hot: every update. */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return sameNumber(a, b);
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (!deepEqual(a[i], b[i])) return false;
    return true;
  }
  if (Array.isArray(b)) return false;
  const [x, y] = [a as Plain, b as Plain];
  let count = 0;
  for (const key in x) {
    const value = x[key];
    if (value === undefined) continue;
    count++;
    if (!Object.hasOwn(y, key) || !deepEqual(value, y[key])) return false;
  }
  for (const key in y) if (y[key] !== undefined) count--;
  return count === 0;
}

/** Returns whether a value is absent, null, [] or an object of such values. */
export function isEmpty(value: unknown): boolean {
  if (value == null) return true;
  if (typeof value !== 'object') return false;
  if (Array.isArray(value)) return value.length === 0;
  for (const key in value) if (!isEmpty((value as Plain)[key])) return false;
  return true;
}

/** As deepEqual, but absent, null, [] and objects of such values are equal. as apimachinery/pkg/api/equality Semantic.DeepEqual */
export function semanticEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  // hot: this also compares empty objects. Even to find the first key of a large object takes milliseconds.
  if (isPlain(a) && isPlain(b)) return semanticallyEqualMembers(a, b);
  if (isEmpty(a)) return isEmpty(b);
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return sameNumber(a, b);
  if (!Array.isArray(a) || !Array.isArray(b)) return false;
  return a.length === b.length && a.every((item, i) => semanticEqual(item, b[i]));
}

const isPlain = (value: unknown): value is Plain =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function semanticallyEqualMembers(x: Plain, y: Plain): boolean {
  for (const key in x) if (!semanticEqual(x[key], Object.hasOwn(y, key) ? y[key] : undefined)) return false;
  for (const key in y) if (!Object.hasOwn(x, key) && !isEmpty(y[key])) return false;
  return true;
}
