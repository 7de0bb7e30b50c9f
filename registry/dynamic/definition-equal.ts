import { deepEqual } from '../../lib/json/equality.js';

type Plain = Readonly<Record<string, unknown>>;

/** Fields that are maps, for which empty equals absent; other empty objects differ from absent ones. */
const maps: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'definitions', 'dependencies']);
/** Fields that hold any JSON. */
const values: ReadonlySet<string> = new Set(['default', 'example', 'enum']);

function isEmpty(value: unknown, field: string): boolean {
  if (value == null) return true;
  if (typeof value !== 'object') return false;
  if (Array.isArray(value)) return value.length === 0;
  return maps.has(field) && Object.keys(value).length === 0;
}

/** Compares parts of definitions. An empty object differs from an absent one, an empty list does not. `field` is the name of their field. */
// as apimachinery/pkg/api/equality Semantic.DeepEqual of apiextensions types
export function definitionEqual(a: unknown, b: unknown, field = ''): boolean {
  if (a === b) return true;
  if (values.has(field)) return deepEqual(a, b);
  if (isEmpty(a, field)) return isEmpty(b, field);
  if (isEmpty(b, field) || typeof a !== 'object' || typeof b !== 'object') return false;
  if (Array.isArray(a) || Array.isArray(b)) return Array.isArray(a) && Array.isArray(b) && sameItems(a, b);
  const [x, y] = [a as Plain, b as Plain];
  // The keys of maps are not field names.
  const isInMap = maps.has(field);
  for (const key of Object.keys(x))
    if (!definitionEqual(x[key], Object.hasOwn(y, key) ? y[key] : undefined, isInMap ? '' : key)) return false;
  for (const key of Object.keys(y))
    if (!Object.hasOwn(x, key) && !definitionEqual(undefined, y[key], isInMap ? '' : key)) return false;
  return true;
}

function sameItems(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, i) => definitionEqual(item, b[i]));
}
