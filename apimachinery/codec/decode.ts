/** From the text of a body to a value, finding what Go's strict decoder finds, at little more than the price of JSON.parse. */
import { canonical } from './canonical.js';
import { DecodeError } from './decode-error.js';
import { inspectFields, jsonType } from './fields.js';
import { type Floats, floatsIn } from './floats.js';
import { isDeeperThan, maxDepth } from '../../lib/json/depth.js';
import { goNumber } from '../../lib/go/go-text.js';
import { type Beyond, exactJson, mayHoldLong } from '../../lib/json/json.js';
import { atOnce, type InSteps } from '../../lib/time-slice.js';
import { Literal, isText } from '../../lib/json/literal.js';
import type { Schema } from './interface.js';
import { respell } from './spelled.js';
import { refuseJson } from './read-json.js';
import { parseStrict, valueOf } from './strict-json.js';

type Plain = Record<string, unknown>;

const quote = 0x22;
const backslash = 0x5c;
const isSpace = (c: number): boolean => c === 0x20 || c === 0x0a || c === 0x0d || c === 0x09;

interface Written {
  /** How many keys: -1 when one ends in a backslash, which this cannot tell from an escaped quote. */
  readonly keys: number;
  /** Whether the value of one is a number that no int is written as. */
  readonly floats: boolean;
}

const isDigit = (c: number): boolean => c >= 0x30 && c <= 0x39;
const dash = 0x2d;

/** Whether a number with a point or an exponent begins here, or -0. */
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

/** How many backslashes stand right before a place. */
function slashesBefore(text: string, at: number): number {
  let from = at;
  while (text.charCodeAt(from - 1) === backslash) from--;
  return at - from;
}

/** What a valid JSON text writes: colons behind a quote that nothing escapes. Inside strings every quote is escaped. hot: */
function survey(text: string): Written {
  let keys = 0;
  let floats = false;
  for (let at = text.indexOf(':'); at >= 0; at = text.indexOf(':', at + 1)) {
    let before = at - 1;
    while (isSpace(text.charCodeAt(before))) before--;
    if (text.charCodeAt(before) !== quote) continue;
    if (text.charCodeAt(before - 1) === backslash) {
      const slashes = slashesBefore(text, before);
      if (slashes % 2 === 0) return { keys: -1, floats: true };
      continue;
    }
    keys++;
    // Not where a text, an object or a list begins.
    const c = text.charCodeAt(at + 1);
    if (c !== quote && c <= 0x39 && isFloat(text, at + 1)) floats = true;
  }
  return { keys, floats };
}

interface Parsed {
  keys: number;
  /** Whether there are numbers other than safe ints. */
  odd: boolean;
  /** Whether one of them is in a list. */
  listed: boolean;
  /** Whether one of them is beyond float64. */
  beyond: boolean;
}

/** Counts the keys of a value that was parsed. hot: */
function count(value: unknown, found: Parsed): void {
  if (typeof value === 'number') {
    if (Number.isSafeInteger(value)) return;
    found.odd = true;
    if (!Number.isFinite(value)) found.beyond = true;
  } else if (typeof value !== 'object' || value === null) return;
  else if (Array.isArray(value)) {
    for (const item of value) {
      if (typeof item === 'number') found.listed = true;
      count(item, found);
    }
  } else
    for (const key in value) {
      found.keys++;
      const inner = (value as Plain)[key];
      if (typeof inner !== 'string') count(inner, found);
    }
}

export interface Json {
  readonly value: unknown;
  /** Whether some object says a field twice; `value` then has the last. */
  readonly repeated: boolean;
  /** Whether some number may be one that no int is written as: with a point or an exponent, -0, or beyond float64. */
  readonly floats: boolean;
  /** Whether some number is beyond float64. */
  readonly beyond: boolean;
}

