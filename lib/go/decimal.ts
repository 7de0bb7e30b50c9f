/** Formats doubles as decimals of a given precision: rounded from their exact value, ties to even. as Go's strconv FormatFloat */

/** A positive value as `0.DIGITS` times ten to the power of `point`. */
interface Decimal {
  readonly digits: string;
  readonly point: number;
}

/** Bits of a double's mantissa; its smallest power of two is -1074. */
const mantissaBits = 52;
const smallestPower = -1074;

/** Returns the exact value of a positive, finite double. */
function exact(n: number): Decimal {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, n);
  const bits = view.getBigUint64(0);
  const biased = Number(bits >> BigInt(mantissaBits)) & 0x7ff;
  const fraction = bits & ((1n << BigInt(mantissaBits)) - 1n);
  const mantissa = biased === 0 ? fraction : fraction | (1n << BigInt(mantissaBits));
  const power = Math.max(biased, 1) - 1 + smallestPower;
  if (power >= 0) {
    const digits = String(mantissa << BigInt(power));
    return { digits, point: digits.length };
  }
  const digits = String(mantissa * 5n ** BigInt(-power));
  return { digits, point: digits.length + power };
}

/** Returns the first digits of a decimal, rounded; a carry adds a digit and increments `point`. `count` may be negative. */
function rounded({ digits, point }: Decimal, count: number): Decimal {
  if (count < 0) return { digits: '', point };
  if (count >= digits.length) return { digits: digits.padEnd(count, '0'), point };
  const kept = digits.slice(0, count);
  const rest = digits.slice(count);
  const half = `5${'0'.repeat(rest.length - 1)}`;
  const isOdd = Number(kept.at(-1) ?? '0') % 2 === 1;
  if (rest < half || (rest === half && !isOdd)) return { digits: kept, point };
  const next = String(BigInt(`0${kept}`) + 1n).padStart(count, '0');
  return { digits: next, point: point + next.length - count };
}

const sign = (n: number): string => (n < 0 || Object.is(n, -0) ? '-' : '');

/** Returns a finite number with `precision` digits after the point: `-1.50`. */
export function toFixed(n: number, precision: number): string {
  if (n === 0) return sign(n) + (precision === 0 ? '0' : `0.${'0'.repeat(precision)}`);
  const all = exact(Math.abs(n));
  const { digits, point } = rounded(all, all.point + precision);
  const whole = point <= 0 ? '0' : digits.slice(0, point);
  const behind = point < 0 ? '0'.repeat(Math.min(precision, -point)) + digits : digits.slice(point);
  return `${sign(n)}${whole}${precision === 0 ? '' : `.${behind.slice(0, precision).padEnd(precision, '0')}`}`;
}

/** Returns a finite number as a mantissa like `-1.50` and a power of ten. */
export function exponentialForm(
  n: number,
  precision: number,
): { readonly mantissa: string; readonly exponent: number } {
  const zeros = '0'.repeat(precision);
  if (n === 0) return { mantissa: `${sign(n)}0${precision === 0 ? '' : `.${zeros}`}`, exponent: 0 };
  const { digits, point } = rounded(exact(Math.abs(n)), precision + 1);
  const behind = digits.slice(1, precision + 1);
  return { mantissa: `${sign(n)}${digits.charAt(0)}${precision === 0 ? '' : `.${behind}`}`, exponent: point - 1 };
}
