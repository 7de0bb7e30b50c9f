/** Reads and writes FieldSets as fieldsV1: nested objects of path elements, `.` for the field itself. */
import type { JsonObject } from '../../interface.js';
import { jsonText } from '../../../lib/json/json.js';
import { jsonTextSteps } from '../../../lib/json/text-steps.js';
import type { InSteps, Strides } from '../../../lib/time-slice.js';
import { emptySet, leafSet, setNode, sortedElements, type FieldSet } from './field-set.js';
import { isObject } from '../json.js';
import { comparePathElements, parsePathElement, sortElementsInSteps, type PathElement } from './path-element.js';
import { isEmptyMap } from './typed.js';

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

/** A node that is being parsed. Its keys are read in their order. */
class NodeDraft {
  readonly #fields: JsonObject;
  #owned = false;
  #children: Map<PathElement, FieldSet> | undefined;
  /** Whether the node would be written as the same JSON: it is sorted and has no unknown elements. */
  #asWritten = true;
  #previous: PathElement | undefined;

  constructor(fields: JsonObject) {
    this.#fields = fields;
  }

  /** Reads a key. Returns the JSON of the child that has to be parsed and added; undefined if there is none. Throws a plain Error. */
  read(key: string): JsonObject | undefined {
    if (key === '.') {
      this.#owned = true;
      this.#asWritten &&= this.#children === undefined;
      return undefined;
    }
    const element = parsePathElement(key);
    const below = this.#fields[key];
    const previous = this.#previous;
    this.#asWritten &&= element === key && (previous === undefined || comparePathElements(previous, element) < 0);
    if (element === undefined) return undefined;
    if (!isObject(below)) throw new Error(`expected an object below ${key}`);
    this.#previous = element;
    this.#children ??= new Map<PathElement, FieldSet>();
    // hot: most children are leaves
    if (!isEmptyMap(below)) return below;
    this.#children.set(element, leafSet);
    return undefined;
  }

  /** Adds the set of the child that `read` returned. */
  add(below: JsonObject, child: FieldSet): void {
    this.#asWritten &&= child.written === below;
    this.#children?.set(this.#previous ?? '', child);
  }

  /** Returns the set. `written` is set if the node would be written as the same JSON. */
  set(): FieldSet {
    const children = this.#children;
    const set = setNode(this.#owned || children === undefined, children);
    if (this.#asWritten && children) set.written = this.#fields;
    return set;
  }

  /** Returns the set of a root, which has no owner as a whole. */
  root(): FieldSet {
    if (!this.#children) return emptySet;
    return this.#owned ? setNode(false, this.#children) : this.set();
  }
}

function nodeOf(fields: JsonObject): NodeDraft {
  const node = new NodeDraft(fields);
  for (const key in fields) {
    const below = node.read(key);
    if (below) node.add(below, nodeOf(below).set());
  }
  return node;
}

/** As `nodeOf`, which is faster for small sets. */
function* nodeInSteps(fields: JsonObject, strides: Strides): InSteps<NodeDraft> {
  const node = new NodeDraft(fields);
  for (const key in fields) {
    if (strides.isOver) yield;
    const below = node.read(key);
    if (below) node.add(below, (yield* nodeInSteps(below, strides)).set());
  }
  return node;
}

/** Parses fieldsV1. Elements of unknown kinds are dropped. Throws a plain Error if it is malformed. */
export function parseFieldsV1(fields: JsonObject): FieldSet {
  let set = cached(fields);
  if (set === undefined) cache(fields, (set = nodeOf(fields).root()));
  return set;
}

/** Returns what `parseFieldsV1` returns, in steps. The strides may be shared by many sets. */
export function* parseInSteps(fields: JsonObject, strides: Strides): InSteps<FieldSet> {
  let set = cached(fields);
  if (set === undefined) cache(fields, (set = (yield* nodeInSteps(fields, strides)).root()));
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

/** Makes the text of fieldsV1 in steps, for a later `fieldsText`. */
export function* fieldsTextSteps(fields: JsonObject): InSteps<void> {
  if (!texts.has(fields) && cached(fields) !== undefined) texts.set(fields, yield* jsonTextSteps(fields));
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

/** Children from which on their elements are sorted in steps. */
const manyChildren = 1024;

/** Writes a node of many children, which are written. */
function* writeLargeNode(set: FieldSet, children: ReadonlyMap<PathElement, FieldSet>, strides: Strides): InSteps<void> {
  const fields: JsonObject = {};
  if (set.owned) fields['.'] = leafFields;
  for (const element of yield* sortElementsInSteps([...children.keys()])) {
    fields[element] = writeNode(children.get(element) ?? leafSet);
    if (strides.isOver) yield;
  }
  set.written = fields;
}

/** Writes the parts of a large set in steps, for a later `writeFieldsV1`. The strides may be shared by many sets. */
export function* writeSteps(set: FieldSet, strides: Strides): InSteps<void> {
  const { children } = set;
  if (children === undefined || set.written !== undefined) return;
  for (const child of children.values()) {
    if (strides.isOver) yield;
    if (child.children && child.written === undefined) yield* writeSteps(child, strides);
  }
  if (children.size > manyChildren) yield* writeLargeNode(set, children, strides);
  else writeNode(set);
}

/** Returns the fieldsV1 of a set, with keys in upstream's order. It is shared, and must not be changed. */
export function writeFieldsV1(set: FieldSet): JsonObject {
  const fields = writeNode(set);
  if (set.children && cached(fields) === undefined) cache(fields, set);
  return fields;
}
