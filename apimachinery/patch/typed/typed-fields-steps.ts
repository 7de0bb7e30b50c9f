/** Computes the FieldSets of large values in steps, with the results of `typed-fields.ts`, which is faster for small ones. */
import { type InSteps, Strides } from '../../../lib/time-slice.js';
import { emptySet, isEmptySet, leafSet, setNode, type FieldSet } from './field-set.js';
import { isObject } from '../json.js';
import { fieldElement, type PathElement } from './path-element.js';
import type { ListShape, Shape } from './shape.js';
import { addItem, asList, asMap, atomOf, fieldShape, formOf, type ItemsByElement } from './typed.js';
import { fieldsOf, memberSet, owned, wholeOf } from './typed-fields.js';

/** Fields and items of a step: some two milliseconds for items with many keys. */
const stepLength = 1024;

/** Returns the strides of one walk through a large value, which all of its parts count together. */
export const newStrides = (): Strides => new Strides(stepLength);

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

function* collect(value: unknown, shape: Shape, strides: Strides): InSteps<FieldSet> {
  if (typeof value !== 'object') return fieldsOf(value, shape);
  const atom = atomOf(shape, formOf(shape, value));
  const children = new Map<PathElement, FieldSet>();
  if (atom.form === 'list' && !atom.list.atomic && Array.isArray(value)) {
    for (const [element, items] of yield* itemsInSteps(atom.list, value, strides)) {
      if (strides.isOver) yield;
      const [item] = items;
      if (items.length > 1) children.set(element, leafSet);
      else if (typeof item !== 'object') children.set(element, owned(fieldsOf(item, atom.list.element())));
      else children.set(element, owned(yield* collect(item, atom.list.element(), strides)));
    }
  } else if (atom.form === 'map' && !atom.map.atomic && isObject(value)) {
    for (const name of Object.keys(value)) {
      if (strides.isOver) yield;
      const inner = value[name];
      if (inner === undefined) continue;
      const declared = atom.map.field(name);
      const field = declared ?? atom.map.element();
      const below = field ? yield* collect(inner, field, strides) : emptySet;
      const set = memberSet(below, inner, declared !== undefined);
      if (!isEmptySet(set)) children.set(fieldElement(name), set);
    }
  } else return fieldsOf(value, shape);
  return setNode(false, children);
}

/** Returns what `fieldsOf` returns, in steps of a few milliseconds. */
export const fieldsInSteps = (value: unknown, shape: Shape): InSteps<FieldSet> => collect(value, shape, newStrides());
