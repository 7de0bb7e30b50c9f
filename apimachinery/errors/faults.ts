/** Builders of faults, with the texts of apimachinery/pkg/util/validation/field. */
import type { Fault, FaultReason } from '../interface.js';
import { goJson, goNumber, goQuote } from '../../lib/go/go-text.js';
import { type Int64, isNumeric } from '../../lib/json/json.js';
import { maxNameLength, shortened, shortenedValue } from './limits.js';

// --- paths ----------------------------------------------------------------------------------------------------

/** The path of a fault of the whole object. */
export const wholeObject = '<nil>';

/** Returns the path of a field below another: `child('spec', 'replicas')` is `spec.replicas`. '' is the root. */
export function child(path: string, ...names: readonly string[]): string {
  let out = path;
  for (const name of names) out = out === '' ? name : `${out}.${name}`;
  return out;
}

/** Returns the path of an item: `index('spec.ports', 0)` is `spec.ports[0]`. */
export function index(path: string, at: number): string {
  return `${path}[${at}]`;
}

/** Returns the path of a key of a map: `key('metadata.labels', 'a/b')` is `metadata.labels[a/b]`. */
export function key(path: string, name: string): string {
  return `${path}[${name}]`;
}

/** The path of a field that is validated. hot: the object form computes it only when a fault needs it. */
export type FieldPath = string | { readonly path: string };

/** Returns the path of a field as text: `spec.containers[0].name`. */
export const fieldPathText = (field: FieldPath): string => (typeof field === 'string' ? field : field.path);

// --- values ---------------------------------------------------------------------------------------------------

/** Stands for a value that must not appear in a fault. */
export const omitted: unique symbol = Symbol('omitted');

/** The text of a value that Go does not print as JSON (durations, structs without JSON names). */
export class PrintedValue {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/**
 * Returns the text of a value in a fault: strings are quoted, numbers and booleans are not, everything else is JSON with the keys in
 * the order of the value. Callers sort maps with `sortKeys` of go-text.
 */
function printed(value: unknown): string {
  if (typeof value === 'string') return goQuote(shortened(value));
  if (isNumeric(value)) return goNumber(value);
  if (typeof value === 'boolean') return String(value);
  return value instanceof PrintedValue ? shortened(value.text) : goJson(shortenedValue(value));
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

/** Returns a fault whose text has no value: only the head of the reason and, unless empty, the detail. */
export function faultWithoutValue(reason: FaultReason, path: string, detail: string): Fault {
  return fault(reason, path, heads[reason], detail);
}

/** Returns a fault whose text contains the value, unless that is `omitted`. */
export function valueFault(reason: FaultReason, path: string, value: unknown, detail: string): Fault {
  if (value === omitted) return faultWithoutValue(reason, path, detail);
  return fault(reason, path, `${heads[reason]}: ${printed(value)}`, detail);
}

// --- builders -------------------------------------------------------------------------------------------------

/** Returns the fault `Invalid value: "x": detail`. */
export const invalidValue = (path: string, value: unknown, detail: string): Fault =>
  valueFault('FieldValueInvalid', path, value, detail);

/** Returns the fault `Invalid value: "x": detail` with reason FieldValueTypeInvalid. */
export const typeInvalid = (path: string, value: unknown, detail: string): Fault =>
  valueFault('FieldValueTypeInvalid', path, value, detail);

/** Returns the fault `Required value: detail`. */
export const required = (path: string, detail = ''): Fault => faultWithoutValue('FieldValueRequired', path, detail);

/** Returns the fault `Duplicate value: "x"`. */
export const duplicate = (path: string, value: unknown): Fault => valueFault('FieldValueDuplicate', path, value, '');

/** Returns the fault `Not found: "x"`. */
export const notFoundValue = (path: string, value: unknown): Fault => valueFault('FieldValueNotFound', path, value, '');

/** Returns the fault `Forbidden: detail`. */
export const forbiddenField = (path: string, detail = ''): Fault =>
  faultWithoutValue('FieldValueForbidden', path, detail);

/** Returns the fault `Internal error: detail`. */
export const internalFault = (path: string, detail: string): Fault => faultWithoutValue('InternalError', path, detail);

/** Returns the fault `Unsupported value: "x": supported values: "a", "b"`. The caller orders the values; upstream sorts those of a set. */
export function notSupported(path: string, value: unknown, supported: readonly string[]): Fault {
  const detail = supported.length === 0 ? '' : `supported values: ${supported.map(goQuote).join(', ')}`;
  return valueFault('FieldValueNotSupported', path, value, detail);
}

const plural = (n: Int64, word: string): string => `${n} ${word}${n === 1 ? '' : 's'}`;

/** Returns the fault `Too long: may not be more than 10 bytes`; a negative maximum is left out. */
export const tooLong = (path: string, max: Int64): Fault =>
  faultWithoutValue(
    'FieldValueTooLong',
    path,
    max < 0 ? 'value is too long' : `may not be more than ${plural(max, 'byte')}`,
  );

/** Returns the fault `Too many: 3: must have at most 2 items`; negative numbers are left out. */
export function tooMany(path: string, actual: number, max: Int64): Fault {
  const detail = max < 0 ? 'has too many items' : `must have at most ${plural(max, 'item')}`;
  return valueFault('FieldValueTooMany', path, actual < 0 ? omitted : actual, detail);
}
