/** What is asked of a value itself, whatever is in it: its type, its text, what it may be. */
import { notSupported, tooLong, typeInvalid } from '../../apimachinery/errors/faults.js';
import { goRegexp } from '../../lib/regexp/go-regexp.js';
import { goQuote, sortKeys } from '../../lib/go/go-text.js';
import { isInt64 } from '../../lib/json/json.js';
import { shortened, shortenedValue } from '../../apimachinery/errors/limits.js';
import type { Schema } from '../../apimachinery/codec/interface.js';
import { type Report, add, addInvalid } from './report.js';
import { type Enum, type Plan, isAmong, planOf } from './validation-plan.js';

/** The JSON type of a value, and the Go format of numbers. */
function typeOf(value: unknown): readonly [type: string, format: string] {
  if (value === null) return ['null', ''];
  if (Array.isArray(value)) return ['array', ''];
  switch (typeof value) {
    case 'string':
      return ['string', ''];
    case 'boolean':
      return ['boolean', ''];
    case 'number':
    case 'bigint':
      return isInt64(value) ? ['integer', 'int64'] : ['number', 'float64'];
    default:
      return ['object', ''];
  }
}

export function wrongType(report: Report, path: string, wanted: string, found: string): void {
  const text = `${path} in body must be of type ${wanted}: ${goQuote(found)}`;
  add(report, text, at => typeInvalid(at, found, text), path);
}

/** Quirk: a list passes for a string with a format. as validate/type.go */
export function checkType(value: unknown, plan: Plan, path: string, report: Report): boolean {
  const { types, format } = plan;
  const [type, own] = typeOf(value);
  const listed = types.includes(type) || (type === 'integer' && types.includes('number'));
  if (listed && format === '') return true;
  const textual = type === 'string' || type === 'array';
  if (!textual && format !== '' && !listed && format !== own) {
    wrongType(report, path, format, own);
    return false;
  }
  const numeric = types.includes('number') || types.includes('integer');
  if (listed || (!numeric && format !== '' && textual)) return true;
  wrongType(report, path, types.join(','), type);
  return false;
}

export function checkString(value: string, schema: Schema, path: string, report: Report): void {
  const { maxLength, minLength, pattern } = schema;
  if (maxLength !== undefined && value.length > maxLength && runes(value) > maxLength) {
    add(report, `${path} in body should be at most ${maxLength} chars long`, at => tooLong(at, maxLength), path);
  } else if (minLength !== undefined && runes(value) < minLength) {
    addInvalid(report, path, value, `${path} in body should be at least ${minLength} chars long`);
  } else if (pattern) {
    const regexp = goRegexp(pattern);
    if ('error' in regexp)
      addInvalid(
        report,
        path,
        value,
        `${path} in body should match '${pattern}, but pattern is invalid: ${regexp.error}'`,
      );
    else if (!regexp.test(value)) addInvalid(report, path, value, `${path} in body should match '${pattern}'`);
  }
}

function runes(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** Quirk: null matches no enum, not even one that lists it. as validate/validator.go basicCommonValidator */
export function checkEnum(value: unknown, allowed: Enum, path: string, report: Report): void {
  if (value !== null && isAmong(value, allowed)) return;
  const text = `${path} in body should be one of ${allowed.list}`;
  add(report, text, at => notSupported(at, sortKeys(shortenedValue(value)), allowed.texts), path);
}

export function checkFormat(value: string, plan: Plan, path: string, report: Report): void {
  if (!plan.formatCheck || plan.formatCheck(value)) return;
  const text = `${path} in body must be of type ${plan.format}: ${goQuote(shortened(value))}`;
  add(report, text, at => typeInvalid(at, value, text), path);
}

/**
 * The score of a scalar that is surely right; 0 when it has to be looked at. It is what `check` gives. hot: long lists of scalars, whose
 * paths nobody asks for.
 */
export function quickScore(value: unknown, schema: Schema): number {
  const plan = planOf(schema);
  if (plan.plain === undefined) return 0;
  if (plan.enum && !plan.enum.scalars.has(value)) return 0;
  switch (typeof value) {
    case 'string':
      return plan.plain === 'string' && isRight(value, schema, plan) ? 7 : 0;
    case 'number':
      return plan.plain === 'number' || (plan.plain === 'integer' && Number.isSafeInteger(value)) ? 8 : 0;
    case 'boolean':
      return plan.plain === 'boolean' ? 6 : 0;
    default:
      return 0;
  }
}

/** There are as many characters as code units, or half as many. */
function isRight(value: string, { maxLength, minLength }: Schema, { regexp }: Plan): boolean {
  if (maxLength !== undefined && value.length > maxLength) return false;
  if (minLength !== undefined && value.length < 2 * Number(minLength)) return false;
  return !regexp || regexp.test(value);
}
