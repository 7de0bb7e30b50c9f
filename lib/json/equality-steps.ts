/** Compares JSON values in steps. */
import { type InSteps, Strides } from '../time-slice.js';
import { isEmpty, semanticEqual } from './equality.js';
import { LargeValues } from './large-values.js';

type Plain = Readonly<Record<string, unknown>>;

/** Values that are compared in one step, which takes less than a millisecond. */
const maxValuesPerStep = 1000;

/** As `semanticEqual`, in steps, for values that may be large. The first step does nothing: other work may have used up this turn. */
export function* semanticEqualSteps(a: unknown, b: unknown): InSteps<boolean> {
  yield;
  return yield* equalSteps(a, b, new LargeValues(maxValuesPerStep));
}

const isLarge = (value: unknown, large: LargeValues): value is object =>
  typeof value === 'object' && value !== null && large.isLarge(value);

function* equalSteps(a: unknown, b: unknown, large: LargeValues): InSteps<boolean> {
  // A large value and a small one are compared up to their first difference, which is near.
  if (a === b || !isLarge(a, large) || !isLarge(b, large) || Array.isArray(a) !== Array.isArray(b))
    return semanticEqual(a, b);
  yield;
  return Array.isArray(a)
    ? yield* sameItemSteps(a, b as readonly unknown[], large)
    : yield* sameMemberSteps(a as Plain, b as Plain, large);
}

function* sameItemSteps(a: readonly unknown[], b: readonly unknown[], large: LargeValues): InSteps<boolean> {
  if (a.length !== b.length) return false;
  const strides = new Strides();
  for (const [i, item] of a.entries()) {
    if (!(yield* equalSteps(item, b[i], large))) return false;
    if (strides.isOver) yield;
  }
  return true;
}

function* sameMemberSteps(x: Plain, y: Plain, large: LargeValues): InSteps<boolean> {
  const strides = new Strides();
  for (const key of large.keysOf(x)) {
    const other = Object.hasOwn(y, key) ? y[key] : undefined;
    if (!(yield* equalSteps(x[key], other, large))) return false;
    if (strides.isOver) yield;
  }
  yield;
  for (const key of large.keysOf(y)) {
    if (!Object.hasOwn(x, key) && !isEmpty(y[key])) return false;
    if (strides.isOver) yield;
  }
  return true;
}
