/** Compares two large values in steps, with the result of `compareTyped`, which is faster for small ones. */
import { deepEqual } from '../../../lib/json/equality.js';
import type { InSteps, Strides } from '../../../lib/time-slice.js';
import { fieldElement, type PathElement } from './path-element.js';
import type { ListShape, MapShape, Shape } from './shape.js';
import { asList, asMap, atomOf, fieldShape, formOf, type Atom } from './typed.js';
import { newStrides } from './field-set-steps.js';
import { itemsInSteps, wholeInSteps } from './typed-fields-steps.js';
import { compareItems, type Comparison, insertBelow, leaf, newWalk, type ComparisonWalk } from './typed-compare.js';

/** A walk in steps, which all of its parts count together. */
interface SteppedWalk extends ComparisonWalk {
  readonly strides: Strides;
}

function* compareMaps(before: unknown, after: unknown, map: MapShape, walk: SteppedWalk): InSteps<void> {
  const left = asMap(before) ?? {};
  const right = asMap(after) ?? {};
  const [old, now] = [Object.keys(left), Object.keys(right)];
  if (map.atomic || (old.length === 0 && now.length === 0)) return leaf(before, after, walk);
  for (const name of old) {
    if (walk.strides.isOver) yield;
    const value = Object.hasOwn(right, name) ? right[name] : undefined;
    if (left[name] !== value) yield* step(fieldElement(name), left[name], value, fieldShape(map, name), walk);
  }
  for (const name of now) {
    if (walk.strides.isOver) yield;
    if (!Object.hasOwn(left, name))
      yield* step(fieldElement(name), undefined, right[name], fieldShape(map, name), walk);
  }
}

/** Returns whether two lists have the same items in the same order. */
function* areEqual(left: readonly unknown[], right: readonly unknown[], strides: Strides): InSteps<boolean> {
  if (left.length !== right.length) return false;
  for (let i = 0; i < left.length; i++) {
    if (strides.isOver) yield;
    if (!deepEqual(left[i], right[i])) return false;
  }
  return true;
}

function* compareLists(before: unknown, after: unknown, list: ListShape, walk: SteppedWalk): InSteps<void> {
  const left = asList(before) ?? [];
  const right = asList(after) ?? [];
  const { strides } = walk;
  if (list.atomic || (left.length === 0 && right.length === 0)) return leaf(before, after, walk);
  if (yield* areEqual(left, right, strides)) return;
  const old = yield* itemsInSteps(list, left, strides);
  const now = yield* itemsInSteps(list, right, strides);
  const shape = list.element();
  for (const [element, items] of old) {
    if (strides.isOver) yield;
    const others = now.get(element) ?? [];
    if (items.length === 1 && others.length <= 1) yield* step(element, items[0], others[0], shape, walk);
    else compareItems(element, items, others, shape, walk);
  }
  for (const [element, items] of now) {
    if (strides.isOver) yield;
    if (old.has(element)) continue;
    if (items.length === 1) yield* step(element, undefined, items[0], shape, walk);
    else compareItems(element, [], items, shape, walk);
  }
}

function* visit(atom: Atom, before: unknown, after: unknown, walk: SteppedWalk): InSteps<void> {
  if (atom.form === 'map') yield* compareMaps(before, after, atom.map, walk);
  else if (atom.form === 'list') yield* compareLists(before, after, atom.list, walk);
  else leaf(before, after, walk);
}

function* step(
  element: PathElement,
  before: unknown,
  after: unknown,
  shape: Shape | undefined,
  walk: SteppedWalk,
): InSteps<void> {
  if (before === after || !shape) return;
  const { added, removed, strides } = walk;
  if (before === undefined) insertBelow(added, walk, element, yield* wholeInSteps(after, shape, strides));
  else if (after === undefined) insertBelow(removed, walk, element, yield* wholeInSteps(before, shape, strides));
  else {
    walk.path.push(element);
    yield* compareValues(before, after, shape, walk);
    walk.path.pop();
  }
}

function* compareValues(before: unknown, after: unknown, shape: Shape, walk: SteppedWalk): InSteps<void> {
  const form = formOf(shape, after);
  const old = shape.only ?? formOf(shape, before);
  if (old !== form) yield* visit(atomOf(shape, old), before, after, walk);
  yield* visit(atomOf(shape, form), before, after, walk);
}

/** Returns what `compareTyped` returns, in steps of a few milliseconds. */
export function* compareInSteps(before: unknown, after: unknown, shape: Shape): InSteps<Comparison> {
  const walk: SteppedWalk = { ...newWalk(), strides: newStrides() };
  if (before !== after) yield* compareValues(before, after, shape, walk);
  return { added: walk.added, modified: walk.modified, removed: walk.removed };
}
