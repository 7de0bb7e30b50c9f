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

/** Returns a float as `fmt` of Go prints it by the verb, one of e, f and g, with the precision. */
export function goFloatFixed(value: number, verb: 'e' | 'f' | 'g', precision: number): string {
  if (!Number.isFinite(value)) return goFloatText(value);
  const digits = Math.min(precision, 100);
  if (verb === 'e') return withGoExponent(value.toExponential(digits));
  if (verb === 'f') return Math.abs(value) < 1e21 ? value.toFixed(digits) : BigInt(value).toString() + fraction(digits);
  const rounded = Number(value.toPrecision(Math.max(1, digits)));
  const exponent = rounded === 0 ? 0 : exponentOf(rounded);
  return exponent < -4 || exponent >= Math.max(1, digits)
    ? withGoExponent(rounded.toExponential())
    : rounded.toString();
}

const fraction = (digits: number): string => (digits > 0 ? `.${'0'.repeat(digits)}` : '');

/** Returns whether gopher-lua prints the number as an integer: an int64 holds it. */
export const isInt64Number = (value: number): boolean =>
  Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63;

/** Returns a number as a script sees it. as gopher-lua LNumber.String */
export const luaNumberText = (value: number): string =>
  isInt64Number(value) ? BigInt(value).toString() : goFloatText(value);
