import { ownValue } from '../../lib/collections/own-value.js';
/**
 * resource.Quantity: exact decimal amounts with the suffixes of resources (`100m`, `1536Mi`, `12e6`). Values are immutable.
 * as apimachinery/pkg/api/resource
 */
import type { Int64 } from '../../lib/json/json.js';

/** The format in which a quantity was written, and is written again. */
type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

/** The amount is `unscaled * 10^scale`. The scale is at least -9. */
export interface Quantity {
  readonly unscaled: bigint;
  readonly scale: number;
  readonly format: QuantityFormat;
  /** The canonical text, if it is known already. */
  readonly text?: string;
}

const formatWrong =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'" as const;
const suffixWrong = "unable to parse quantity's suffix" as const;

const nano = -9;
const maxInt64 = 2n ** 63n - 1n;
/** differs: upstream accepts any 32-bit exponent, and then computes with numbers of that many digits. */
const maxExponent = 1000;
/** differs: upstream accepts any number of digits. The time to compute with them grows with their square. */
const maxDigits = 1000;

const decimalSuffixes: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  '': 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const binarySuffixes: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };
const decimalBySize = new Map(Object.entries(decimalSuffixes).map(([text, size]) => [size, text]));
const binaryBySize = new Map(Object.entries(binarySuffixes).map(([text, size]) => [size, text]));
binaryBySize.set(0, '');

/** The longest text that is parsed, in characters. differs: upstream parses texts of any length. */
const maxTextLength = 2000;

const pow10Table: bigint[] = [1n];

function pow10(power: number): bigint {
  for (let i = pow10Table.length; i <= Math.min(power, 64); i++) pow10Table.push((pow10Table[i - 1] ?? 1n) * 10n);
  return pow10Table[power] ?? 10n ** BigInt(power);
}

const abs = (n: bigint): bigint => (n < 0n ? -n : n);

/** Returns the quotient, rounded away from zero. */
function divideUp(n: bigint, by: bigint): bigint {
  const quotient = n / by;
  if (quotient * by === n) return quotient;
  return n < 0n ? quotient - 1n : quotient + 1n;
}

// --- parsing --------------------------------------------------------------------------------------------------

interface Suffix {
  readonly base: 2 | 10;
  readonly exponent: number;
  readonly format: QuantityFormat;
}

function readSuffix(text: string): Suffix | undefined {
  const decimal = ownValue(decimalSuffixes, text);
  if (decimal !== undefined) return { base: 10, exponent: decimal, format: 'DecimalSI' };
  const binary = ownValue(binarySuffixes, text);
  if (binary !== undefined) return { base: 2, exponent: binary, format: 'BinarySI' };
  if (!/^[eE][-+]?[0-9]+$/.test(text)) return undefined;
  const exponent = Number(text.slice(1));
  return Math.abs(exponent) > maxExponent ? undefined : { base: 10, exponent, format: 'DecimalExponent' };
}

/** Each digit can match only one group, so the time of a match is linear. */
const shape = /^([+-]?)([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]+[-+]?[0-9]*|[-+][0-9]*|)$/;

/** Returns whether the text is kept as the canonical one. Upstream keeps it if its fast path need not change it. */
function keepsText(s: Suffix, digits: string, scale: number): boolean {
  if (s.base === 2) return (BigInt(digits) & 7n) !== 0n;
  return scale % 3 === 0 && !digits.endsWith('000') && !digits.startsWith('0');
}

/** Returns the number of further digits that upstream's int64 fast path allows; negative if it does not apply. */
function precision(s: Suffix, whole: string, fraction: string): number {
  if (s.base === 10) return 18 - whole.length - fraction.length;
  if (fraction !== '') return -1;
  return 15 - whole.length - Math.trunc(Math.fround((s.exponent * 3) / 10)) - 1;
}

