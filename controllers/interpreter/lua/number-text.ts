import { exponentialForm, toFixed } from '../../../lib/go/decimal.js';

/** Returns a mantissa and an exponent of ten as Go writes them, with at least two digits of the exponent. */
function withGoExponent(text: string): string {
  const [mantissa = '', exponent = ''] = text.split('e');
  const digits = exponent.replace(/^[+-]/, '').padStart(2, '0');
  return `${mantissa}e${exponent.startsWith('-') ? '-' : '+'}${digits}`;
}

/** Returns the exponent of ten of a finite number other than zero. */
const exponentOf = (value: number): number => Number(value.toExponential().split('e')[1]);

/** Returns a float as `fmt` of Go prints it by `%v` and `%g`: with the fewest digits that identify it. */
export function goFloatText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const exponent = exponentOf(value);
  return exponent < -4 || exponent >= 6 ? withGoExponent(value.toExponential()) : value.toString();
}

/** No double has more digits before its trailing zeros. */
const maxDigits = 767;

/** Returns a float as `fmt` of Go prints it by the verb, one of e, f and g, with the precision: rounded from its exact value, ties to even. */
export function goFloatFixed(value: number, verb: 'e' | 'f' | 'g', precision: number): string {
  if (!Number.isFinite(value)) return goFloatText(value);
  if (verb === 'f') return toFixed(value, precision);
  const digits = verb === 'g' ? Math.min(Math.max(1, precision), maxDigits) : precision + 1;
  const { mantissa, exponent } = exponentialForm(value, digits - 1);
  if (verb === 'e') return withGoExponent(`${mantissa}e${exponent}`);
  return exponent < -4 || exponent >= digits
    ? withGoExponent(`${withoutZeros(mantissa)}e${exponent}`)
    : withoutZeros(toFixed(value, digits - 1 - exponent));
}

const withoutZeros = (text: string): string => (text.includes('.') ? text.replace(/\.?0+$/, '') : text);

/** Returns whether gopher-lua prints the number as an integer: an int64 holds it. */
export const isInt64Number = (value: number): boolean =>
  Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63;

/** Returns a number as a script sees it. as gopher-lua LNumber.String */
export const luaNumberText = (value: number): string =>
  isInt64Number(value) ? BigInt(value).toString() : goFloatText(value);
