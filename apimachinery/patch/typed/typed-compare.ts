/** Compares two values of one shape. */
import { deepEqual } from '../../../lib/json/equality.js';
import { insert, newDraft, type FieldSet, type SetDraft } from './field-set.js';
import { fieldElement, type PathElement } from './path-element.js';
import type { ListShape, MapShape, Shape } from './shape.js';
import { asList, asMap, atomOf, fieldShape, formOf, itemKey, itemsByElement, type Atom } from './typed.js';
import { wholeOf } from './typed-fields.js';

/** The changed fields. No field is in more than one set; equal values have empty ones. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/** The state of one comparison. */
export interface ComparisonWalk {
  readonly path: PathElement[];
  readonly added: SetDraft;
  readonly modified: SetDraft;
  readonly removed: SetDraft;
}

function compareMaps(before: unknown, after: unknown, map: MapShape, walk: ComparisonWalk): void {
  const left = asMap(before);
  const right = asMap(after);
  if (map.atomic) {
    leaf(before, after, walk);
    return;
  }
  let empty = true;
  for (const name in left) {
    empty = false;
    const [old, now] = [left[name], right && Object.hasOwn(right, name) ? right[name] : undefined];
    if (old !== now) step(fieldElement(name), old, now, fieldShape(map, name), walk);
  }
  for (const name in right) {
    empty = false;
    if (!left || !Object.hasOwn(left, name))
      step(fieldElement(name), undefined, right[name], fieldShape(map, name), walk);
  }
  if (empty) leaf(before, after, walk);
}

/** Compares lists that have the same items in the same order, as most do, without an index. */
function compareInPlace(
  left: readonly unknown[],
  right: readonly unknown[],
  list: ListShape,
  walk: ComparisonWalk,
): 'done' | 'not in place' {
  if (left.length !== right.length) return 'not in place';
  // hot: most lists do not change, and then need no keys
  if (deepEqual(left, right)) return 'done';
  const elements = new Set<PathElement>();
  for (let i = 0; i < left.length; i++) {
    const key = itemKey(list, right[i]);
    if ('fault' in key) return 'not in place';
    if (left[i] !== right[i]) {
      const old = itemKey(list, left[i]);
      if ('fault' in old || old.element !== key.element) return 'not in place';
    }
    elements.add(key.element);
  }
  if (elements.size !== left.length) return 'not in place';
  let i = 0;
  for (const element of elements) {
    if (left[i] !== right[i]) step(element, left[i], right[i], list.element(), walk);
    i++;
  }
  return 'done';
}

/** Inserts the field at the path, with those below it. */
export const insertBelow = (set: SetDraft, walk: ComparisonWalk, element: PathElement, below?: FieldSet): void => {
  insert(set, [...walk.path, element], below);
};

/** Compares the items with the same element. Duplicates are compared as a whole. */
export function compareItems(
  element: PathElement,
  left: unknown[],
  right: unknown[],
  shape: Shape,
  walk: ComparisonWalk,
): void {
  if (left.length <= 1 && right.length <= 1) step(element, left[0], right[0], shape, walk);
  else if (left.length >= 2 && right.length >= 2) {
    if (!deepEqual(left, right)) insertBelow(walk.modified, walk, element);
  } else if (left.length >= 2) {
    if (right.length > 0) insertBelow(walk.added, walk, element, wholeOf(right[0], shape));
    insertBelow(walk.removed, walk, element);
  } else {
    if (left.length > 0) insertBelow(walk.removed, walk, element, wholeOf(left[0], shape));
    insertBelow(walk.added, walk, element);
  }
}

function compareLists(before: unknown, after: unknown, list: ListShape, walk: ComparisonWalk): void {
  const left = asList(before) ?? [];
  const right = asList(after) ?? [];
  if (list.atomic || (left.length === 0 && right.length === 0)) {
    leaf(before, after, walk);
    return;
  }
  if (compareInPlace(left, right, list, walk) === 'done') return;
  const old = itemsByElement(list, left);
  const now = itemsByElement(list, right);
  for (const [element, items] of old) compareItems(element, items, now.get(element) ?? [], list.element(), walk);
  for (const [element, items] of now) if (!old.has(element)) compareItems(element, [], items, list.element(), walk);
}

/** Compares two values as a whole. */
export function leaf(before: unknown, after: unknown, walk: ComparisonWalk): void {
  if (!deepEqual(before, after)) insert(walk.modified, walk.path);
}

function visit(atom: Atom, before: unknown, after: unknown, walk: ComparisonWalk): void {
  if (atom.form === 'map') compareMaps(before, after, atom.map, walk);
  else if (atom.form === 'list') compareLists(before, after, atom.list, walk);
  else leaf(before, after, walk);
}

function step(
  element: PathElement,
  before: unknown,
  after: unknown,
  shape: Shape | undefined,
  walk: ComparisonWalk,
): void {
  if (before === after || !shape) return;
  if (before === undefined) insertBelow(walk.added, walk, element, wholeOf(after, shape));
  else if (after === undefined) insertBelow(walk.removed, walk, element, wholeOf(before, shape));
  else {
    walk.path.push(element);
    compareValues(before, after, shape, walk);
    walk.path.pop();
  }
}

function compareValues(before: unknown, after: unknown, shape: Shape, walk: ComparisonWalk): void {
  const form = formOf(shape, after);
  const old = shape.only ?? formOf(shape, before);
  if (old !== form) visit(atomOf(shape, old), before, after, walk);
  visit(atomOf(shape, form), before, after, walk);
}

/** Returns the state of a comparison that begins at the root, with no changes so far. */
export const newWalk = (): ComparisonWalk => ({
  path: [],
  added: newDraft(),
  modified: newDraft(),
  removed: newDraft(),
});

// hot: every write; parts that both values share are not visited
/**
 * Returns the fields that `after` adds, modifies and removes. Undeclared fields are ignored.
 * as structured-merge-diff/typed TypedValue.Compare
 */
export function compareTyped(before: unknown, after: unknown, shape: Shape): Comparison {
  const walk = newWalk();
  if (before !== after) compareValues(before, after, shape, walk);
  return { added: walk.added, modified: walk.modified, removed: walk.removed };
}