/** Reads an amount outside of the fast path: rounded up to nano, and binary ones limited to the largest int64. */
function largeOrFine(s: Suffix, negative: boolean, whole: string, fraction: string): Quantity {
  let unscaled = BigInt(whole + fraction);
  let scale = -fraction.length;
  if (s.base === 10) scale += s.exponent;
  else unscaled <<= BigInt(s.exponent);
  if (scale < nano) {
    unscaled = divideUp(unscaled, pow10(nano - scale));
    scale = nano;
  }
  let format = s.format;
  if (format === 'BinarySI') {
    const one = pow10(-scale);
    if (unscaled > maxInt64 * one) [unscaled, scale] = [maxInt64, 0];
    else if (unscaled < one && unscaled > 0n) format = 'DecimalSI';
  }
  return { unscaled: negative ? -unscaled : unscaled, scale, format };
}

function read(text: string): Quantity | typeof formatWrong | typeof suffixWrong {
  const parts = text === '' || text.length > maxTextLength ? null : shape.exec(text);
  if (!parts) return formatWrong;
  const [, sign = '', written = '', fraction = '', suffixText = ''] = parts;
  const digits = written.startsWith('0') ? written.replace(/^0+/, '') : written;
  if (digits.length + fraction.length > maxDigits) return formatWrong;
  const suffix = readSuffix(suffixText);
  if (!suffix) return suffixWrong;
  const whole = digits === '' ? '0' : digits;
  const negative = sign === '-';
  const scale = suffix.base === 10 ? suffix.exponent - fraction.length : 0;
  if (precision(suffix, whole, fraction) < 0 || scale < nano) return largeOrFine(suffix, negative, whole, fraction);
  const all = whole + fraction;
  let unscaled = BigInt(all);
  if (suffix.base === 2) unscaled <<= BigInt(suffix.exponent);
  const value = { unscaled: negative ? -unscaled : unscaled, scale, format: suffix.format };
  return keepsText(suffix, all, scale) ? { ...value, text } : value;
}

const zero: Quantity = { unscaled: 0n, scale: 0, format: 'DecimalSI', text: '0' };

/** Cached texts: the objects of one cluster contain the same few amounts again and again. */
const seen = new Map<string, Quantity>([['0', zero]]);
const seenLimit = 4096;

/** Returns upstream's text about an invalid quantity; undefined for a valid one. */
export function quantityError(text: string): string | undefined {
  const found = seen.get(text) ?? read(text.trim());
  return typeof found === 'string' ? found : undefined;
}

/** Parses a quantity; a number is read by its decimal text, as in JSON. Throws a plain Error with upstream's text. hot: every amount of a resource. */
export function parseQuantity(value: string | Int64): Quantity {
  const text = String(value);
  const known = seen.get(text);
  if (known) return known;
  const found = read(text.trim());
  if (typeof found === 'string') throw new Error(found);
  if (seen.size >= seenLimit) seen.clear();
  if (text.length <= 32) seen.set(text, found);
  return found;
}

// --- writing --------------------------------------------------------------------------------------------------

/** Divides by the factor as long as nothing remains, at most `max` times. Returns the quotient and the number of divisions. */
function removeFactors(n: bigint, factor: bigint, max: number): [bigint, number] {
  let times = 0;
  let quotient = n;
  while (quotient !== 0n && times < max && quotient % factor === 0n) {
    quotient /= factor;
    times++;
  }
  return [quotient, times];
}

function decimalText(q: Quantity, format: 'DecimalSI' | 'DecimalExponent'): string {
  // differs: upstream drops suffixes beyond E, and with them the magnitude.
  const max = format === 'DecimalSI' ? Math.max(0, 18 - q.scale) : Infinity;
  const [reduced, times] = removeFactors(q.unscaled, 10n, max);
  let exponent = q.scale + times;
  let amount = reduced;
  const over = format === 'DecimalSI' && exponent > 18 ? exponent - 18 : ((exponent % 3) + 3) % 3;
  if (over > 0) {
    amount *= pow10(over);
    exponent -= over;
  }
  if (format === 'DecimalSI') return `${amount}${decimalBySize.get(exponent) ?? ''}`;
  return exponent === 0 ? String(amount) : `${amount}e${exponent}`;
}

