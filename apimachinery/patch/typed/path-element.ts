/**
 * An element of a path in a typed object, in the canonical notation of fieldsV1: `f:name` is a field, `k:{"name":"c"}` the list item with
 * these keys, `v:"x"` a member of a set, `i:3` an index. Equal elements are equal strings.
 * as structured-merge-diff/fieldpath PathElement
 */
import { goJson, goNumber, goQuote } from '../../../lib/go/go-text.js';
import { isNumeric, parseJson } from '../../../lib/json/json.js';
import { type InSteps, Strides } from '../../../lib/time-slice.js';
import { sortInSteps } from '../../../lib/collections/sort-in-steps.js';
import { memoizeByText } from '../../../lib/collections/memoize-by-text.js';
import { readJson } from '../../codec/read-json.js';
import { isObject } from '../json.js';
import { compareTexts } from '../../../lib/collections/compare-texts.js';

export type PathElement = string;

/** Returns the element of a field, as it is written in managedFields. */
export const fieldElement = (name: string): PathElement => `f:${name}`;

const plain = /^[\w./:@ -]*$/;

// goJson escapes <, > and &, as upstream writes values
function scalarText(value: unknown): string {
  if (typeof value === 'string' && plain.test(value)) return `"${value}"`;
  return isNumeric(value) ? String(value) : goJson(value ?? null);
}

/** Returns the element of an item of a set: the item itself, as JSON. */
export const valueElement = (value: unknown): PathElement => `v:${scalarText(value)}`;

/** Returns the element of a list item. `names`: its keys, sorted. */
export function keyElement(names: readonly string[], value: (name: string) => unknown): PathElement {
  let text = 'k:{';
  for (const name of names) {
    const found = value(name);
    if (found !== undefined) text += `${text.length > 3 ? ',' : ''}${scalarText(name)}:${scalarText(found)}`;
  }
  return text + '}';
}

function canonical(text: string): PathElement | undefined {
  if (text.length < 2) throw new Error('key must be 2 characters long:');
  if (text[1] !== ':') throw new Error(`missing colon: ${text}`);
  const content = text.slice(2);
  switch (text[0]) {
    case 'v':
      return valueElement(readJson(content));
    case 'k': {
      const keys = readJson(content);
      if (!isObject(keys)) throw new Error(`key is not an object: ${text}`);
      return keyElement(Object.keys(keys).sort(), name => keys[name] ?? null);
    }
    case 'i':
      if (!/^[+-]?[0-9]+$/.test(content)) throw new Error(`index is not a number: ${text}`);
      return `i:${Number(content)}`;
    default:
      return undefined;
  }
}

const memoizedCanonical = memoizeByText(canonical);

/** Matches elements with one value that is a string without escapes: they are in canonical notation. */
const simple = /^(?:k:\{"\w+":|v:)"[\w./:@ -]*"\}?$/;

/** Returns the element of a key of fieldsV1; undefined for one of an unknown kind. Throws a plain Error if it is malformed. */
export function parsePathElement(text: string): PathElement | undefined {
  return text.startsWith('f:') || simple.test(text) ? text : memoizedCanonical(text);
}

// as structured-merge-diff/value Compare: numbers before strings before booleans before null
const ranks: Readonly<Record<string, number>> = { number: 0, bigint: 0, string: 1, boolean: 2, object: 3 };

function compareScalars(a: unknown, b: unknown): number {
  const rank = (ranks[typeof a] ?? 4) - (ranks[typeof b] ?? 4);
  if (rank !== 0) return rank;
  if (isNumeric(a) && isNumeric(b)) return a < b ? -1 : a > b ? 1 : 0;
  if (typeof a === 'boolean') return Number(a) - Number(b);
  return compareTexts(String(a), String(b));
}

