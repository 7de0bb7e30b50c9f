/**
 * JSON whose whole numbers are exact, as Go has them. A whole number that a double does not hold is a bigint; every other number is a
 * number. So a bigint is always beyond what is safe, equal numbers are `===`, and a number beyond what is safe is a float64 of Go.
 */
import { setKey } from './clone.js';
import { Literal } from './literal.js';
import { indented } from './json-text.js';
import { Written } from './written.js';

/** A whole number as Go's int64: `bigint` beyond Number.MAX_SAFE_INTEGER. */
export type Int64 = number | bigint;

const maxInt64 = 2n ** 63n - 1n;
export const minInt64 = -(2n ** 63n);

/** Would Go hold it as an int64? Numbers beyond the safe ones are floats. hot: */
export const isInt64 = (value: unknown): value is Int64 =>
  Number.isSafeInteger(value) || (typeof value === 'bigint' && value <= maxInt64 && value >= minInt64);

export const isNumeric = (value: unknown): value is Int64 => typeof value === 'number' || typeof value === 'bigint';

/** A whole number in the form that JSON gives it. */
export const int64Of = (value: bigint): Int64 =>
  value <= Number.MAX_SAFE_INTEGER && value >= Number.MIN_SAFE_INTEGER ? Number(value) : value;

/** How whole numbers beyond int64 are read: as float64, which is what Go makes of them without a type, or all their digits. */
export type Beyond = 'float64' | 'exact';

/** The same value with floats where whole numbers are beyond int64; shares what has none. */
export function narrowed(value: unknown): unknown {
  if (typeof value === 'bigint') return isInt64(value) ? value : Number(value);
  if (typeof value !== 'object' || value === null) return value;
  let changed = false;
  const entries = Object.entries(value).map(([key, part]) => {
    const made = narrowed(part);
    changed ||= made !== part;
    return [key, made] as const;
  });
  if (!changed) return value;
  return Array.isArray(value) ? entries.map(([, part]) => part) : Object.fromEntries(entries);
}

/** The shortest whole number that may not be safe. */
const shortest = 16;

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

/** Does a number begin behind this character, or end before it? NaN: where the text ends. */
const isBorder = (code: number): boolean =>
  code === 0x2c ||
  code === 0x3a ||
  code === 0x5b ||
  code === 0x5d ||
  code === 0x7d ||
  code <= 0x20 ||
  Number.isNaN(code);

/**
 * Whether a JSON text may hold a whole number that is not safe; nearly never of a text that does not.
 * hot: every text that is parsed. Only every sixteenth character is looked at.
 */
export function mayHoldLong(text: string): boolean {
  for (let at = shortest - 1; at < text.length; at += shortest) {
    if (!isDigit(text.charCodeAt(at))) continue;
    let from = at;
    while (isDigit(text.charCodeAt(from - 1))) from--;
    while (isDigit(text.charCodeAt(at + 1))) at++;
    if (at - from < shortest - 1 || !isBorder(text.charCodeAt(at + 1))) continue;
    if (isBorder(text.charCodeAt(text.charCodeAt(from - 1) === 0x2d ? from - 2 : from - 1))) return true;
  }
  return false;
}

/** The value of the literal of a number. */
export function numberValue(literal: string, beyond: Beyond = 'float64'): Int64 {
  const value = Number(literal);
  if (literal.length < shortest || Number.isSafeInteger(value) || !Number.isFinite(value) || !/^-?\d+$/.test(literal))
    return value;
  const exact = int64Of(BigInt(literal));
  return typeof exact === 'bigint' && (beyond === 'exact' || isInt64(exact)) ? exact : Number(exact);
}

/** A valid JSON text, read with exact numbers. */
export function exactJson(text: string, beyond: Beyond = 'float64'): unknown {
  let at = 0;

  const next = (): number => {
    let code = text.charCodeAt(at);
    while (code <= 0x20) code = text.charCodeAt(++at);
    return code;
  };

  const string = (): string => {
    const from = at;
    let isPlain = true;
    for (at++; text.charCodeAt(at) !== 0x22; at++)
      if (text.charCodeAt(at) === 0x5c) {
        isPlain = false;
        at++;
      }
    at++;
    return isPlain ? text.slice(from + 1, at - 1) : (JSON.parse(text.slice(from, at)) as string);
  };

  const object = (): Record<string, unknown> => {
    const out: Record<string, unknown> = {};
    for (at++; next() !== 0x7d;) {
      if (text.charCodeAt(at) === 0x2c) at++;
      next();
      const key = string();
      next();
      at++;
      setKey(out, key, value());
    }
    at++;
    return out;
  };

  const array = (): unknown[] => {
    const out: unknown[] = [];
    for (at++; next() !== 0x5d;) {
      if (text.charCodeAt(at) === 0x2c) at++;
      out.push(value());
    }
    at++;
    return out;
  };

  const word = <T>(length: number, meaning: T): T => {
    at += length;
    return meaning;
  };

  const number = (): Int64 => {
    const from = at;
    while (!isBorder(text.charCodeAt(at))) at++;
    return numberValue(text.slice(from, at), beyond);
  };

  const value = (): unknown => {
    switch (next()) {
      case 0x7b:
        return object();
      case 0x5b:
        return array();
      case 0x22:
        return string();
      case 0x74:
        return word(4, true);
      case 0x66:
        return word(5, false);
      case 0x6e:
        return word(4, null);
      default:
        return number();
    }
  };

  return value();
}

/** JSON.parse with exact whole numbers. Throws SyntaxError. hot: */
export function parseJson(text: string, beyond: Beyond = 'float64'): unknown {
  const value: unknown = JSON.parse(text);
  return mayHoldLong(text) ? exactJson(text, beyond) : value;
}

/** JSON.stringify of one value among others; undefined for what it leaves out. `line` begins a new line at the place of the value. */
function slowText(value: unknown, line: string, step: string): string | undefined {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (value instanceof Literal) return value.text;
  if (value instanceof Written)
    return line === '' ? Written.textOf(value) : indented(Written.textOf(value), line, step);
  const inner = line + step;
  const colon = step === '' ? ':' : ': ';
  const isList = Array.isArray(value);
  const parts = isList
    ? value.map((item: unknown) => slowText(item, inner, step) ?? 'null')
    : Object.entries(value).flatMap(([key, member]) => {
        const text = slowText(member, inner, step);
        return text === undefined ? [] : [`${JSON.stringify(key)}${colon}${text}`];
      });
  const [open, close] = isList ? '[]' : '{}';
  return parts.length === 0 ? `${open}${close}` : `${open}${inner}${parts.join(`,${inner}`)}${line}${close}`;
}

/**
 * JSON.stringify of a value that may hold bigints, which are written with all their digits, and literals and what was spelled (Written), as they stand. `indent`: spaces
 * per level. hot: JSON.stringify does it, which throws a TypeError for these, and never writes one wrongly.
 */
export function jsonText(value: unknown, indent = 0): string {
  try {
    return JSON.stringify(value, undefined, indent);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return (indent === 0 ? slowText(value, '', '') : slowText(value, '\n', ' '.repeat(indent))) as string;
  }
}