function canonicalText(q: Quantity): string {
  if (q.unscaled === 0n) return '0';
  if (q.format !== 'BinarySI') return decimalText(q, q.format);
  const whole = q.scale >= 0 ? q.unscaled * pow10(q.scale) : q.unscaled / pow10(-q.scale);
  const exact = q.scale >= 0 || whole * pow10(-q.scale) === q.unscaled;
  if (!exact || abs(whole) < 1024n) return decimalText(q, 'DecimalSI');
  const [amount, times] = removeFactors(whole, 1024n, 6);
  return `${amount}${binaryBySize.get(times * 10) ?? ''}`;
}

/** Returns the canonical text: no loss of precision, no fraction, the largest suffix. */
export function quantityText(q: Quantity): string {
  return q.text ?? canonicalText(q);
}

/** Returns the canonical text of a text or number. Throws as `parseQuantity`. */
export function canonicalQuantity(value: string | Int64): string {
  const q = parseQuantity(value);
  if (q.text !== undefined) return q.text;
  const text = canonicalText(q);
  const given = String(value);
  if (seen.has(given)) seen.set(given, { ...q, text });
  return text;
}

// --- values ---------------------------------------------------------------------------------------------------

/** Returns a whole number as a quantity. */
export function quantityOf(value: number | bigint, format: QuantityFormat = 'DecimalSI'): Quantity {
  return { unscaled: BigInt(value), scale: 0, format };
}

/** Returns a number of thousandths as a quantity. */
export function milliQuantityOf(value: number | bigint, format: QuantityFormat = 'DecimalSI'): Quantity {
  return { unscaled: BigInt(value), scale: -3, format };
}

/** Returns the amount in units of `10^scale`, rounded away from zero. */
export function scaledValue(q: Quantity, scale: number): bigint {
  if (q.scale === scale) return q.unscaled;
  if (q.scale > scale) return q.unscaled * pow10(q.scale - scale);
  return divideUp(q.unscaled, pow10(scale - q.scale));
}

/** Returns the amount rounded away from zero to a whole number; beyond 2^53 the nearest double. */
export function quantityValue(q: Quantity): number {
  return Number(scaledValue(q, 0));
}

/** Returns the amount in thousandths, rounded away from zero. */
export function quantityMilliValue(q: Quantity): number {
  return Number(scaledValue(q, -3));
}

/** Returns the amount as a double, which may be inexact. */
export function quantityFloat(q: Quantity): number {
  return q.scale === 0 ? Number(q.unscaled) : Number(q.unscaled) * 10 ** q.scale;
}

/** Returns the sign of the amount. as apimachinery/pkg/api/resource Quantity.Sign */
export function quantitySign(q: Quantity): -1 | 0 | 1 {
  return q.unscaled === 0n ? 0 : q.unscaled < 0n ? -1 : 1;
}

/** Returns whether the amount is 0. as apimachinery/pkg/api/resource Quantity.IsZero */
export const isZeroQuantity = (q: Quantity): boolean => q.unscaled === 0n;

/** Returns both amounts in the finer of the two scales, and that scale. */
function aligned(a: Quantity, b: Quantity): [bigint, bigint, number] {
  if (a.scale === b.scale) return [a.unscaled, b.unscaled, a.scale];
  const scale = Math.min(a.scale, b.scale);
  return [scaledValue(a, scale), scaledValue(b, scale), scale];
}

/** Returns -1, 0 or 1 by the amounts, regardless of formats: 1 equals 1000m. */
export function compareQuantities(a: Quantity, b: Quantity): -1 | 0 | 1 {
  const [x, y] = aligned(a, b);
  return x === y ? 0 : x < y ? -1 : 1;
}

/** Returns a + b in the format of a, or of b if a is zero. */
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  const [x, y, scale] = aligned(a, b);
  return { unscaled: x + y, scale, format: a.unscaled === 0n ? b.format : a.format };
}

/** Returns a - b in the format of a, or of b if a is zero. */
export function subtractQuantities(a: Quantity, b: Quantity): Quantity {
  return addQuantities(a, { ...b, unscaled: -b.unscaled });
}

/** Returns the quantity times an integer, in the same format. as apimachinery/pkg/api/resource Quantity.Mul */
export function multiplyQuantity(q: Quantity, by: number | bigint): Quantity {
  return { unscaled: q.unscaled * BigInt(by), scale: q.scale, format: q.format };
}

export const zeroQuantity = zero;
