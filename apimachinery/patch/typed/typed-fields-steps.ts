/** Computes the FieldSets of large values in steps, with the results of `typed-fields.ts`, which is faster for small ones. */
import type { InSteps, Strides } from '../../../lib/time-slice.js';
import { emptySet, isEmptySet, leafSet, setNode, type FieldSet } from './field-set.js';
import { newStrides } from './field-set-steps.js';
import { isObject } from '../json.js';
import { fieldElement, type PathElement } from './path-element.js';
import type { ListShape, Shape } from './shape.js';
import { addItem, asList, asMap, atomOf, fieldShape, formOf, type ItemsByElement } from './typed.js';
import { fieldsOf, type Membership, memberSet, namedFieldsOf, owned, wholeOf } from './typed-fields.js';

/** As `itemsByElement`. */
export function* itemsInSteps(list: ListShape, items: readonly unknown[], strides: Strides): InSteps<ItemsByElement> {
  const found: ItemsByElement = new Map();
  for (const item of items) {
    if (strides.isOver) yield;
    addItem(found, list, item);
  }
  return found;
}

/** As `wholeOf`. */
export function* wholeInSteps(value: unknown, shape: Shape, strides: Strides): InSteps<FieldSet> {
  if (typeof value !== 'object') return wholeOf(value, shape);
  const atom = atomOf(shape, formOf(shape, value));
  if (atom.form === 'scalar') return leafSet;
  const children = new Map<PathElement, FieldSet>();
  if (atom.form === 'list') {
    const list = asList(value);
    if (!list || atom.list.atomic) return leafSet;
    for (const [element, items] of yield* itemsInSteps(atom.list, list, strides)) {
      if (strides.isOver) yield;
      const isOne = items.length === 1;
      children.set(element, isOne ? yield* wholeInSteps(items[0], atom.list.element(), strides) : leafSet);
    }
  } else {
    const map = asMap(value);
    if (!map || atom.map.atomic) return leafSet;
    for (const name of Object.keys(map)) {
      if (strides.isOver) yield;
      const field = fieldShape(atom.map, name);
      if (field && map[name] !== undefined)
        children.set(fieldElement(name), yield* wholeInSteps(map[name], field, strides));
    }
  }
  return setNode(true, children);
}

const atOnce = { leaves: fieldsOf, named: namedFieldsOf };

function* collect(value: unknown, shape: Shape, members: Membership, strides: Strides): InSteps<FieldSet> {
  if (typeof value !== 'object') return atOnce[members](value, shape);
  const atom = atomOf(shape, formOf(shape, value));
  const children = new Map<PathElement, FieldSet>();
  if (atom.form === 'list' && !atom.list.atomic && Array.isArray(value)) {
    for (const [element, items] of yield* itemsInSteps(atom.list, value, strides)) {
      if (strides.isOver) yield;
      const [item] = items;
      if (items.length > 1) children.set(element, leafSet);
      else if (typeof item !== 'object') children.set(element, owned(atOnce[members](item, atom.list.element())));
      else children.set(element, owned(yield* collect(item, atom.list.element(), members, strides)));
    }
  } else if (atom.form === 'map' && !atom.map.atomic && isObject(value)) {
    for (const name of Object.keys(value)) {
      if (strides.isOver) yield;
      const inner = value[name];
      if (inner === undefined) continue;
      const declared = atom.map.field(name);
      const field = declared ?? atom.map.element();
      const below = field ? yield* collect(inner, field, members, strides) : emptySet;
      const set = memberSet(below, inner, declared !== undefined, members);
      if (!isEmptySet(set)) children.set(fieldElement(name), set);
    }
  } else return atOnce[members](value, shape);
  return setNode(false, children);
}

/** Returns what `fieldsOf` returns, in steps of a few milliseconds. */
export const fieldsInSteps = (value: unknown, shape: Shape): InSteps<FieldSet> =>
  collect(value, shape, 'leaves', newStrides());

/** Returns what `namedFieldsOf` returns, in steps. */
export const namedFieldsInSteps = (value: unknown, shape: Shape): InSteps<FieldSet> =>
  collect(value, shape, 'named', newStrides());
