/** Which fields a value has. */
import type { JsonObject } from '../interface.js';
import { emptySet, isEmptySet, leafSet, type FieldSet } from './field-set.js';
import { fieldElement, type PathElement } from './path-element.js';
import type { ListShape, MapShape, Shape } from './shape.js';
import { asList, asMap, atomOf, fieldShape, formOf, isEmptyMap, itemsByElement } from './typed.js';

type Children = Map<PathElement, FieldSet>;

const owned = (set: FieldSet): FieldSet => {
  if (set.owned) return set;
  return set.children ? { owned: true, children: set.children } : leafSet;
};

function mapFields(value: JsonObject, map: MapShape): FieldSet {
  const children: Children = new Map();
  for (const name of Object.keys(value)) {
    const inner = value[name];
    const declared = map.field(name);
    const shape = declared ?? map.element();
    let set = shape ? fieldsOf(inner, shape) : emptySet;
    const bare = inner === null || (asMap(inner) !== undefined && isEmptyMap(asMap(inner)));
    if (bare || !declared) set = owned(set);
    if (!isEmptySet(set)) children.set(fieldElement(name), set);
  }
  return children.size > 0 ? { owned: false, children } : emptySet;
}

/** Items that stand there more than once are owned as one, without what is in them. */
function listFields(value: readonly unknown[], list: ListShape): FieldSet {
  const children: Children = new Map();
  for (const [element, items] of itemsByElement(list, value))
    children.set(element, items.length > 1 ? leafSet : owned(fieldsOf(items[0], list.element())));
  return children.size > 0 ? { owned: false, children } : emptySet;
}

/**
 * The leaves of a value and its list items: what somebody owns who applies it. An atomic list or map is a leaf.
 * as structured-merge-diff/typed TypedValue.ToFieldSet
 */
export function fieldsOf(value: unknown, shape: Shape): FieldSet {
  const atom = atomOf(shape, formOf(shape, value));
  if (atom.form === 'scalar') return leafSet;
  if (atom.form === 'list') {
    if (atom.list.atomic) return leafSet;
    const list = asList(value);
    return list ? listFields(list, atom.list) : emptySet;
  }
  if (atom.map.atomic) return leafSet;
  const map = asMap(value);
  return map ? mapFields(map, atom.map) : emptySet;
}

/**
 * Everything of a value that appears or disappears: its leaves, its items, and all that contains them.
 * as structured-merge-diff/typed Compare with nothing on the other side
 */
export function wholeOf(value: unknown, shape: Shape): FieldSet {
  const atom = atomOf(shape, formOf(shape, value));
  if (atom.form === 'scalar') return leafSet;
  const children: Children = new Map();
  if (atom.form === 'list') {
    const list = asList(value);
    if (!list || atom.list.atomic) return leafSet;
    for (const [element, items] of itemsByElement(atom.list, list))
      children.set(element, items.length > 1 ? leafSet : wholeOf(items[0], atom.list.element()));
  } else {
    const map = asMap(value);
    if (!map || atom.map.atomic) return leafSet;
    for (const name of Object.keys(map)) {
      const field = fieldShape(atom.map, name);
      if (field && map[name] !== undefined) children.set(fieldElement(name), wholeOf(map[name], field));
    }
  }
  return children.size > 0 ? { owned: true, children } : leafSet;
}
