/** Fractions in decimal digits. differs: upstream knows hexadecimal ones, too. */
const fraction = /^[+-]?(?:\d+\.\d*|\.\d+)(?:e[+-]?\d+)?$/i;
/** Integers in any base. */
const integer = /^([+-]?)([\da-z]+)$/i;

/** White space around numbers. */
const space: ReadonlySet<string | undefined> = new Set([' ', '\n', '\t']);

/** Digits of an integer that are read. differs: upstream reads any number of zeros. */
const maxDigits = 100;

/** Returns the integer that a text is; undefined if it is none, or if an int64 does not hold it. as strconv.ParseInt */
function integerOf(text: string, base: number): number | undefined {
  const [, sign, digits = ''] = integer.exec(text) ?? [];
  if (sign === undefined || base < 2 || base > 36) return undefined;
  let value = 0n;
  for (const digit of digits.slice(0, maxDigits)) {
    const number = Number.parseInt(digit, 36);
    if (number >= base) return undefined;
    value = value * BigInt(base) + BigInt(number);
  }
  if (digits.length > maxDigits) return undefined;
  const signed = sign === '-' ? -value : value;
  return BigInt.asIntN(64, signed) === signed ? Number(signed) : undefined;
}

/** Returns the text without white space around it. A regular expression would look at a run of white space inside from each of its characters. */
function trimmed(text: string): string {
  let [begin, end] = [0, text.length];
  while (begin < end && space.has(text[begin])) begin++;
  while (end > begin && space.has(text[end - 1])) end--;
  return text.slice(begin, end);
}

/**
 * Returns the number that a text is for `tonumber`; undefined if it is none. `base` is absent unless the script passes one: then `0x` is no prefix. An
 * exponent needs a decimal point, and there is no text for infinity. as gopher-lua baseToNumber
 */
export function luaNumberOf(text: string, base?: number): number | undefined {
  const digits = trimmed(text);
  if (digits.includes('.')) {
    const value = fraction.test(digits) ? Number(digits) : NaN;
    return Number.isFinite(value) ? value : undefined;
  }
  if (base === undefined && /^0x/i.test(digits)) return integerOf(digits.slice(2), 16);
  return integerOf(digits, base ?? 10);
}
