/** Reading a value by its shape: which form it has, and what tells the items of a list apart. */
import type { JsonObject } from '../../interface.js';
import { isObject } from '../json.js';
import { keyElement, valueElement, type PathElement } from './path-element.js';
import type { Form, ListShape, MapShape, Shape } from './shape.js';

/** The form to read a value in; 'any' when it has none of those its shape allows, or is null. */
export function formOf(shape: Shape, value: unknown): Form | 'any' {
  if (shape.only) return shape.only;
  if (value === null || value === undefined) return 'any';
  if (Array.isArray(value)) return shape.list ? 'list' : 'any';
  if (typeof value === 'object') return shape.map ? 'map' : 'any';
  return shape.scalar ? 'scalar' : 'any';
}

export type Atom =
  | { readonly form: 'map'; readonly map: MapShape }
  | { readonly form: 'list'; readonly list: ListShape }
  | { readonly form: 'scalar' };

const scalarAtom: Atom = { form: 'scalar' };

/** The part of the shape that reads a form. Without a form it is the first of map, scalar, list that there is. */
export function atomOf(shape: Shape, form: Form | 'any'): Atom {
  if (shape.map && (form === 'map' || form === 'any')) return { form: 'map', map: shape.map };
  if (shape.list && (form === 'list' || (form === 'any' && !shape.scalar))) return { form: 'list', list: shape.list };
  return scalarAtom;
}

/** What is no map counts as none: null is one, and values of wrong types are told by validation. */
export const asMap = (value: unknown): JsonObject | undefined => (isObject(value) ? value : undefined);
export const asList = (value: unknown): readonly unknown[] | undefined => (Array.isArray(value) ? value : undefined);

/** Dear for a map of many keys: the engine lists them all. */
export function isEmptyMap(map: JsonObject | undefined): boolean {
  for (const _ in map) return false;
  return true;
}

export const fieldShape = (map: MapShape, name: string): Shape | undefined => map.field(name) ?? map.element();

/** What tells an item of a granular list from others, or why that cannot be told. */
export type ItemKey = { readonly element: PathElement } | { readonly fault: string };

function keyedItem(list: ListShape, item: unknown): ItemKey {
  if (item === null || item === undefined) return { fault: 'associative list with keys may not have a null element' };
  if (!isObject(item)) return { fault: 'associative list with keys may not have non-map elements' };
  const shape = list.element();
  if (!shape.map) return { fault: 'associative list may not have non-map types' };
  const element = keyElement(list.keys, name => (Object.hasOwn(item, name) ? item[name] : list.keyDefault(name)));
  if (element.length > 'k:{}'.length) return { element };
  const keys = `[${list.keys.map(key => JSON.stringify(key)).join(' ')}]`;
  return {
    fault: `associative list with keys has an element that omits all key fields ${keys} (and doesn't have default values for any key fields)`,
  };
}

function memberItem(item: unknown): ItemKey {
  if (item === null || item === undefined)
    return { fault: "associative list without keys has an element that's an explicit null" };
  if (Array.isArray(item)) return { fault: 'not supported: associative list with lists as elements' };
  if (typeof item === 'object') return { fault: "associative list without keys has an element that's a map type" };
  return { element: valueElement(item) };
}

// as structured-merge-diff/typed listItemToPathElement
export function itemKey(list: ListShape, item: unknown): ItemKey {
  return list.keys.length > 0 ? keyedItem(list, item) : memberItem(item);
}

/** The items of a list by their elements, those without one left out; several of one element in a row. */
export function itemsByElement(list: ListShape, items: readonly unknown[] | undefined): Map<PathElement, unknown[]> {
  const found = new Map<PathElement, unknown[]>();
  for (const item of items ?? []) {
    const key = itemKey(list, item);
    if ('fault' in key) continue;
    const same = found.get(key.element);
    if (same) same.push(item);
    else found.set(key.element, [item]);
  }
  return found;
}
