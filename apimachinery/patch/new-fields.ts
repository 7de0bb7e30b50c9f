/** Computes the fields of a new object that its creator owns. */
import type { KubeObject } from '../interface.js';
import { jsonText } from '../../lib/json/json.js';
import type { Schema } from '../codec/interface.js';
import { emptyObject } from './empty-object.js';
import { isObject } from './json.js';
import { trackable } from './ownership.js';
import type { SetFilter } from './reset-fields.js';
import { unionOfSets, type FieldSet } from './typed/field-set.js';
import { unionInSteps } from './typed/field-set-steps.js';
import { type ListShape, objectShape, type Shape } from './typed/shape.js';
import { fieldShape, itemKey } from './typed/typed.js';
import { compareTyped } from './typed/typed-compare.js';
import { compareInSteps } from './typed/typed-compare-steps.js';
import { type Pause, pausingAfterEach, type PatchSteps } from './patch-steps.js';

/** The sets of one schema and filter, by outline. */
interface CachedSets {
  readonly filter: SetFilter;
  readonly sets: Map<string, FieldSet>;
}

const cache = new WeakMap<Schema, CachedSets>();
const maxSets = 256;
/** The longest outline that is cached, in characters. */
const maxOutlineLength = 4096;

function setsOf(schema: Schema, filter: SetFilter): Map<string, FieldSet> {
  const found = cache.get(schema);
  if (found?.filter === filter) return found.sets;
  const sets = new Map<string, FieldSet>();
  cache.set(schema, { filter, sets });
  return sets;
}

/** Returns whether a string may be a value of the empty object, such as '' and '0s'. */
const mayBeZero = (value: string): boolean => value.length <= 2;

/**
 * Returns a text with all that ownership depends on: the fields, their values where they may be zero, and the keys of list items. Objects
 * with the same outline have the same set.
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
    // An outline that is too long is not cached.
    if (text.length > maxOutlineLength) break;
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
    if (text.length > maxOutlineLength) break;
  }
  return text + ']';
}

/**
 * Returns the fields of an object without managedFields in which it differs from the empty object. hot: every create. Objects with the same
 * outline share a set and its text. Owner references are handled apart, since their keys are uids, which differ between objects.
 */
export function newFields(object: KubeObject, schema: Schema, filter: SetFilter): FieldSet {
  const { ownerReferences, ...metadata } = object.metadata;
  if (ownerReferences === undefined) return cachedFields(object, schema, filter);
  const owned: KubeObject = { apiVersion: '', kind: '', metadata: { ownerReferences } };
  return unionOfSets(cachedFields({ ...object, metadata }, schema, filter), computedFields(owned, schema, filter));
}

function cachedFields(object: KubeObject, schema: Schema, filter: SetFilter): FieldSet {
  const sets = setsOf(schema, filter);
  const text = outline(object, objectShape(schema));
  if (text.length > maxOutlineLength) return computedFields(object, schema, filter);
  const found = sets.get(text);
  if (found) return found;
  const set = computedFields(object, schema, filter);
  if (sets.size >= maxSets) sets.clear();
  sets.set(text, set);
  return set;
}

function computedFields(object: KubeObject, schema: Schema, filter: SetFilter): FieldSet {
  const { added, modified } = compareTyped(emptyObject(schema), object, objectShape(schema));
  return trackable(filter(unionOfSets(modified, added)));
}

/** Returns what `newFields` returns, with pauses between steps: for a large object, whose outline would be too long. */
export function* newFieldsInSteps(
  object: KubeObject,
  schema: Schema,
  filter: SetFilter,
  pause: Pause,
): PatchSteps<FieldSet> {
  const steps = compareInSteps(emptyObject(schema), object, objectShape(schema));
  const { added, modified } = yield* pausingAfterEach(steps, pause);
  yield pause;
  const all = yield* pausingAfterEach(unionInSteps(modified, added), pause);
  return trackable(filter(all));
}
