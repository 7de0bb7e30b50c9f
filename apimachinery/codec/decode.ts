/** Decodes the text of a body, and finds the errors of Go's strict decoder, in little more time than JSON.parse. */
import { canonicalInSteps } from './canonical.js';
import { DecodeError } from './decode-error.js';
import { inspectFields, jsonType } from './fields.js';
import { type Floats, floatsIn } from './floats.js';
import { afterString } from '../../lib/json/after-string.js';
import { isDeeperThan, maxDepth } from '../../lib/json/depth.js';
import { goNumber } from '../../lib/go/go-text.js';
import { parseExactly, type LargeIntegers, mayContainLargeInteger } from '../../lib/json/json.js';
import { parseSteps } from '../../lib/json/parse-steps.js';
import { atOnce, type InSteps } from '../../lib/time-slice.js';
import { Literal, isStringLiteral } from '../../lib/json/literal.js';
import type { Schema } from './interface.js';
import { preserveVerbatim } from './verbatim-json.js';
import { refuseJson } from './read-json.js';
import { parseStrict, valueOf } from './strict-json.js';

type Plain = Record<string, unknown>;

const quote = 0x22;
const backslash = 0x5c;
const isSpace = (c: number): boolean => c === 0x20 || c === 0x0a || c === 0x0d || c === 0x09;

interface Survey {
  /** The number of keys; -1 if one ends with a backslash, which looks like an escaped quote. */
  readonly keys: number;
  /** Whether the value of a key is a number in the notation of a float: with a point or an exponent, or -0. */
  readonly floats: boolean;
}

const isDigit = (c: number): boolean => c >= 0x30 && c <= 0x39;
const dash = 0x2d;

/** Returns whether a number with a point or an exponent, or -0, begins here. */
function isFloat(text: string, from: number): boolean {
  let at = from;
  while (isSpace(text.charCodeAt(at))) at++;
  if (text.charCodeAt(at) === dash) {
    if (text.charCodeAt(++at) === 0x30) return true;
  } else if (!isDigit(text.charCodeAt(at))) return false;
  while (isDigit(text.charCodeAt(at))) at++;
  const c = text.charCodeAt(at);
  return c === 0x2e || (c | 0x20) === 0x65;
}

/** Returns the number of backslashes right before an index. */
function slashesBefore(text: string, at: number): number {
  let from = at;
  while (text.charCodeAt(from - 1) === backslash) from--;
  return at - from;
}

const colon = 0x3a;
/** Characters that are examined one by one, since a native search costs more than these where colons are dense. */
const nearby = 4;

/** hot: returns the index of the next colon; -1 when there is none. */
function nextColon(text: string, from: number): number {
  for (let at = from; at < from + nearby; at++) if (text.charCodeAt(at) === colon) return at;
  return text.indexOf(':', from + nearby);
}

/** Counts the keys of a valid JSON text by the colons after an unescaped quote: in strings every quote is escaped. hot: every body of a write. */
function survey(text: string): Survey {
  let keys = 0;
  let floats = false;
  for (let at = nextColon(text, 0); at >= 0; at = nextColon(text, at + 1)) {
    let before = at - 1;
    while (isSpace(text.charCodeAt(before))) before--;
    if (text.charCodeAt(before) !== quote) {
      // The rest of the string may have millions of colons.
      at = afterString(text, at) - 1;
      continue;
    }
    if (text.charCodeAt(before - 1) === backslash) {
      const slashes = slashesBefore(text, before);
      if (slashes % 2 === 0) return { keys: -1, floats: true };
      continue;
    }
    keys++;
    // hot: most values are strings, objects and lists
    const c = text.charCodeAt(at + 1);
    if (c !== quote && c <= 0x39 && isFloat(text, at + 1)) floats = true;
  }
  return { keys, floats };
}

