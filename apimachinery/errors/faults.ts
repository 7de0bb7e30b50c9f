/** Builders of faults, with the texts of apimachinery/pkg/util/validation/field. */
import type { Fault, FaultReason } from '../interface.js';
import { goJson, goNumber, goQuote } from '../../lib/go/go-text.js';
import { type Int64, isNumeric } from '../../lib/json/json.js';
import { maxNameLength, shortened, shortenedValue } from './limits.js';

// --- paths ----------------------------------------------------------------------------------------------------

/** The path of a fault about the whole object. */
export const wholeObject = '<nil>';

/** `child('spec', 'replicas')` is `spec.replicas`; '' is the root. */
export function child(path: string, ...names: readonly string[]): string {
  let out = path;
  for (const name of names) out = out === '' ? name : `${out}.${name}`;
  return out;
}

/** `index('spec.ports', 0)` is `spec.ports[0]`. */
export function index(path: string, at: number): string {
  return `${path}[${at}]`;
}

/** `key('metadata.labels', 'a/b')` is `metadata.labels[a/b]`. */
export function key(path: string, name: string): string {
  return `${path}[${name}]`;
}

/** Where something stands that may have faults. hot: the path of an object is asked for when there is one to tell. */
export type FieldPath = string | { readonly path: string };

export const pathOf = (place: FieldPath): string => (typeof place === 'string' ? place : place.path);

// --- values ---------------------------------------------------------------------------------------------------

/** Stands for a value that is not to be shown. */
export const omitted: unique symbol = Symbol('omitted');

/** A value whose text is given, for what Go prints in its own way (durations, structs without JSON names). */
export class Shown {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/**
 * A value as field errors show it: strings quoted, numbers and booleans bare, everything else as JSON with the keys in the order
 * in which they stand (give maps sorted: `sortKeys` of go-text).
 */
function shown(value: unknown): string {
  if (typeof value === 'string') return goQuote(shortened(value));
  if (isNumeric(value)) return goNumber(value);
  if (typeof value === 'boolean') return String(value);
  return value instanceof Shown ? shortened(value.text) : goJson(shortenedValue(value));
}

const heads: Readonly<Record<FaultReason, string>> = {
  FieldValueNotFound: 'Not found',
  FieldValueRequired: 'Required value',
  FieldValueDuplicate: 'Duplicate value',
  FieldValueInvalid: 'Invalid value',
  FieldValueNotSupported: 'Unsupported value',
  FieldValueForbidden: 'Forbidden',
  FieldValueTooLong: 'Too long',
  FieldValueTooMany: 'Too many',
  FieldValueTooShort: 'Too short',
  FieldValueTooFew: 'Too few',
  InternalError: 'Internal error',
  FieldValueTypeInvalid: 'Invalid value',
};

function fault(reason: FaultReason, path: string, head: string, detail: string): Fault {
  const message = detail === '' ? head : `${head}: ${shortened(detail)}`;
  return { reason, path: shortened(path, maxNameLength), message };
}

/** A fault whose text is its head and, unless empty, the detail. */
export function bareFault(reason: FaultReason, path: string, detail: string): Fault {
  return fault(reason, path, heads[reason], detail);
}

/** A fault whose text shows the value. */
export function valueFault(reason: FaultReason, path: string, value: unknown, detail: string): Fault {
  if (value === omitted) return bareFault(reason, path, detail);
  return fault(reason, path, `${heads[reason]}: ${shown(value)}`, detail);
}

// --- builders -------------------------------------------------------------------------------------------------

/** `Invalid value: "x": detail`. */
export const invalidValue = (path: string, value: unknown, detail: string): Fault =>
  valueFault('FieldValueInvalid', path, value, detail);

/** `Invalid value: "x": detail`, with the reason of a wrong type. */
export const typeInvalid = (path: string, value: unknown, detail: string): Fault =>
  valueFault('FieldValueTypeInvalid', path, value, detail);

/** `Required value: detail`. */
export const required = (path: string, detail = ''): Fault => bareFault('FieldValueRequired', path, detail);

/** `Duplicate value: "x"`. */
export const duplicate = (path: string, value: unknown): Fault => valueFault('FieldValueDuplicate', path, value, '');

/** `Not found: "x"`. */
export const notFoundValue = (path: string, value: unknown): Fault => valueFault('FieldValueNotFound', path, value, '');

/** `Forbidden: detail`. */
export const forbiddenField = (path: string, detail = ''): Fault => bareFault('FieldValueForbidden', path, detail);

/** `Internal error: detail`. */
export const internalFault = (path: string, detail: string): Fault => bareFault('InternalError', path, detail);

/** `Unsupported value: "x": supported values: "a", "b"`, in the order given (upstream sorts where its values are a set). */
export function notSupported(path: string, value: unknown, supported: readonly string[]): Fault {
  const detail = supported.length === 0 ? '' : `supported values: ${supported.map(goQuote).join(', ')}`;
  return valueFault('FieldValueNotSupported', path, value, detail);
}

const plural = (n: Int64, word: string): string => `${n} ${word}${n === 1 ? '' : 's'}`;

/** `Too long: may not be more than 10 bytes`. */
export const tooLong = (path: string, max: Int64): Fault =>
  bareFault('FieldValueTooLong', path, max < 0 ? 'value is too long' : `may not be more than ${plural(max, 'byte')}`);

/** `Too many: 3: must have at most 2 items`; a negative count is not shown. */
export function tooMany(path: string, actual: number, max: Int64): Fault {
  const detail = max < 0 ? 'has too many items' : `must have at most ${plural(max, 'item')}`;
  return valueFault('FieldValueTooMany', path, actual < 0 ? omitted : actual, detail);
}
