/** Validates the type, text, number, enum and format of a value, without its fields and items. */
import { notSupported, tooLong, typeInvalid } from '../../../apimachinery/errors/faults.js';
import { goRegexp } from '../../../lib/regexp/go-regexp.js';
import { goQuote } from '../../../lib/go/go-text.js';
import { isInt64, isNumeric } from '../../../lib/json/json.js';
import { shortened } from '../../../apimachinery/errors/limits.js';
import type { Schema } from '../../../apimachinery/codec/interface.js';
import { type Report, add, addInvalid, checkText, takeText } from './report.js';
import { checkNumber } from './validate-number.js';
import { type Enum, type Plan, isAmong, planOf } from './validation-plan.js';

/** Returns the JSON type of a value, and the Go format if it is a number. */
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

/** Adds the fault of a value of the wrong type. */
function wrongType(report: Report, path: string, expected: string, found: string): void {
  const text = `${path} in body must be of type ${expected}: ${goQuote(found)}`;
  add(report, text, at => typeInvalid(at, found, text), path);
}

/** Checks the type. As upstream, a list is accepted for a string with a format. as validate/type.go */
export function checkType(value: unknown, plan: Plan, path: string, report: Report): boolean {
  const { types, format } = plan;
  const [type, valueFormat] = typeOf(value);
  const listed = types.includes(type) || (type === 'integer' && types.includes('number'));
  if (listed && format === '') return true;
  const textual = type === 'string' || type === 'array';
  if (!textual && format !== '' && !listed && format !== valueFormat) {
    wrongType(report, path, format, valueFormat);
    return false;
  }
  const numeric = types.includes('number') || types.includes('integer');
  if (listed || (!numeric && format !== '' && textual)) return true;
  wrongType(report, path, types.join(','), type);
  return false;
}

/** Checks null. Returns its score. */
export function checkNull(schema: Schema, plan: Plan, path: string, report: Report): number {
  const fits = plan.types.length === 0 || schema.nullable === true;
  if (!fits) wrongType(report, path, plan.types.join(','), 'null');
  if (plan.enum) checkEnum(null, plan.enum, path, report);
  return fits ? 1 : 0;
}

/** Checks a string or a number apart from its type and enum. Returns its score; 0 for other values. */
export function checkScalar(value: unknown, schema: Schema, plan: Plan, path: string, report: Report): number {
  if (typeof value === 'string') {
    checkString(value, schema, plan, path, report);
    if (plan.formatCheck) checkFormat(value, plan, path, report);
    return plan.formatCheck ? 2 : 1;
  }
  if (!isNumeric(value)) return 0;
  checkNumber(value, schema, plan, path, report);
  return 2;
}

function checkString(value: string, schema: Schema, plan: Plan, path: string, report: Report): void {
  const { maxLength, minLength, pattern } = schema;
  if (maxLength !== undefined && hasMoreRunes(value, Number(maxLength), report)) {
    add(report, `${path} in body should be at most ${maxLength} chars long`, at => tooLong(at, maxLength), path);
  } else if (minLength !== undefined && !hasMoreRunes(value, Number(minLength) - 1, report)) {
    addInvalid(report, path, value, `${path} in body should be at least ${minLength} chars long`);
  } else if (pattern) {
    // A plan has no invalid pattern, so it is compiled again for its error.
    const regexp = plan.regexp ?? goRegexp(pattern);
    if ('error' in regexp)
      addInvalid(
        report,
        path,
        value,
        `${path} in body should match '${pattern}, but pattern is invalid: ${regexp.error}'`,
      );
    else if (!checkText(regexp.test, value, report))
      addInvalid(report, path, value, `${path} in body should match '${pattern}'`);
  }
}

/** Reports whether a text has more than `count` characters. It has at most as many as code units, and at least half as many. */
function hasMoreRunes(text: string, count: number, report: Report): boolean {
  if (text.length <= count) return false;
  if (text.length > 2 * count) return true;
  takeText(report, text);
  let runes = text.length;
  for (let i = 1; i < text.length; i++) if (isLow(text.charCodeAt(i)) && isHigh(text.charCodeAt(i - 1))) runes--;
  return runes > count;
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00;
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit < 0xe000;

/** Checks the enum. As upstream, null matches no enum, not even one that lists it. as validate/validator.go basicCommonValidator */
export function checkEnum(value: unknown, allowed: Enum, path: string, report: Report): void {
  if (value !== null && isAmong(value, allowed, report.work)) return;
  const text = `${path} in body should be one of ${allowed.list}`;
  add(report, text, at => notSupported(at, report.work.shownValue(value), allowed.texts), path);
}

function checkFormat(value: string, plan: Plan, path: string, report: Report): void {
  if (!plan.formatCheck) return;
  takeText(report, value);
  if (checkText(plan.formatCheck, value, report)) return;
  const text = `${path} in body must be of type ${plan.format}: ${goQuote(shortened(value))}`;
  add(report, text, at => typeInvalid(at, value, text), path);
}

/**
 * Returns the score of a scalar that is known to be valid, the same as that of `check`; 0 if it must be checked. hot: long lists of scalars,
 * for which no paths are built.
 */
export function quickScore(value: unknown, schema: Schema, report: Report): number {
  const plan = planOf(schema);
  if (plan.plain === undefined) return 0;
  if (plan.enum && !plan.enum.scalars.has(value)) return 0;
  switch (typeof value) {
    case 'string':
      return plan.plain === 'string' && isKnownValid(value, schema, plan, report) ? 7 : 0;
    case 'number':
      return plan.plain === 'number' || (plan.plain === 'integer' && Number.isSafeInteger(value)) ? 8 : 0;
    case 'boolean':
      return plan.plain === 'boolean' ? 6 : 0;
    default:
      return 0;
  }
}

/** Reports whether a text is known to be valid by its number of code units, of which a character has one or two. */
function isKnownValid(value: string, { maxLength, minLength }: Schema, { regexp }: Plan, report: Report): boolean {
  if (maxLength !== undefined && value.length > maxLength) return false;
  if (minLength !== undefined && value.length < 2 * Number(minLength)) return false;
  return !regexp || checkText(regexp.test, value, report);
}
