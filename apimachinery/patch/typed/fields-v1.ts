/** Reads and writes FieldSets as fieldsV1: nested objects of path elements, `.` for the field itself. */
import type { JsonObject } from '../../interface.js';
import { jsonText } from '../../../lib/json/json.js';
import { type InSteps, Strides } from '../../../lib/time-slice.js';
import { emptySet, leafSet, setNode, sortedElements, type FieldSet } from './field-set.js';
import { isObject } from '../json.js';
import { comparePathElements, parsePathElement, sortElementsInSteps, type PathElement } from './path-element.js';

/**
 * A cache of parsed sets. hot: the sets of objects that are written repeatedly are parsed once. It has two generations, since a set takes
 * more memory than its JSON: when the younger one is full, the older one is dropped.
 */
const generationSize = 2048;
let young = new WeakMap<JsonObject, FieldSet>();
let old = new WeakMap<JsonObject, FieldSet>();
let count = 0;

function cache(fields: JsonObject, set: FieldSet): void {
  if (++count > generationSize) {
    old = young;
    young = new WeakMap();
    count = 1;
  }
  young.set(fields, set);
}

function cached(fields: JsonObject): FieldSet | undefined {
  const set = young.get(fields);
  if (set !== undefined) return set;
  const older = old.get(fields);
  if (older !== undefined) cache(fields, older);
  return older;
}

const leafFields: JsonObject = Object.freeze({});

/** Parses a node. Sets `written` if the node would be written as the same JSON: it is sorted and has no unknown elements. */
function parseNode(fields: JsonObject): FieldSet {
  let owned = false;
  let children: Map<PathElement, FieldSet> | undefined;
  let asWritten = true;
  let previous: PathElement | undefined;
  for (const key in fields) {
    if (key === '.') {
      owned = true;
      asWritten &&= children === undefined;
      continue;
    }
    const element = parsePathElement(key);
    const below = fields[key];
    asWritten &&= element === key && (previous === undefined || comparePathElements(previous, element) < 0);
    if (element === undefined) continue;
    if (!isObject(below)) throw new Error(`expected an object below ${key}`);
    const child = parseNode(below);
    asWritten &&= child.written !== undefined;
    previous = element;
    children ??= new Map<PathElement, FieldSet>();
    children.set(element, child);
  }
  const set = setNode(owned || children === undefined, children);
  if (asWritten && children) set.written = fields;
  return set;
}

/** Parses fieldsV1. Elements of unknown kinds are dropped. Throws a plain Error if it is malformed. */
export function parseFieldsV1(fields: JsonObject): FieldSet {
  let set = cached(fields);
  if (set === undefined) {
    const node = parseNode(fields);
    if (!node.children) set = emptySet;
    else set = node.owned ? setNode(false, node.children) : node;
    cache(fields, set);
  }
  return set;
}

const texts = new WeakMap<JsonObject, string>();

/** Returns the JSON of fieldsV1. hot: it is cached for sets that are in the cache of sets. */
export function fieldsText(fields: JsonObject): string {
  let text = texts.get(fields);
  if (text === undefined) {
    text = jsonText(fields);
    if (cached(fields) !== undefined) texts.set(fields, text);
  }
  return text;
}

/** Returns the fieldsV1 of a node. Of a changed set only the nodes on the path to the change are written again. */
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

/** Children that are written in one step, which takes some milliseconds. */
const stepChildren = 2000;

/** Writes a node of many children in steps. */
function* writeLargeNode(set: FieldSet, children: ReadonlyMap<PathElement, FieldSet>): InSteps<undefined> {
  const fields: JsonObject = {};
  if (set.owned) fields['.'] = leafFields;
  const elements = yield* sortElementsInSteps([...children.keys()]);
  const strides = new Strides(stepChildren);
  for (const element of elements) {
    fields[element] = writeNode(children.get(element) ?? leafSet);
    if (strides.isOver) yield;
  }
  set.written = fields;
  return undefined;
}

/** Writes the parts of a large set in steps, for a later `writeFieldsV1`. */
export function* writeSteps(set: FieldSet): InSteps<undefined> {
  let written = 0;
  function* write(node: FieldSet): InSteps<undefined> {
    const { children } = node;
    if (children === undefined || node.written !== undefined) return undefined;
    for (const child of children.values()) if (child.children) yield* write(child);
    if (children.size > stepChildren) return yield* writeLargeNode(node, children);
    writeNode(node);
    written += children.size;
    if (written < stepChildren) return undefined;
    written = 0;
    yield;
    return undefined;
  }
  return yield* write(set);
}

/** Returns the fieldsV1 of a set, with keys in upstream's order. It is shared, and must not be changed. */
export function writeFieldsV1(set: FieldSet): JsonObject {
  const fields = writeNode(set);
  if (set.children && cached(fields) === undefined) cache(fields, set);
  return fields;
}
