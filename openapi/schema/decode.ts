/** From the text of a body to a value, finding what Go's strict decoder finds, at little more than the price of JSON.parse. */
import { canonical } from './canonical.js';
import { DecodeError } from './decode-error.js';
import { inspectFields, jsonType } from './fields.js';
import { type Beyond, exactJson, mayHoldLong } from '../meta/json.js';
import type { Schema } from './interface.js';
import { maxDepth, parseStrict, valueOf } from './strict-json.js';

type Plain = Record<string, unknown>;

const quote = 0x22;
const backslash = 0x5c;
const isSpace = (c: number): boolean => c === 0x20 || c === 0x0a || c === 0x0d || c === 0x09;

/**
 * The number of keys that a valid JSON text writes: of colons behind a quote that nothing escapes. Inside strings every quote is escaped.
 * -1 when a key ends in a backslash, which this cannot tell from an escaped quote. hot:
 */
function countWritten(text: string): number {
  let count = 0;
  for (let at = text.indexOf(':'); at >= 0; at = text.indexOf(':', at + 1)) {
    let before = at - 1;
    while (isSpace(text.charCodeAt(before))) before--;
    if (text.charCodeAt(before) !== quote) continue;
    let slashes = 0;
    while (text.charCodeAt(before - 1 - slashes) === backslash) slashes++;
    if (slashes === 0) count++;
    else if (slashes % 2 === 0) return -1;
  }
  return count;
}

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) for (const item of value) count += countKeys(item);
  else
    for (const key in value) {
      count++;
      const inner = (value as Plain)[key];
      if (typeof inner === 'object') count += countKeys(inner);
    }
  return count;
}

/** Whether a value nests deeper than is read; without recursion. */
function tooDeep(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) return true;
    level = level.flatMap(v => (typeof v === 'object' && v !== null ? (Object.values(v) as unknown[]) : []));
  }
  return false;
}

export interface Json {
  readonly value: unknown;
  /** Whether some object says a field twice; `value` then has the last. */
  readonly repeated: boolean;
}

/** Parses a text. Throws DecodeError with Go's text of a syntax error. hot: */
export function decodeJson(text: string, beyond: Beyond = 'float64'): Json {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    parseStrict(text);
    throw new DecodeError('unexpected end of JSON input');
  }
  if (text.length > 2 * maxDepth && tooDeep(value)) parseStrict(text);
  const repeated = countWritten(text) !== countKeys(value);
  return { value: mayHoldLong(text) ? exactJson(text, beyond) : value, repeated };
}

export interface DecodedObject {
  readonly object: Plain;
  /** `unknown field "spec.foo"`, `duplicate field "data"`, in the order of the document: for Strict and Warn. */
  readonly faults: readonly string[];
}

/** A body of a native kind in canonical form. Throws DecodeError. hot: */
export function decodeNative(text: string, schema: Schema): DecodedObject {
  const { value, repeated } = decodeJson(text, 'exact');
  if (!repeated) {
    try {
      const { object, unknown } = canonical(value, schema);
      return { object, faults: unknown };
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      throw new DecodeError(inspectFields(parseStrict(text), schema).error ?? error.message);
    }
  }
  const document = parseStrict(text);
  const { faults, error } = inspectFields(document, schema);
  if (error !== undefined) throw new DecodeError(error);
  return { object: canonical(valueOf(document, schema, 'exact'), schema).object, faults };
}

/** A number that is too large for a double; nobody could write it down again. */
const mayOverflow = /[eE]\+?\d{3}|\d{309}/;

const isInfinite = (value: unknown): boolean =>
  typeof value === 'number'
    ? !Number.isFinite(value)
    : typeof value === 'object' && value !== null && Object.values(value).some(isInfinite);

/** Throws DecodeError for a text with a number beyond float64. `into`: what Go would have put it into. */
export function refuseOverflow(text: string, value: unknown, into = 'value'): void {
  if (!mayOverflow.test(text) || !isInfinite(value)) return;
  const number = text.match(/-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g)?.find(each => !Number.isFinite(Number(each))) ?? '';
  throw new DecodeError(`json: cannot unmarshal number ${number} into Go ${into} of type float64`);
}

/** A body of a custom resource as it is; of its faults only duplicates (pruning finds unknown fields). Throws DecodeError. */
export function decodeCustom(text: string): DecodedObject {
  const { value, repeated } = decodeJson(text);
  const kind = Array.isArray(value)
    ? 'array'
    : value === null
      ? ''
      : typeof value === 'boolean'
        ? 'bool'
        : jsonType(value);
  if (kind !== 'object' && kind !== '')
    throw new DecodeError(`json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`);
  refuseOverflow(text, value);
  return { object: (value ?? {}) as Plain, faults: repeated ? inspectFields(parseStrict(text)).faults : [] };
}
