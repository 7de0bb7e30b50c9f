/** Determines the form of a value, and the elements of list items, by the shape. */
import type { JsonObject } from '../../interface.js';
import { isObject } from '../json.js';
import { keyElement, valueElement, type PathElement } from './path-element.js';
import type { Form, ListShape, MapShape, Shape } from './shape.js';

/** Returns the form of a value; 'any' for null, and for a value in none of the forms that the shape allows. */
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

/** Returns the part of the shape for a form. For 'any' it is the first of map, scalar and list that the shape has. */
export function atomOf(shape: Shape, form: Form | 'any'): Atom {
  if (shape.map && (form === 'map' || form === 'any')) return { form: 'map', map: shape.map };
  if (shape.list && (form === 'list' || (form === 'any' && !shape.scalar))) return { form: 'list', list: shape.list };
  return scalarAtom;
}

/** Returns the value if it is a map. Validation reports values of other types. */
export const asMap = (value: unknown): JsonObject | undefined => (isObject(value) ? value : undefined);
/** Returns a value if it is a list. Another one counts as absent, since the schema has refused it before. */
export const asList = (value: unknown): readonly unknown[] | undefined => (Array.isArray(value) ? value : undefined);

/** Returns whether a map is empty. Slow for a map of many keys, since V8 lists them all. */
export function isEmptyMap(map: JsonObject | undefined): boolean {
  for (const _ in map) return false;
  return true;
}

/** Returns the shape of a field or key of a map; undefined if it is not allowed. */
export const fieldShape = (map: MapShape, name: string): Shape | undefined => map.field(name) ?? map.element();

/** The element of an item of a granular list, or the text about an item without one. */
type ItemKey = { readonly element: PathElement } | { readonly fault: string };

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

/** Returns the element of a list item. as structured-merge-diff/typed listItemToPathElement */
export function itemKey(list: ListShape, item: unknown): ItemKey {
  return list.keys.length > 0 ? keyedItem(list, item) : memberItem(item);
}

/** The items of a list by their elements; several items of an element are duplicates. */
export type ItemsByElement = Map<PathElement, unknown[]>;

/** Adds an item of a list, unless it has no element. */
export function addItem(found: ItemsByElement, list: ListShape, item: unknown): void {
  const key = itemKey(list, item);
  if ('fault' in key) return;
  const same = found.get(key.element);
  if (same) same.push(item);
  else found.set(key.element, [item]);
}

/** Returns the items of a list by their elements, without items that have none. */
export function itemsByElement(list: ListShape, items: readonly unknown[] | undefined): ItemsByElement {
  const found: ItemsByElement = new Map();
  for (const item of items ?? []) addItem(found, list, item);
  return found;
}
