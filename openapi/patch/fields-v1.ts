/** FieldSets as managedFields write them: nested objects of path elements, `.` for the field itself. */
import type { JsonObject } from '../interface.js';
import { emptySet, leafSet, sortedElements, type FieldSet } from './field-set.js';
import { isObject } from './json.js';
import { parsePathElement, type PathElement } from './path-element.js';

// hot: stored objects are shared, so that the sets of an object are parsed once as long as it is cached
const parsed = new WeakMap<JsonObject, FieldSet>();
const written = new WeakMap<FieldSet, JsonObject>();

function parseNode(fields: JsonObject): FieldSet {
  let owned = false;
  let children: Map<PathElement, FieldSet> | undefined;
  for (const key in fields) {
    if (key === '.') {
      owned = true;
      continue;
    }
    const element = parsePathElement(key);
    if (element === undefined) continue;
    const below = fields[key];
    if (!isObject(below)) throw new Error(`expected an object below ${key}`);
    children ??= new Map();
    children.set(element, parseNode(below));
  }
  return children === undefined ? leafSet : { owned, children };
}

/** Throws an Error when malformed. Elements of unknown kinds are dropped. */
export function parseFieldsV1(fields: JsonObject): FieldSet {
  let set = parsed.get(fields);
  if (set === undefined) {
    const root = parseNode(fields);
    set = root.children ? { owned: false, children: root.children } : emptySet;
    parsed.set(fields, set);
  }
  return set;
}

function writeNode(set: FieldSet, root: boolean): JsonObject {
  const out: JsonObject = {};
  if (set.children === undefined) return out;
  if (set.owned && !root) out['.'] = {};
  for (const element of sortedElements(set)) {
    const child = set.children.get(element);
    if (child) out[element] = writeNode(child, false);
  }
  return out;
}

/** Keys in the order in which upstream writes them. The same object for the same set: not to be changed. */
export function writeFieldsV1(set: FieldSet): JsonObject {
  let fields = written.get(set);
  if (fields === undefined) {
    fields = writeNode(set, true);
    written.set(set, fields);
    parsed.set(fields, set);
  }
  return fields;
}
