/** Formats float64 values as `fmt` of Go does. */
import { exponentialForm, toFixed } from './decimal.js';

/** Returns a mantissa and an exponent of ten as Go writes them, with at least two digits of the exponent. */
function withGoExponent(text: string): string {
  const [mantissa = '', exponent = ''] = text.split('e');
  const digits = exponent.replace(/^[+-]/, '').padStart(2, '0');
  return `${mantissa}e${exponent.startsWith('-') ? '-' : '+'}${digits}`;
}

/** Returns a float as `%v` and `%g` print it: with the fewest digits that identify it. */
export function goFloat(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const text = value.toExponential();
  const exponent = Number(text.slice(text.indexOf('e') + 1));
  return exponent < -4 || exponent >= 6 ? withGoExponent(text) : value.toString();
}

/** No double has more digits before its trailing zeros. */
const maxDigits = 767;

const withoutZeros = (text: string): string => (text.includes('.') ? text.replace(/\.?0+$/, '') : text);

/** Returns a float as the verb, one of e, f and g, prints it with the precision: rounded from its exact value, ties to even. */
export function goFloatFixed(value: number, verb: 'e' | 'f' | 'g', precision: number): string {
  if (!Number.isFinite(value)) return goFloat(value);
  if (verb === 'f') return toFixed(value, precision);
  const digits = verb === 'g' ? Math.min(Math.max(1, precision), maxDigits) : precision + 1;
  const { mantissa, exponent } = exponentialForm(value, digits - 1);
  if (verb === 'e') return withGoExponent(`${mantissa}e${exponent}`);
  return exponent < -4 || exponent >= digits
    ? withGoExponent(`${withoutZeros(mantissa)}e${exponent}`)
    : withoutZeros(toFixed(value, digits - 1 - exponent));
}