interface Counts {
  keys: number;
  /** Whether there is a number other than a safe integer. */
  unsafe: boolean;
  /** Whether there is a number in a list. */
  inList: boolean;
  /** Whether there is a number that is too large for float64. */
  overflows: boolean;
}

/** Counts the keys of a parsed value, and classifies its numbers. hot: every body of a write. */
function count(value: unknown, counts: Counts): void {
  if (typeof value === 'number') {
    if (Number.isSafeInteger(value)) return;
    counts.unsafe = true;
    if (!Number.isFinite(value)) counts.overflows = true;
  } else if (typeof value !== 'object' || value === null) return;
  else if (Array.isArray(value)) {
    for (const item of value) {
      if (typeof item === 'number') counts.inList = true;
      count(item, counts);
    }
  } else
    for (const key in value) {
      counts.keys++;
      const inner = (value as Plain)[key];
      if (typeof inner !== 'string') count(inner, counts);
    }
}

export interface DecodedJson {
  readonly value: unknown;
  /** Whether an object has duplicate keys; `value` then has the last of each. */
  readonly repeated: boolean;
  /** Whether a number may be in the notation of a float: with a point or an exponent, -0, or too large for float64. */
  readonly floats: boolean;
  /** Whether a number is too large for float64. */
  readonly overflows: boolean;
}

