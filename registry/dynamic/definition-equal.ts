import { deepEqual } from '../../lib/json/equality.js';

type Plain = Readonly<Record<string, unknown>>;

/** Fields that are maps, in which nothing is the same as no map; all other objects are something even when they are empty. */
const maps: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'definitions', 'dependencies']);
/** Fields that hold any JSON. */
const values: ReadonlySet<string> = new Set(['default', 'example', 'enum']);

const isNothing = (value: unknown, field: string): boolean => {
  if (value == null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return maps.has(field) && typeof value === 'object' && Object.keys(value).length === 0;
};

/** Whether parts of definitions say the same: `status: {}` is something, `shortNames: []` is nothing. `field`: where they stand. */
// as apimachinery/pkg/api/equality Semantic.DeepEqual of apiextensions types
export function definitionEqual(a: unknown, b: unknown, field = ''): boolean {
  if (a === b) return true;
  if (values.has(field)) return deepEqual(a, b);
  if (isNothing(a, field)) return isNothing(b, field);
  if (isNothing(b, field) || typeof a !== 'object' || typeof b !== 'object') return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [x, y] = [a as Plain, b as Plain];
  if (Array.isArray(a) && a.length !== (b as unknown[]).length) return false;
  // Names inside of maps are no fields.
  const named = maps.has(field) || Array.isArray(a);
  const get = (of: Plain, key: string): unknown => (Object.hasOwn(of, key) ? of[key] : undefined);
  const keys = new Set([...Object.keys(x), ...Object.keys(y)]);
  return [...keys].every(key => definitionEqual(get(x, key), get(y, key), named ? '' : key));
}
