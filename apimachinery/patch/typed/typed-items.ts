/** Removes fields from values, or extracts them. */
import type { JsonObject } from '../../interface.js';
import { setKey } from '../../../lib/json/clone.js';
import type { InSteps, Strides } from '../../../lib/time-slice.js';
import type { FieldSet } from './field-set.js';
import { newStrides } from './field-set-steps.js';
import { isObject } from '../json.js';
import { fieldElement, type PathElement } from './path-element.js';
import type { ListShape, MapShape, Shape } from './shape.js';
import { asList, asMap, atomOf, fieldShape, formOf, isEmptyMap, itemKey } from './typed.js';

const childOf = (set: FieldSet, element: PathElement): FieldSet | undefined => set.children?.get(element);

/** Returns an empty container of the same kind; null for a scalar. */
function emptied(value: unknown): unknown {
  if (Array.isArray(value)) return [];
  return isObject(value) ? {} : null;
}

function mapWithout(map: JsonObject, items: FieldSet, shape: MapShape): unknown {
  if (shape.atomic || isEmptyMap(map)) return {};
  let out: JsonObject | undefined;
  for (const name of Object.keys(map)) {
    const below = childOf(items, fieldElement(name));
    if (!below) continue;
    out ??= { ...map };
    const field = fieldShape(shape, name);
    if (below.owned) delete out[name];
    else if (field) setKey(out, name, removeItems(map[name], below, field));
  }
  return out ?? map;
}

function listWithout(list: readonly unknown[], items: FieldSet, shape: ListShape): unknown {
  if (shape.atomic || list.length === 0) return [];
  const out: unknown[] = [];
  let changed = false;
  for (const item of list) {
    const key = itemKey(shape, item);
    const below = 'fault' in key ? undefined : childOf(items, key.element);
    if (below) changed = true;
    if (!below) out.push(item);
    else if (!below.owned) out.push(removeItems(item, below, shape.element()));
  }
  return changed ? out : list;
}

/**
 * Returns the value without the fields and list items of the set. Shares unchanged parts.
 * as structured-merge-diff/typed TypedValue.RemoveItems
 */
export function removeItems(value: unknown, items: FieldSet, shape: Shape): unknown {
  if (!items.children) return value;
  const atom = atomOf(shape, formOf(shape, value));
  if (atom.form === 'map') {
    const map = asMap(value);
    return map ? mapWithout(map, items, atom.map) : emptied(value);
  }
  if (atom.form === 'list') {
    const list = asList(value);
    return list ? listWithout(list, items, atom.list) : emptied(value);
  }
  return value;
}

/** As `mapWithout`, for a map that is neither empty nor atomic. */
function* mapInSteps(map: JsonObject, items: FieldSet, shape: MapShape, strides: Strides): InSteps<unknown> {
  const out: JsonObject = {};
  let isSame = true;
  for (const name of Object.keys(map)) {
    if (strides.isOver) yield;
    const below = childOf(items, fieldElement(name));
    if (below) isSame = false;
    if (below?.owned) continue;
    const field = below && fieldShape(shape, name);
    setKey(out, name, field ? yield* removeSteps(map[name], below, field, strides) : map[name]);
  }
  return isSame ? map : out;
}

/** As `listWithout`, for a list that is neither empty nor atomic. */
function* listInSteps(list: readonly unknown[], items: FieldSet, shape: ListShape, strides: Strides): InSteps<unknown> {
  const out: unknown[] = [];
  let isSame = true;
  for (const item of list) {
    if (strides.isOver) yield;
    const key = itemKey(shape, item);
    const below = 'fault' in key ? undefined : childOf(items, key.element);
    if (below) isSame = false;
    if (!below) out.push(item);
    else if (!below.owned) out.push(yield* removeSteps(item, below, shape.element(), strides));
  }
  return isSame ? list : out;
}

function* removeSteps(value: unknown, items: FieldSet, shape: Shape, strides: Strides): InSteps<unknown> {
  const atom = atomOf(shape, formOf(shape, value));
  if (items.children && atom.form === 'map' && !atom.map.atomic && isObject(value) && !isEmptyMap(value))
    return yield* mapInSteps(value, items, atom.map, strides);
  if (items.children && atom.form === 'list' && !atom.list.atomic && Array.isArray(value) && value.length > 0)
    return yield* listInSteps(value, items, atom.list, strides);
  return removeItems(value, items, shape);
}

/** Returns what `removeItems` returns, in steps. */
export const removeItemsInSteps = (value: unknown, items: FieldSet, shape: Shape): InSteps<unknown> =>
  removeSteps(value, items, shape, newStrides());

/** Returns the value of a field that is in the set without fields below it: an atomic value as a whole, a granular one empty. */
function leafValue(value: unknown, shape: Shape): unknown {
  const atom = atomOf(shape, formOf(shape, value));
  const granular = (atom.form === 'map' && !atom.map.atomic) || (atom.form === 'list' && !atom.list.atomic);
  return granular ? emptied(value) : value;
}

function mapWith(map: JsonObject, items: FieldSet, shape: MapShape): JsonObject {
  if (shape.atomic) return map;
  const out: JsonObject = {};
  for (const name of Object.keys(map)) {
    const below = childOf(items, fieldElement(name));
    const field = fieldShape(shape, name);
    if (below && field)
      setKey(out, name, below.children ? extractItems(map[name], below, field) : leafValue(map[name], field));
  }
  return out;
}

function listWith(list: readonly unknown[], items: FieldSet, shape: ListShape): readonly unknown[] {
  if (shape.atomic) return list;
  const out: unknown[] = [];
  for (const item of list) {
    const key = itemKey(shape, item);
    const below = 'fault' in key ? undefined : childOf(items, key.element);
    if (below) out.push(below.children ? extractItems(item, below, shape.element()) : item);
  }
  return out;
}

/**
 * Returns a value with only the fields and list items of the set: what a manager applied, from the live object and its FieldSet. The keys
 * of list items must be in the set, as they are in that of an applier.
 * as structured-merge-diff/typed TypedValue.ExtractItems of the leaves of a set
 */
export function extractItems(value: unknown, items: FieldSet, shape: Shape): unknown {
  const atom = atomOf(shape, formOf(shape, value));
  if (atom.form === 'map') {
    const map = asMap(value);
    return map ? mapWith(map, items, atom.map) : value;
  }
  if (atom.form === 'list') {
    const list = asList(value);
    return list ? listWith(list, items, atom.list) : value;
  }
  return value;
}
