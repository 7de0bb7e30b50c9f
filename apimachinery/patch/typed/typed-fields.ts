/** Computes the FieldSets of values. */
import type { JsonObject } from '../../interface.js';
import { emptySet, isEmptySet, leafSet, setNode, type FieldSet } from './field-set.js';
import { fieldElement, type PathElement } from './path-element.js';
import type { ListShape, MapShape, Shape } from './shape.js';
import { asList, asMap, atomOf, fieldShape, formOf, isEmptyMap, itemsByElement } from './typed.js';
import { isObject } from '../json.js';

type Children = Map<PathElement, FieldSet>;

/** Returns the set with the field itself. */
export const owned = (set: FieldSet): FieldSet => (set.owned ? set : setNode(true, set.children));

/** 'leaves': containers are not in the set; 'named': declared fields are in it if anything below them is. */
export type Membership = 'leaves' | 'named';

/** Returns whether a value is null or an empty map. hot: the set is checked first, since V8 lists all keys of a map before it returns the first. */
const isNullOrEmpty = (value: unknown, set: FieldSet): boolean =>
  value === null || (set.children === undefined && isObject(value) && isEmptyMap(value));

/** Returns the set of a field of a map from that of its value. */
export const memberSet = (
  set: FieldSet,
  value: unknown,
  isDeclared: boolean,
  members: Membership = 'leaves',
): FieldSet =>
  isNullOrEmpty(value, set) || !isDeclared || (members === 'named' && !isEmptySet(set)) ? owned(set) : set;

function mapFields(value: JsonObject, map: MapShape, members: Membership): FieldSet {
  const children: Children = new Map();
  for (const name of Object.keys(value)) {
    const inner = value[name];
    if (inner === undefined) continue;
    const declared = map.field(name);
    const shape = declared ?? map.element();
    const below = shape ? collect(inner, shape, members) : emptySet;
    const set = memberSet(below, inner, declared !== undefined, members);
    if (!isEmptySet(set)) children.set(fieldElement(name), set);
  }
  return setNode(false, children);
}

/** Returns the set of a list. Duplicate items are one field, without those in them. */
function listFields(value: readonly unknown[], list: ListShape, members: Membership): FieldSet {
  const children: Children = new Map();
  for (const [element, items] of itemsByElement(list, value))
    children.set(element, items.length > 1 ? leafSet : owned(collect(items[0], list.element(), members)));
  return setNode(false, children);
}

function collect(value: unknown, shape: Shape, members: Membership): FieldSet {
  const atom = atomOf(shape, formOf(shape, value));
  if (atom.form === 'scalar') return leafSet;
  if (atom.form === 'list') {
    if (atom.list.atomic) return leafSet;
    const list = asList(value);
    return list ? listFields(list, atom.list, members) : emptySet;
  }
  if (atom.map.atomic) return leafSet;
  const map = asMap(value);
  return map ? mapFields(map, atom.map, members) : emptySet;
}

/**
 * Returns the leaves of a value and its list items, which a manager that applies it owns. An atomic list or map is a leaf.
 * as structured-merge-diff/typed TypedValue.ToFieldSet
 */
export const fieldsOf = (value: unknown, shape: Shape): FieldSet => collect(value, shape, 'leaves');

/** Returns `fieldsOf` with all declared fields above: `withNamedFields(fieldsOf(value, shape), shape)`. */
export const namedFieldsOf = (value: unknown, shape: Shape): FieldSet => collect(value, shape, 'named');

/**
 * Returns all fields of a value that is added or removed: its leaves, its items, and all containers.
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
  return setNode(true, children);
}