/** Floats in lists, and what looks like them inside of texts. */
const listedFloat = /[[,]\s*(?:-0|-?\d+[.eE])/;

/** Parses a text. Throws DecodeError with Go's text of a syntax error. hot: */
export function decodeJson(text: string, beyond: Beyond = 'float64'): Json {
  return atOnce(jsonSteps(text, beyond));
}

/** Does what `decodeJson` does, in steps. */
export function* jsonSteps(text: string, beyond: Beyond = 'float64'): InSteps<Json> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refuseJson(text);
  }
  yield;
  if (isDeeperThan(text, maxDepth)) parseStrict(text);
  yield;
  const { keys, floats } = survey(text);
  const parsed: Parsed = { keys: 0, odd: false, listed: false, beyond: false };
  yield;
  count(value, parsed);
  const exact = parsed.odd && mayHoldLong(text) ? exactJson(text, beyond) : value;
  return {
    value: exact,
    repeated: keys !== parsed.keys,
    beyond: parsed.beyond,
    floats: floats || parsed.beyond || (parsed.listed && listedFloat.test(text)),
  };
}

export interface DecodedObject {
  readonly object: Plain;
  /** `unknown field "spec.foo"`, `duplicate field "data"`, in the order of the document: for Strict and Warn. */
  readonly faults: readonly string[];
  /** Where whole numbers of a custom resource are floats; absent: nowhere. */
  readonly floats?: Floats;
}

/** A body of a native kind in canonical form. Throws DecodeError. */
export function decodeNative(text: string, schema: Schema): DecodedObject {
  return atOnce(nativeSteps(text, schema));
}

/** `decodeNative` in steps. hot: */
export function* nativeSteps(text: string, schema: Schema): InSteps<DecodedObject> {
  const { value, repeated, floats } = yield* jsonSteps(text, 'exact');
  yield;
  if (repeated || floats) return decodeWritten(text, schema);
  try {
    const { object, unknown } = canonical(respell(value, text, schema), schema);
    return { object, faults: unknown };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new DecodeError(inspectFields(parseStrict(text), schema).error ?? error.message);
  }
}

/** The same, by what the text says more than its value. */
function decodeWritten(text: string, schema: Schema): DecodedObject {
  const document = parseStrict(text);
  const { faults, error } = inspectFields(document, schema);
  if (error !== undefined) throw new DecodeError(error);
  const { object } = canonical(respell(valueOf(document, schema, 'exact'), text, schema), schema);
  // differs: of JSON inside of an object (runtime.RawExtension) upstream cannot tell who owns it when a number in it is too large, and panics.
  refuseOverflow(text, object);
  return { object, faults };
}

/** A number that is too large for a double; nobody could write it down again. */
const mayOverflow = /[eE]\+?\d|\d{309}/;

/** The first number of a value, or of the tree of a strict reader, that is beyond float64. */
export function overflow(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : goNumber(value);
  if (typeof value !== 'object' || value === null) return undefined;
  if (value instanceof Literal) return isText(value) || Number.isFinite(Number(value.text)) ? undefined : value.text;
  for (const part of Object.values(value)) {
    const found = overflow(part);
    if (found !== undefined) return found;
  }
  return undefined;
}

export const tooLarge = (number: string): DecodeError =>
  new DecodeError(`json: cannot unmarshal number ${number} into Go value of type float64`);

/** Throws DecodeError for a text whose value holds a number beyond float64. */
export function refuseOverflow(text: string, value: unknown): void {
  if (!mayOverflow.test(text) || overflow(value) === undefined) return;
  throw tooLarge(overflow(parseStrict(text)) ?? '');
}

/** A body of a custom resource as it is; of its faults only duplicates (pruning finds unknown fields). Throws DecodeError. */
export function* customSteps(text: string): InSteps<DecodedObject> {
  const { value, repeated, floats, beyond } = yield* jsonSteps(text, 'float64');
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
  if (beyond) throw tooLarge(overflow(parseStrict(text)) ?? '');
  return {
    object: (value ?? {}) as Plain,
    faults: repeated ? inspectFields(parseStrict(text)).faults : [],
    ...(floats && { floats: floatsIn(text) }),
  };
}
