/** What whoever makes an object owns of it. */
import type { KubeObject } from '../interface.js';
import { jsonText } from '../meta/json.js';
import type { Schema } from '../schema/interface.js';
import { emptyObject } from './empty-object.js';
import { isObject } from './json.js';
import { trackable } from './ownership.js';
import type { SetFilter } from './reset-fields.js';
import { union, type FieldSet } from './typed/field-set.js';
import { objectShape } from './typed/shape.js';
import { compareTyped } from './typed/typed-compare.js';

/** Of one schema and filter, by outline. */
interface Known {
  readonly filter: SetFilter;
  readonly sets: Map<string, FieldSet>;
}

const known = new WeakMap<Schema, Known>();
const mostSets = 256;
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
 * All that ownership depends on: which fields there are, which of them may be zero, and lists whole, since their items are told apart by
 * what is in them. Two objects of one outline have the same fields.
 */
function outline(value: unknown): string {
  if (typeof value === 'string') return mayBeZero(value) ? `"${value}"` : '.';
  if (Array.isArray(value)) return jsonText(value);
  if (!isObject(value)) return value ? '.' : String(value);
  let text = '{';
  for (const name in value) {
    const inner = value[name];
    if (inner !== undefined) text += `${name.length}:${name}${outline(inner)}`;
    // Too long to be remembered: the rest does not matter.
    if (text.length > longest) break;
  }
  return text + '}';
}

/**
 * Of an object without managedFields, by comparison with one into which nothing was written. hot: every create; objects that are made alike
 * have one set, and its text.
 */
export function newFields(object: KubeObject, schema: Schema, filter: SetFilter): FieldSet {
  const sets = setsOf(schema, filter);
  const text = outline(object);
  const found = text.length > longest ? undefined : sets.get(text);
  if (found) return found;
  const { added, modified } = compareTyped(emptyObject(schema), object, objectShape(schema));
  const set = trackable(filter(union(modified, added)));
  if (text.length > longest) return set;
  if (sets.size >= mostSets) sets.clear();
  sets.set(text, set);
  return set;
}