/** Matches floats in lists, and sometimes a part of a string. */
const floatInList = /[[,]\s*(?:-0|-?\d+[.eE])/;

/** Parses a text as `JSON.parse`. Throws DecodeError with Go's text of a syntax error. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return refuseJson(text);
  }
}

function countsOf(value: unknown): Counts {
  const counts: Counts = { keys: 0, unsafe: false, inList: false, overflows: false };
  count(value, counts);
  return counts;
}

/** Returns what a text and the value that was parsed from it show together. */
function decoded(text: string, value: unknown, largeIntegers: LargeIntegers): DecodedJson {
  const { keys, floats } = survey(text);
  const counts = countsOf(value);
  const isExact = !counts.unsafe || !mayContainLargeInteger(text);
  return {
    value: isExact ? value : parseExactly(text, largeIntegers),
    repeated: keys !== counts.keys,
    overflows: counts.overflows,
    floats: floats || counts.overflows || (counts.inList && floatInList.test(text)),
  };
}

/** Parses a text. Throws DecodeError with Go's text of a syntax error. hot: most bodies are small, and steps would cost as much as they do. */
export function decodeJson(text: string, largeIntegers: LargeIntegers = 'float64'): DecodedJson {
  const value = parsed(text);
  if (isDeeperThan(text, maxDepth)) parseStrict(text);
  return decoded(text, value, largeIntegers);
}

/** `decodeJson` in steps, for a text of any length. */
export function* jsonSteps(text: string, largeIntegers: LargeIntegers = 'float64'): InSteps<DecodedJson> {
  try {
    return yield* decodedSteps(text, largeIntegers);
  } catch (error) {
    if (error instanceof SyntaxError) return refuseJson(text);
    throw error;
  }
}

/** As `jsonSteps`, but throws SyntaxError, with a text of its own, for a syntax error: Go's text of one needs the slower parser. */
export function* decodedSteps(text: string, largeIntegers: LargeIntegers = 'float64'): InSteps<DecodedJson> {
  let [repeated, floats, overflows] = [false, false, false];
  const parse = (piece: string): unknown => {
    const part = decoded(piece, JSON.parse(piece), largeIntegers);
    repeated ||= part.repeated;
    floats ||= part.floats;
    overflows ||= part.overflows;
    return part.value;
  };
  const value = yield* parseSteps(text, undefined, parse, () => (repeated = true));
  yield;
  if (isDeeperThan(text, maxDepth)) parseStrict(text);
  return { value, repeated, floats, overflows };
}

export interface DecodedObject {
  readonly object: Plain;
  /** `unknown field "spec.foo"`, `duplicate field "data"`, in the order of the document, for the fieldValidation Strict and Warn. */
  readonly faults: readonly string[];
  /** The paths of whole numbers that are floats, in a custom resource; unset if there are none. */
  readonly floats?: Floats;
}

/** Decodes a body of a native kind to its canonical form. Throws DecodeError. hot: every write of a native kind. */
export const decodeNative = (text: string, schema: Schema): DecodedObject =>
  atOnce(nativeObject(text, decodeJson(text, 'exact'), schema));

/** `decodeNative` in steps. */
export function* nativeSteps(text: string, schema: Schema): InSteps<DecodedObject> {
  const json = yield* jsonSteps(text, 'exact');
  yield;
  return yield* nativeObject(text, json, schema);
}

function* nativeObject(text: string, { value, repeated, floats }: DecodedJson, schema: Schema): InSteps<DecodedObject> {
  if (repeated || floats) return yield* decodeStrict(text, schema);
  try {
    const { object, unknown } = yield* canonicalInSteps(preserveVerbatim(value, text, schema), schema);
    return { object, faults: unknown };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    yield;
    const document = parseStrict(text);
    yield;
    throw new DecodeError(inspectFields(document, schema).error ?? error.message);
  }
}

/** Decodes a text with duplicate keys or floats, which the parsed value does not show. */
function* decodeStrict(text: string, schema: Schema): InSteps<DecodedObject> {
  const document = parseStrict(text);
  yield;
  const { faults, error } = inspectFields(document, schema);
  if (error !== undefined) throw new DecodeError(error);
  yield;
  const value = preserveVerbatim(valueOf(document, schema, 'exact'), text, schema);
  const { object } = yield* canonicalInSteps(value, schema);
  // differs: upstream panics for a number in a runtime.RawExtension that is too large, when it determines the owners of fields.
  refuseOverflow(text, object);
  return { object, faults };
}

/** Matches every text with a number that is too large for float64. */
const mayOverflow = /[eE]\+?\d|\d{309}/;

/** Returns the first number that is too large for float64, of a value or of a tree of `parseStrict`. */
export function overflow(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : goNumber(value);
  if (typeof value !== 'object' || value === null) return undefined;
  if (value instanceof Literal)
    return isStringLiteral(value) || Number.isFinite(Number(value.text)) ? undefined : value.text;
  for (const part of Object.values(value)) {
    const found = overflow(part);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns Go's error for a number that is too large for float64. */
export const floatOverflow = (number: string): DecodeError =>
  new DecodeError(`json: cannot unmarshal number ${number} into Go value of type float64`);

/** Throws DecodeError if the value of a text contains a number that is too large for float64. */
export function refuseOverflow(text: string, value: unknown): void {
  if (!mayOverflow.test(text) || overflow(value) === undefined) return;
  throw floatOverflow(overflow(parseStrict(text)) ?? '');
}

/** Returns the faults of a text with duplicate fields, in steps. */
export function* repeatedSteps(text: string): InSteps<readonly string[]> {
  const document = parseStrict(text);
  yield;
  const { faults } = inspectFields(document);
  yield;
  return faults;
}

/** Decodes a body of a custom resource, in steps. The faults are only duplicate fields: pruning finds unknown ones. Throws DecodeError. */
export function* customSteps(text: string): InSteps<DecodedObject> {
  const { value, repeated, floats, overflows } = yield* jsonSteps(text, 'float64');
  yield;
  const kind = Array.isArray(value)
    ? 'array'
    : value === null
      ? ''
      : typeof value === 'boolean'
        ? 'bool'
        : jsonType(value);
  if (kind !== 'object' && kind !== '')
    throw new DecodeError(`json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`);
  if (overflows) throw floatOverflow(overflow(parseStrict(text)) ?? '');
  const faults = repeated ? yield* repeatedSteps(text) : [];
  return { object: (value ?? {}) as Plain, faults, ...(floats && { floats: floatsIn(text) }) };
}
