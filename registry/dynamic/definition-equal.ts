import { deepEqual } from '../../lib/json/equality.js';
import { deepEqualSteps } from '../../lib/json/equality-steps.js';
import { LargeValues } from '../../lib/json/large-values.js';
import { type InSteps, Strides } from '../../lib/time-slice.js';

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

/** Values that are compared in one step, which takes less than a millisecond. */
const maxValuesPerStep = 1000;

/**
 * As `definitionEqual`, in steps, for definitions that may be large. The first step does nothing: other work may have used up this turn. Small parts
 * are compared by `definitionEqual`: a schema of 2 KiB took 2.2 times as long in steps.
 */
export function* definitionEqualSteps(a: unknown, b: unknown, field = ''): InSteps<boolean> {
  if ((yield) === true) return definitionEqual(a, b, field);
  return yield* equalitySteps(a, b, field, new LargeValues(maxValuesPerStep));
}

const isLarge = (value: unknown, large: LargeValues): value is object =>
  typeof value === 'object' && value !== null && large.isLarge(value);

function* equalitySteps(a: unknown, b: unknown, field: string, large: LargeValues): InSteps<boolean> {
  if (a === b || !isLarge(a, large) || !isLarge(b, large)) return definitionEqual(a, b, field);
  if (values.has(field)) return yield* deepEqualSteps(a, b);
  const isList = Array.isArray(a);
  if (isList !== Array.isArray(b)) return false;
  const [x, y] = [a as Plain, b as Plain];
  // The keys of maps, and the indexes of lists, are not field names.
  const isNamed = !isList && !maps.has(field);
  const strides = new Strides();
  for (const key of large.keysOf(x)) {
    const other = Object.hasOwn(y, key) ? y[key] : undefined;
    if (!(yield* equalitySteps(x[key], other, isNamed ? key : '', large))) return false;
    if (strides.isOver) yield;
  }
  for (const key of large.keysOf(y)) {
    if (!Object.hasOwn(x, key) && !definitionEqual(undefined, y[key], isNamed ? key : '')) return false;
    if (strides.isOver) yield;
  }
  return !isList || large.keysOf(x).length === large.keysOf(y).length;
}
