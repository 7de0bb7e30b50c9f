/**
 * JSON with exact integers, as in Go. An integer that a double cannot hold is a bigint; every other number is a number. So a bigint is always
 * beyond the safe range, equal numbers are `===`, and a number beyond the safe range is a float64 in Go.
 */
import { setKey } from './clone.js';
import { Literal } from './literal.js';
import { indented } from './json-text.js';
import { VerbatimObject } from './verbatim-object.js';

/** An int64 as in Go: a `bigint` beyond Number.MAX_SAFE_INTEGER. */
export type Int64 = number | bigint;

const maxInt64 = 2n ** 63n - 1n;
export const minInt64 = -(2n ** 63n);

/** Returns whether Go would hold the value as an int64. Numbers beyond the safe range are floats. hot: every number that is decoded. */
export const isInt64 = (value: unknown): value is Int64 =>
  Number.isSafeInteger(value) || (typeof value === 'bigint' && value <= maxInt64 && value >= minInt64);

/** Reports whether a value is a number of decoded JSON: integers beyond the safe range are bigints. */
export const isNumeric = (value: unknown): value is Int64 => typeof value === 'number' || typeof value === 'bigint';

/** Returns an integer in its JSON form. */
export const int64Of = (value: bigint): Int64 =>
  value <= Number.MAX_SAFE_INTEGER && value >= Number.MIN_SAFE_INTEGER ? Number(value) : value;

/** Characters of the longest number that is accepted from others: each reader of a text takes a number as a whole. differs: upstream has no limit. */
export const maxNumberLength = 65_536;

/** How integers beyond int64 are read: as float64, as Go reads them without a type, or with all digits. */
export type LargeIntegers = 'float64' | 'exact';

/** Returns the value with floats in place of integers beyond int64; parts without any are shared. */
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

/** Characters of the shortest integer that may be beyond the safe range. */
const minLongLength = 16;

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

/** Returns whether a number may begin after this character, or end before it. NaN stands for the end of the text. */
const isBorder = (code: number): boolean =>
  code === 0x2c ||
  code === 0x3a ||
  code === 0x5b ||
  code === 0x5d ||
  code === 0x7d ||
  code <= 0x20 ||
  Number.isNaN(code);

/**
 * Returns whether a JSON text may contain an integer beyond the safe range; rarely true for a text without one. hot: every parsed text. Only
 * every sixteenth character is examined.
 */
export function mayContainLargeInteger(text: string): boolean {
  for (let at = minLongLength - 1; at < text.length; at += minLongLength) {
    if (!isDigit(text.charCodeAt(at))) continue;
    let from = at;
    while (isDigit(text.charCodeAt(from - 1))) from--;
    while (isDigit(text.charCodeAt(at + 1))) at++;
    if (at - from < minLongLength - 1 || !isBorder(text.charCodeAt(at + 1))) continue;
    if (isBorder(text.charCodeAt(text.charCodeAt(from - 1) === 0x2d ? from - 2 : from - 1))) return true;
  }
  return false;
}

/** Returns the value of a number literal. */
export function numberValue(literal: string, largeIntegers: LargeIntegers = 'float64'): Int64 {
  const value = Number(literal);
  if (
    literal.length < minLongLength ||
    Number.isSafeInteger(value) ||
    !Number.isFinite(value) ||
    !/^-?\d+$/.test(literal)
  )
    return value;
  const exact = int64Of(BigInt(literal));
  return typeof exact === 'bigint' && (largeIntegers === 'exact' || isInt64(exact)) ? exact : Number(exact);
}

/** A walk over a valid JSON text that keeps integers exact. */
class ExactReader {
  readonly #text: string;
  readonly #largeIntegers: LargeIntegers;
  #at = 0;

  constructor(text: string, largeIntegers: LargeIntegers) {
    this.#text = text;
    this.#largeIntegers = largeIntegers;
  }

  value(): unknown {
    switch (this.#next()) {
      case 0x7b:
        return this.#object();
      case 0x5b:
        return this.#array();
      case 0x22:
        return this.#string();
      case 0x74:
        return this.#word(4, true);
      case 0x66:
        return this.#word(5, false);
      case 0x6e:
        return this.#word(4, null);
      default:
        return this.#number();
    }
  }

  /** Skips space, and returns the code of the next character. */
  #next(): number {
    let code = this.#text.charCodeAt(this.#at);
    while (code <= 0x20) code = this.#text.charCodeAt(++this.#at);
    return code;
  }

  #string(): string {
    const text = this.#text;
    const from = this.#at;
    let at = from + 1;
    let isPlain = true;
    for (; text.charCodeAt(at) !== 0x22; at++)
      if (text.charCodeAt(at) === 0x5c) {
        isPlain = false;
        at++;
      }
    this.#at = at + 1;
    return isPlain ? text.slice(from + 1, at) : (JSON.parse(text.slice(from, at + 1)) as string);
  }

  #object(): Record<string, unknown> {
    const out: Record<string, unknown> = {};
    for (this.#at++; this.#next() !== 0x7d;) {
      if (this.#text.charCodeAt(this.#at) === 0x2c) this.#at++;
      this.#next();
      const key = this.#string();
      this.#next();
      this.#at++;
      setKey(out, key, this.value());
    }
    this.#at++;
    return out;
  }

  #array(): unknown[] {
    const out: unknown[] = [];
    for (this.#at++; this.#next() !== 0x5d;) {
      if (this.#text.charCodeAt(this.#at) === 0x2c) this.#at++;
      out.push(this.value());
    }
    this.#at++;
    return out;
  }

  #word<T>(length: number, meaning: T): T {
    this.#at += length;
    return meaning;
  }

  #number(): Int64 {
    const from = this.#at;
    while (!isBorder(this.#text.charCodeAt(this.#at))) this.#at++;
    return numberValue(this.#text.slice(from, this.#at), this.#largeIntegers);
  }
}

/** Parses valid JSON with exact integers. */
export const parseExactly = (text: string, largeIntegers: LargeIntegers = 'float64'): unknown =>
  new ExactReader(text, largeIntegers).value();

/** As JSON.parse, with exact integers. Throws SyntaxError. hot: nearly every text, which is not read twice unless it may contain a large integer. */
export function parseJson(text: string, largeIntegers: LargeIntegers = 'float64'): unknown {
  const value: unknown = JSON.parse(text);
  return mayContainLargeInteger(text) ? parseExactly(text, largeIntegers) : value;
}

/** As JSON.stringify for a part of a value; undefined for values that it leaves out. `line` is the line break at the value's indentation. */
function slowText(value: unknown, line: string, step: string): string | undefined {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (value instanceof Literal) return value.text;
  if (value instanceof VerbatimObject)
    return line === '' ? VerbatimObject.textOf(value) : indented(VerbatimObject.textOf(value), line, step);
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
 * As JSON.stringify, also for values with bigints, which are written with all digits, and with Literals and VerbatimObjects, which are written as
 * they were.
 * `indent`: spaces per level. hot: JSON.stringify does the work; it throws a TypeError for these values, and never writes one incorrectly.
 */
export function jsonText(value: unknown, indent = 0): string {
  try {
    return JSON.stringify(value, undefined, indent);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return (indent === 0 ? slowText(value, '', '') : slowText(value, '\n', ' '.repeat(indent))) as string;
  }
}
