import { compareTexts } from '../../../lib/collections/compare-texts.js';
import { isSorted } from '../../../lib/collections/is-sorted.js';
import { sortInSteps } from '../../../lib/collections/sort-in-steps.js';
import { setKey } from '../../../lib/json/clone.js';
import { LargeValues } from '../../../lib/json/large-values.js';
import { type InSteps, Strides } from '../../../lib/time-slice.js';

type Plain = Record<string, unknown>;

interface SortOptions {
  /** Values that are in this form already, and are not copied. */
  readonly canonicalParts?: readonly unknown[] | undefined;
  /** The caller does not use the value afterwards, so parts that are in this form already are not copied. */
  readonly shareCanonical?: boolean;
}

/** Values that are copied in one step, which takes less than a millisecond. */
const maxValuesPerStep = 1000;

/** hot: every custom resource that is written. Returns a copy with the keys of all objects sorted, and without undefined values. */
export function sortedCopy(value: unknown, { canonicalParts, shareCanonical = false }: SortOptions = {}): unknown {
  return sorted(value, canonicalParts, shareCanonical);
}

/**
 * As `sortedCopy`, in steps, for values that may be large. The first step does nothing: other work may have used up this turn. Small parts are copied
 * by `sortedCopy`: an object of 2 KiB took 7 times as long in steps.
 */
export function* sortedCopySteps(value: unknown, options: SortOptions = {}): InSteps<unknown> {
  if ((yield) === true) return sortedCopy(value, options);
  return yield* copySteps(value, options, new LargeValues(maxValuesPerStep));
}

function* copySteps(value: unknown, options: SortOptions, large: LargeValues): InSteps<unknown> {
  if (typeof value !== 'object' || value === null) return value;
  if (options.canonicalParts?.includes(value) || !large.isLarge(value)) return sortedCopy(value, options);
  yield;
  return yield* Array.isArray(value) ? itemSteps(value, options, large) : entrySteps(value as Plain, options, large);
}

function* itemSteps(list: readonly unknown[], options: SortOptions, large: LargeValues): InSteps<unknown> {
  const strides = new Strides();
  const out: unknown[] = [];
  let isSame = options.shareCanonical ?? false;
  for (const item of list) {
    const made = typeof item === 'object' ? yield* copySteps(item, options, large) : item;
    if (made !== item) isSame = false;
    out.push(made);
    if (strides.isOver) yield;
  }
  return isSame ? list : out;
}

function* entrySteps(from: Plain, options: SortOptions, large: LargeValues): InSteps<unknown> {
  const strides = new Strides();
  let keys = large.keysOf(from);
  const inOrder = isSorted(keys);
  if (!inOrder) keys = yield* sortInSteps(keys, compareTexts);
  const values: unknown[] = [];
  let isSame = inOrder && (options.shareCanonical ?? false);
  for (const key of keys) {
    const inner = from[key];
    const made = typeof inner === 'object' ? yield* copySteps(inner, options, large) : inner;
    if (made === undefined || made !== inner) isSame = false;
    values.push(made);
    if (strides.isOver) yield;
  }
  if (isSame) return from;
  const out: Plain = {};
  for (const [i, key] of keys.entries()) {
    if (values[i] !== undefined) setKey(out, key, values[i]);
    if (strides.isOver) yield;
  }
  return out;
}

function sorted(value: unknown, canonicalParts: readonly unknown[] | undefined, shareCanonical: boolean): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (canonicalParts?.includes(value)) return value;
  return Array.isArray(value)
    ? sortedItems(value, canonicalParts, shareCanonical)
    : sortedEntries(value as Plain, canonicalParts, shareCanonical);
}

function sortedItems(
  list: readonly unknown[],
  canonicalParts: readonly unknown[] | undefined,
  shareCanonical: boolean,
): unknown {
  let out: unknown[] | undefined = shareCanonical ? undefined : [];
  for (let i = 0; i < list.length; i++) {
    const item = list[i];
    const made = sorted(item, canonicalParts, shareCanonical);
    if (out === undefined && made !== item) out = list.slice(0, i);
    out?.push(made);
  }
  return out ?? list;
}

function sortedEntries(from: Plain, canonicalParts: readonly unknown[] | undefined, shareCanonical: boolean): unknown {
  const keys = Object.keys(from);
  const inOrder = isSorted(keys);
  if (!inOrder) keys.sort();
  let out: Plain | undefined = shareCanonical && inOrder ? undefined : {};
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] ?? '';
    const inner = from[key];
    const made = sorted(inner, canonicalParts, shareCanonical);
    if (out === undefined && (made === undefined || made !== inner)) {
      out = {};
      for (const name of keys.slice(0, i)) setKey(out, name, from[name]);
    }
    if (out !== undefined && made !== undefined) setKey(out, key, made);
  }
  return out ?? from;
}
