/**
 * Operations on large sets in steps, with the results of `field-set.ts`. Both stand: for the sets of most objects, the generators would take several
 * times as long as the operations.
 */
import { type InSteps, Strides } from '../../../lib/time-slice.js';
import {
  difference,
  emptySet,
  intersection,
  isEmptySet,
  reused,
  unionOfSets,
  type Children,
  type FieldSet,
} from './field-set.js';
import type { PathElement } from './path-element.js';

/** Fields and items of a step: some two milliseconds for items with many keys. */
const stepLength = 1024;

/** Returns the strides of one walk through a large value or set, which all of its parts count together. */
export const newStrides = (): Strides => new Strides(stepLength);

interface Combination {
  readonly atOnce: (a: FieldSet, b: FieldSet) => FieldSet;
  readonly inSteps: (a: FieldSet, b: FieldSet, strides: Strides) => InSteps<FieldSet>;
  /** Whether the result has the fields that only the second set has. */
  readonly adds: boolean;
}

/** Returns the children whose sets change, with their new sets; an empty set stands for no child. */
function* changesOf(
  children: Children,
  others: Children,
  { atOnce, inSteps, adds }: Combination,
  strides: Strides,
): InSteps<Children> {
  const changes = new Map<PathElement, FieldSet>();
  for (const [element, other] of others) {
    if (strides.isOver) yield;
    const child = children.get(element);
    if (!child) {
      if (adds) changes.set(element, other);
      continue;
    }
    const changed = child.children && other.children ? yield* inSteps(child, other, strides) : atOnce(child, other);
    if (changed !== child) changes.set(element, changed);
  }
  return changes;
}

/** Returns the children with changed sets, of which an empty one removes a child; the children themselves if there are no changes. */
export function* withChanges(children: Children, changes: Children, strides: Strides): InSteps<Children> {
  if (changes.size === 0) return children;
  const out = new Map<PathElement, FieldSet>();
  for (const [element, child] of children) {
    if (strides.isOver) yield;
    const set = changes.get(element) ?? child;
    if (!isEmptySet(set)) out.set(element, set);
  }
  for (const [element, set] of changes) {
    if (strides.isOver) yield;
    if (!children.has(element)) out.set(element, set);
  }
  return out;
}

function* unionSteps(a: FieldSet, b: FieldSet, strides: Strides): InSteps<FieldSet> {
  if (a === b || !a.children || !b.children) return unionOfSets(a, b);
  const changes = yield* changesOf(a.children, b.children, union, strides);
  return reused(a.owned || b.owned, yield* withChanges(a.children, changes, strides), a, b);
}

const union: Combination = { atOnce: unionOfSets, inSteps: unionSteps, adds: true };

function* differenceSteps(a: FieldSet, b: FieldSet, strides: Strides): InSteps<FieldSet> {
  if (a === b || !a.children || !b.children) return difference(a, b);
  const changes = yield* changesOf(a.children, b.children, differences, strides);
  return reused(a.owned && !b.owned, yield* withChanges(a.children, changes, strides), a);
}

const differences: Combination = { atOnce: difference, inSteps: differenceSteps, adds: false };

function* intersectionSteps(a: FieldSet, b: FieldSet, strides: Strides): InSteps<FieldSet> {
  if (a === b || !a.children || !b.children) return intersection(a, b);
  const [few, many] = a.children.size <= b.children.size ? [a.children, b.children] : [b.children, a.children];
  const children = new Map<PathElement, FieldSet>();
  let isSame = true;
  for (const [element, child] of few) {
    if (strides.isOver) yield;
    const other = many.get(element) ?? emptySet;
    const both =
      child.children && other.children ? yield* intersectionSteps(child, other, strides) : intersection(child, other);
    if (both !== child) isSame = false;
    if (!isEmptySet(both)) children.set(element, both);
  }
  return reused(a.owned && b.owned, isSame ? few : children, a, b);
}

/** Returns what `unionOfSets` returns. */
export const unionInSteps = (a: FieldSet, b: FieldSet): InSteps<FieldSet> => unionSteps(a, b, newStrides());

/** Returns what `unionOf` returns. */
export function* unionOfInSteps(sets: readonly FieldSet[], strides = newStrides()): InSteps<FieldSet> {
  const [first = emptySet, second] = sets;
  if (second === undefined) return first;
  if (strides.isOver) yield;
  const middle = sets.length >> 1;
  const left = yield* unionOfInSteps(sets.slice(0, middle), strides);
  return yield* unionSteps(left, yield* unionOfInSteps(sets.slice(middle), strides), strides);
}

/** Returns what `difference` returns. */
export const differenceInSteps = (a: FieldSet, b: FieldSet): InSteps<FieldSet> => differenceSteps(a, b, newStrides());

/** Returns what `intersection` returns. */
export const intersectionInSteps = (a: FieldSet, b: FieldSet): InSteps<FieldSet> =>
  intersectionSteps(a, b, newStrides());
