/** FieldSets as managedFields write them: nested objects of path elements, `.` for the field itself. */
import type { JsonObject } from '../interface.js';
import { emptySet, leafSet, setNode, sortedElements, type FieldSet } from './field-set.js';
import { isObject } from './json.js';
import { parsePathElement, type PathElement } from './path-element.js';

/**
 * hot: the sets of stored objects that are written again and again are parsed once. Bounded, since a set takes more memory than its
 * JSON: two generations, of which the older one is forgotten when the younger one is full.
 */
const generationSize = 2048;
let young = new WeakMap<JsonObject, FieldSet>();
let old = new WeakMap<JsonObject, FieldSet>();
let count = 0;

function know(fields: JsonObject, set: FieldSet): void {
  if (++count > generationSize) {
    old = young;
    young = new WeakMap();
    count = 1;
  }
  young.set(fields, set);
}

function known(fields: JsonObject): FieldSet | undefined {
  const set = young.get(fields);
  if (set !== undefined) return set;
  const older = old.get(fields);
  if (older !== undefined) know(fields, older);
  return older;
}

const leafFields: JsonObject = Object.freeze({});

/** Remembers what a set was read from, where that is what it is written as. */
function remember(set: FieldSet, fields: JsonObject, keys: readonly string[]): void {
  const elements = sortedElements(set);
  const head = set.owned ? 1 : 0;
  const asWritten =
    keys.length === elements.length + head &&
    (head === 0 || keys[0] === '.') &&
    elements.every((element, i) => {
      const child = set.children?.get(element);
      return element === keys[i + head] && child !== undefined && child.written !== undefined;
    });
  if (asWritten) set.written = fields;
}

function parseNode(fields: JsonObject): FieldSet {
  let owned = false;
  let children: Map<PathElement, FieldSet> | undefined;
  const keys = Object.keys(fields);
  for (const key of keys) {
    if (key === '.') {
      owned = true;
      continue;
    }
    const element = parsePathElement(key);
    if (element === undefined) continue;
    const below = fields[key];
    if (!isObject(below)) throw new Error(`expected an object below ${key}`);
    children ??= new Map<PathElement, FieldSet>();
    children.set(element, parseNode(below));
  }
  if (children === undefined) return leafSet;
  const set = setNode(owned, children);
  remember(set, fields, keys);
  return set;
}

/** Throws an Error when malformed. Elements of unknown kinds are dropped. */
export function parseFieldsV1(fields: JsonObject): FieldSet {
  let set = known(fields);
  if (set === undefined) {
    const node = parseNode(fields);
    if (!node.children) set = emptySet;
    else set = node.owned ? setNode(false, node.children) : node;
    know(fields, set);
  }
  return set;
}

/** A set that lost one field is written anew only along the way to it. */
function writeNode(set: FieldSet): JsonObject {
  if (set.children === undefined) return leafFields;
  let fields = set.written;
  if (fields === undefined) {
    fields = {};
    if (set.owned) fields['.'] = leafFields;
    for (const element of sortedElements(set)) fields[element] = writeNode(set.children.get(element) ?? leafSet);
    set.written = fields;
  }
  return fields;
}

/** Keys in the order in which upstream writes them. Shared, down to the objects in it: not to be changed. */
export function writeFieldsV1(set: FieldSet): JsonObject {
  const fields = writeNode(set);
  if (set.children && known(fields) === undefined) know(fields, set);
  return fields;
}