function compareKeys(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): number {
  const left = Object.keys(a);
  const right = Object.keys(b);
  for (let i = 0; i < left.length && i < right.length; i++) {
    const [name = '', other = ''] = [left[i], right[i]];
    const order = compareTexts(name, other) || compareScalars(a[name], b[other]);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

/** Returns the index of the string in an element of a field or in a simple element; -1 for others. */
function textAt(element: PathElement): number {
  if (element.startsWith('f:')) return 2;
  if (!simple.test(element)) return -1;
  return element.startsWith('v:') ? 3 : element.indexOf('":"') + 3;
}

const kindOrder = 'fkvi';

const contentOf = memoizeByText((element): unknown => parseJson(element.slice(2)));

/** Compares elements by the order of fieldsV1: fields, keys, values, indices. */
export function comparePathElements(a: PathElement, b: PathElement): number {
  if (a === b) return 0;
  // hot: nearly all elements are fields
  if (a.startsWith('f:') && b.startsWith('f:')) return a < b ? -1 : 1;
  const from = textAt(a);
  if (from > 0 && from === textAt(b) && b.startsWith(a.slice(0, from)))
    return compareTexts(textFrom(a, from), textFrom(b, from));
  const kinds = kindOrder.indexOf(a.charAt(0)) - kindOrder.indexOf(b.charAt(0));
  if (kinds !== 0) return kinds;
  switch (a.charAt(0)) {
    case 'f':
      return compareTexts(a, b);
    case 'k':
      return compareKeys(contentOf(a) as Record<string, unknown>, contentOf(b) as Record<string, unknown>);
    default:
      return compareScalars(contentOf(a), contentOf(b));
  }
}

function textFrom(element: PathElement, from: number): string {
  return from === 2 ? element.slice(2) : element.slice(from, element.lastIndexOf('"'));
}

/** The number of elements up to which the cache of `contentOf` has all contents while they are sorted. */
const few = 64;

type Contents = ReadonlyMap<PathElement, unknown>;

const parsedContent = (element: PathElement): unknown => 'kv'.includes(element.charAt(0)) && contentOf(element);

/** Compares elements whose contents were parsed. */
function compareContents(a: PathElement, b: PathElement, known: Contents): number {
  const kind = a.charAt(0);
  if (kind !== b.charAt(0) || (kind !== 'k' && kind !== 'v')) return comparePathElements(a, b);
  const [left, right] = [known.get(a), known.get(b)];
  return kind === 'k'
    ? compareKeys(left as Record<string, unknown>, right as Record<string, unknown>)
    : compareScalars(left, right);
}

/** Sorts keys of several parts, and values that are not strings. Each is parsed once. */
function sortByContent(elements: PathElement[]): PathElement[] {
  const known = new Map(elements.map(element => [element, parsedContent(element)]));
  return elements.sort((a, b) => compareContents(a, b, known));
}

/** Sorts elements in place. hot: if they differ only in one string, V8's sort compares just the strings. */
export function sortPathElements(elements: PathElement[]): PathElement[] {
  const [first = ''] = elements;
  const from = textAt(first);
  const head = first.slice(0, from);
  if (from < 0 || !elements.every(element => textAt(element) === from && element.startsWith(head)))
    return elements.length > few ? sortByContent(elements) : elements.sort(comparePathElements);
  const tail = from === 2 ? '' : first.slice(first.lastIndexOf('"'));
  const texts = elements.map(element => textFrom(element, from)).sort();
  for (const [i, text] of texts.entries()) elements[i] = head + text + tail;
  return elements;
}

/** Elements of a step. */
const stepLength = 1024;

/** Returns what `sortPathElements` returns, in steps of a few milliseconds, for many elements. */
export function* sortElementsInSteps(elements: readonly PathElement[]): InSteps<PathElement[]> {
  const strides = new Strides(stepLength);
  const [first = ''] = elements;
  const from = textAt(first);
  const head = first.slice(0, from);
  const tail = from === 2 ? '' : first.slice(first.lastIndexOf('"'));
  const texts: string[] = [];
  for (const element of elements) {
    if (strides.isOver) yield;
    if (from < 0 || textAt(element) !== from || !element.startsWith(head)) break;
    texts.push(textFrom(element, from));
  }
  if (texts.length < elements.length) {
    const known = new Map<PathElement, unknown>();
    for (const element of elements) {
      if (strides.isOver) yield;
      known.set(element, parsedContent(element));
    }
    return [...(yield* sortInSteps(elements, (a, b) => compareContents(a, b, known)))];
  }
  const sorted: PathElement[] = [];
  for (const text of yield* sortInSteps(texts, compareTexts)) {
    if (strides.isOver) yield;
    sorted.push(head + text + tail);
  }
  return sorted;
}

function printScalar(value: unknown): string {
  if (typeof value === 'string') return goQuote(value);
  return isNumeric(value) ? goNumber(value) : String(value);
}

/** Returns an element as error messages show it: `.spec`, `[name="c"]`, `[="x"]`, `[3]`. */
function printPathElement(element: PathElement): string {
  switch (element.charAt(0)) {
    case 'f':
      return `.${element.slice(2)}`;
    case 'k': {
      const keys = Object.entries(contentOf(element) as Record<string, unknown>);
      return `[${keys.map(([name, value]) => `${name}=${printScalar(value)}`).join(',')}]`;
    }
    case 'v':
      return `[=${printScalar(contentOf(element))}]`;
    default:
      return `[${element.slice(2)}]`;
  }
}

/** Returns a path as error messages show it: `.spec.containers[name="c"].image`. */
export const printPath = (path: readonly PathElement[]): string => path.map(printPathElement).join('');
