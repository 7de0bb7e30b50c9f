import { deepEqual } from '../../lib/json/equality.js';

type Plain = Readonly<Record<string, unknown>>;

/** Fields that are maps, in which nothing is the same as no map; all other objects are something even when they are empty. */
const maps: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'definitions', 'dependencies']);
/** Fields that hold any JSON. */
const values: ReadonlySet<string> = new Set(['default', 'example', 'enum']);

function isNothing(value: unknown, field: string): boolean {
  if (value == null) return true;
  if (typeof value !== 'object') return false;
  if (Array.isArray(value)) return value.length === 0;
  return maps.has(field) && Object.keys(value).length === 0;
}

/** Whether parts of definitions say the same: `status: {}` is something, `shortNames: []` is nothing. `field`: where they stand. */
// as apimachinery/pkg/api/equality Semantic.DeepEqual of apiextensions types
export function definitionEqual(a: unknown, b: unknown, field = ''): boolean {
  if (a === b) return true;
  if (values.has(field)) return deepEqual(a, b);
  if (isNothing(a, field)) return isNothing(b, field);
  if (isNothing(b, field) || typeof a !== 'object' || typeof b !== 'object') return false;
  if (Array.isArray(a) || Array.isArray(b)) return Array.isArray(a) && Array.isArray(b) && sameItems(a, b);
  const [x, y] = [a as Plain, b as Plain];
  // Names inside of maps are no fields.
  const named = maps.has(field);
  for (const key of Object.keys(x))
    if (!definitionEqual(x[key], Object.hasOwn(y, key) ? y[key] : undefined, named ? '' : key)) return false;
  for (const key of Object.keys(y))
    if (!Object.hasOwn(x, key) && !definitionEqual(undefined, y[key], named ? '' : key)) return false;
  return true;
}

function sameItems(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, i) => definitionEqual(item, b[i]));
}
