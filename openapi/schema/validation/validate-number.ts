/** Validates numbers as kube-apiserver does: integers are compared with bounds that are truncated to integers. */
import { goNumber } from '../../../lib/go/go-text.js';
import { type Int64, int64Of, isInt64 } from '../../../lib/json/json.js';
import type { Schema } from '../../../apimachinery/codec/interface.js';
import { type Report, addInvalid, addWithoutPath } from './report.js';
import type { Plan } from './validation-plan.js';

const int64Limit = 2 ** 63;

/** Returns the fault of a number that its type and format cannot represent; '' if there is none. as validate.IsValueValidAgainstRange */
function rangeText(value: Int64, type: string | undefined, format: string, what: string, path: string): string {
  const limit = format === 'int32' ? 2 ** 31 : int64Limit;
  const fits =
    type === 'integer'
      ? (isInt64(value) || Number.isInteger(value)) && value >= -limit && value < limit
      : format !== 'float' || Math.abs(Math.fround(Number(value))) !== Infinity;
  if (fits) return '';
  const formatText = format === '' ? '(default format)' : `with format ${format}`;
  return `${what} value must be of type ${type ?? ''} ${formatText} in ${path}`;
}

function multipleText(value: Int64, factor: number, whole: boolean, path: string): string {
  const by = whole ? Math.trunc(factor) : factor;
  if (by <= 0) return `factor MultipleOf declared for ${path} must be positive: ${goNumber(by)}`;
  const fits = whole ? isMultiple(value, by) : isJsonInteger(times(Number(value), by));
  return fits ? '' : `${path} in body should be a multiple of ${goNumber(by)}`;
}

const isMultiple = (value: Int64, by: number): boolean =>
  typeof value === 'number' && Number.isSafeInteger(value) && Number.isSafeInteger(by)
    ? value % by === 0
    : BigInt(value) % BigInt(by) === 0n;

const times = (value: number, by: number): number => (by < 1 ? (1 / by) * value : value / by);

/** Reports whether a number is an integer within the precision of doubles. as swag.IsFloat64AJSONInteger */
function isJsonInteger(value: number): boolean {
  if (!Number.isFinite(value) || Math.abs(value) > 2 ** 53) return false;
  const off = Math.abs(value - Math.trunc(value));
  const size = Math.abs(value);
  if (off === 0) return true;
  return size < Number.MIN_VALUE * 2 ** 52
    ? off < 1e-9 * size
    : off / Math.min(size + Math.trunc(size), 1.8e308) < 1e-9;
}

function boundText(value: Int64, bound: Int64, exclusive: boolean, side: 'less' | 'greater', path: string): string {
  const isOutside = side === 'less' ? value > bound : value < bound;
  if (!isOutside && !(exclusive && value === bound)) return '';
  return `${path} in body should be ${side} than ${exclusive ? '' : 'or equal to '}${goNumber(bound)}`;
}

/** Returns a bound as Go converts it to int64. */
function wholeBound(bound: number): Int64 {
  const whole = Math.trunc(bound);
  return Number.isSafeInteger(whole) ? whole : int64Of(BigInt(whole));
}

/** Validates a number. */
export function checkNumber(value: Int64, schema: Schema, plan: Plan, path: string, report: Report): void {
  // The type and format count only if the schema allows no other types.
  const numeric = plan.types.length === 1 && (plan.types[0] === 'integer' || plan.types[0] === 'number');
  const type = numeric ? plan.types[0] : undefined;
  const format = numeric ? plan.format : '';
  const integer = isInt64(value);
  const isOutOfRange = (what: string, bound: Int64): boolean => {
    const text = rangeText(bound, type, format, what, path);
    if (text !== '') addWithoutPath(report, text);
    return text !== '';
  };
  const addFault = (invalid: unknown, text: string): void => {
    if (text !== '') addInvalid(report, path, invalid, text);
  };
  isOutOfRange('Checked', value);
  const { multipleOf, maximum, minimum } = schema;
  if (multipleOf !== undefined) {
    const whole = !isOutOfRange('MultipleOf', multipleOf) && integer;
    const text = multipleText(value, multipleOf, whole, path);
    addFault(text.startsWith('factor') ? Math.trunc(multipleOf) : value, text);
  }
  if (maximum !== undefined) {
    const whole = !isOutOfRange('Maximum boundary', maximum) && integer;
    const bound = whole ? wholeBound(maximum) : maximum;
    addFault(value, boundText(whole ? value : Number(value), bound, schema.exclusiveMaximum === true, 'less', path));
  }
  if (minimum !== undefined) {
    const whole = !isOutOfRange('Minimum boundary', minimum) && integer;
    const bound = whole ? wholeBound(minimum) : minimum;
    addFault(value, boundText(whole ? value : Number(value), bound, schema.exclusiveMinimum === true, 'greater', path));
  }
}
