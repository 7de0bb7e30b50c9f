/** What whoever makes an object owns of it. */
import type { KubeObject } from '../interface.js';
import { jsonText } from '../../lib/json/json.js';
import type { Schema } from '../codec/interface.js';
import { emptyObject } from './empty-object.js';
import { isObject } from './json.js';
import { trackable } from './ownership.js';
import type { SetFilter } from './reset-fields.js';
import { union, type FieldSet } from './typed/field-set.js';
import { type ListShape, objectShape, type Shape } from './typed/shape.js';
import { fieldShape, itemKey } from './typed/typed.js';
import { compareTyped } from './typed/typed-compare.js';

/** Of one schema and filter, by outline. */
interface Known {
  readonly filter: SetFilter;
  readonly sets: Map<string, FieldSet>;
}

const known = new WeakMap<Schema, Known>();
const maxSets = 256;
/** Of an outline that is remembered, in characters. */
const longest = 4096;

function setsOf(schema: Schema, filter: SetFilter): Map<string, FieldSet> {
  const found = known.get(schema);
  if (found?.filter === filter) return found.sets;
  const sets = new Map<string, FieldSet>();
  known.set(schema, { filter, sets });
  return sets;
}

/** Such values may be those of an object into which nothing was written. */
const mayBeZero = (value: string): boolean => value.length <= 2;

/**
 * All that ownership depends on: which fields there are, which of them may be zero, and what tells the items of lists apart. Two objects of
 * one outline have the same fields.
 */
function outline(value: unknown, shape: Shape | undefined): string {
  if (typeof value === 'string') return mayBeZero(value) ? `"${value}"` : '.';
  if (Array.isArray(value)) return listOutline(value, shape?.list);
  if (!isObject(value)) return value ? '.' : String(value);
  const map = shape?.map;
  let text = '{';
  for (const name in value) {
    const inner = value[name];
    if (inner === undefined) continue;
    const below = typeof inner === 'object' && map ? fieldShape(map, name) : undefined;
    text += `${name.length}:${name}${outline(inner, below)}`;
    // Too long to be remembered: the rest does not matter.
    if (text.length > longest) break;
  }
  return text + '}';
}

function listOutline(items: readonly unknown[], list: ListShape | undefined): string {
  if (!list) return jsonText(items);
  if (list.atomic) return items.length === 0 ? '[]' : '[.]';
  let text = '[';
  for (const item of items) {
    const key = itemKey(list, item);
    if ('fault' in key) return jsonText(items);
    text += `${key.element.length}:${key.element}${list.keys.length > 0 ? outline(item, list.element()) : ''}`;
    if (text.length > longest) break;
  }
  return text + ']';
}

/**
 * Of an object without managedFields, by comparison with one into which nothing was written. hot: every create; objects that are made alike
 * have one set, and its text. Owners are told apart by their uids, which no two objects need share: they are looked at for themselves.
 */
export function newFields(object: KubeObject, schema: Schema, filter: SetFilter): FieldSet {
  const { ownerReferences, ...metadata } = object.metadata;
  if (ownerReferences === undefined) return outlinedFields(object, schema, filter);
  const owned: KubeObject = { apiVersion: '', kind: '', metadata: { ownerReferences } };
  return union(outlinedFields({ ...object, metadata }, schema, filter), writtenFields(owned, schema, filter));
}

function outlinedFields(object: KubeObject, schema: Schema, filter: SetFilter): FieldSet {
  const sets = setsOf(schema, filter);
  const text = outline(object, objectShape(schema));
  if (text.length > longest) return writtenFields(object, schema, filter);
  const found = sets.get(text);
  if (found) return found;
  const set = writtenFields(object, schema, filter);
  if (sets.size >= maxSets) sets.clear();
  sets.set(text, set);
  return set;
}

function writtenFields(object: KubeObject, schema: Schema, filter: SetFilter): FieldSet {
  const { added, modified } = compareTyped(emptyObject(schema), object, objectShape(schema));
  return trackable(filter(union(modified, added)));
}
