/** Reads JSON of other servers with limits of size, depth and number of values, so that it takes a limited time. */
import { maxDepth } from '../../lib/json/depth.js';
import { maxNumberLength, parseJson } from '../../lib/json/json.js';
import { exactSteps } from '../../lib/json/parse-steps.js';
import { andThen, type Maybe, settle } from '../../lib/maybe.js';
import { atOnce, type InSteps, inTimeSlices } from '../../lib/time-slice.js';
import { maxValues } from './limits.js';

const quote = 0x22;
const backslash = 0x5c;

/** Throws the error for a faulty document, with its request. */
export type Refuse = (fault: string) => never;

/** Bytes of a string, or of a part of it without a quote, from which on the native search is faster than a loop. */
const shortString = 64;

/**
 * Returns the position before the next quote and the backslashes right before it, or that of the last byte before the final backslashes. hot: for
 * every string.
 */
function beforeEscapeOrQuote(bytes: Buffer, from: number): number {
  const found = bytes.indexOf(quote, from);
  let at = (found < 0 ? bytes.length : found) - 1;
  while (at > from && bytes[at] === backslash) at--;
  return at;
}

/**
 * Counts the values of a JSON text and their depth. The text may be passed in pieces. The counts of invalid JSON, and of a text with a number that is too
 * long, are arbitrary.
 */
export class ValueCounter {
  /** The number of commas and opening brackets outside of strings. */
  values = 0;
  depth = 0;
  deepest = 0;
  /** The longest part, in bytes, between brackets, commas and strings: that of a number, or space. */
  longest = 0;
  /** The bytes of such a part in the pieces before. */
  #part = 0;
  #inString = false;
  #isEscaped = false;

  get inString(): boolean {
    return this.#inString;
  }

  /** Counts up to and including the byte at which `depth` falls to `floor`. Returns the position after it; -1 when there is no such byte. */
  take(bytes: Buffer, from: number, floor: number): number {
    let inString = this.#inString;
    let isEscaped = this.#isEscaped;
    let { depth, values, longest } = this;
    let partFrom = from - this.#part;
    let at = from;
    let end = -1;
    let skipAt = inString ? from + shortString : Infinity;
    for (; at < bytes.length; at++) {
      const byte = bytes[at];
      if (inString) {
        if (isEscaped) isEscaped = false;
        else if (byte === backslash) isEscaped = true;
        else if (byte === quote) {
          inString = false;
          partFrom = at;
        } else if (at >= skipAt) {
          at = beforeEscapeOrQuote(bytes, at);
          skipAt = at + shortString;
        }
      } else if (byte === quote) {
        inString = true;
        skipAt = at + shortString;
        if (at - partFrom > longest) longest = at - partFrom;
      } else if (byte === 0x2c) {
        values++;
        if (at - partFrom > longest) longest = at - partFrom;
        partFrom = at;
      } else if (byte === 0x7b || byte === 0x5b) {
        values++;
        if (at - partFrom > longest) longest = at - partFrom;
        partFrom = at;
        if (++depth > this.deepest) this.deepest = depth;
      } else if (byte === 0x7d || byte === 0x5d) {
        if (at - partFrom > longest) longest = at - partFrom;
        partFrom = at;
        if (--depth <= floor) {
          end = at + 1;
          break;
        }
      } else if (at - partFrom > maxNumberLength) break; // The text is refused, and the rest may be megabytes of digits.
    }
    this.#part = inString ? 0 : Math.min(at, bytes.length) - partFrom;
    this.longest = Math.max(longest, this.#part);
    this.#inString = inString;
    this.#isEscaped = isEscaped;
    this.depth = depth;
    this.values = values;
    return end;
  }
}

/** Bytes whose values are counted in one step, which takes less than a millisecond. */
const bytesPerStep = 64 * 1024;

/** Counts the values of a text in steps, up to the first step after which they are more than `max`, or a number is too long. */
export function* countInSteps(bytes: Buffer, max: number): InSteps<ValueCounter> {
  const counter = new ValueCounter();
  for (let at = 0; at < bytes.length; at += bytesPerStep) {
    const end = counter.take(bytes.subarray(at, at + bytesPerStep), 0, -1);
    if (end >= 0 || counter.values > max || counter.longest > maxNumberLength) break;
    yield;
  }
  return counter;
}

/** Bytes of a text that is counted or parsed at once. One with other keys in each object takes longer than its bytes: some milliseconds. */
const maxBytesAtOnce = 64 * 1024;

/** Refuses a text that has too many values, is nested too deeply, or has a number that is too long: each is read as a whole. */
export function checkCounts(
  { values, deepest, longest }: Pick<ValueCounter, 'values' | 'deepest' | 'longest'>,
  refuse: Refuse,
  max = maxValues,
): void {
  if (deepest > maxDepth) refuse(`it nests deeper than ${maxDepth} levels`);
  if (values > max) refuse(`it has more than ${max} values`);
  if (longest > maxNumberLength) refuse(`it has a number of more than ${maxNumberLength} characters`);
}

/**
 * Returns the number of values of a text, 0 when it is small. Refuses too many values, and too deep nesting. hot: short texts are not counted. A long
 * one is counted in time slices.
 */
export function countValues(bytes: Buffer, refuse: Refuse, max = maxValues): Maybe<number> {
  // Each level and each value takes at least two bytes.
  if (bytes.length <= 2 * maxDepth || (bytes.length <= 2 * max && !opensMany(bytes))) return 0;
  const counting = countInSteps(bytes, max);
  return andThen(bytes.length > maxBytesAtOnce ? inTimeSlices(counting) : atOnce(counting), counter => {
    checkCounts(counter, refuse, max);
    return counter.values;
  });
}

/**
 * Parses a document of at most `max` values after a check of these and its depth; its size was checked while it arrived. A long one is parsed in time
 * slices.
 */
export function readBounded(bytes: Buffer, refuse: Refuse, max = maxValues): Maybe<unknown> {
  return andThen(countValues(bytes, refuse, max), () => parsed(bytes, refuse));
}

/** Parses a text whose limits were checked, in time slices if it is long. hot: most texts are short. */
export function parsed(bytes: Buffer, refuse: Refuse): Maybe<unknown> {
  const text = bytes.toString('utf8');
  const notJson = (): never => refuse('it is not JSON');
  if (bytes.length > maxBytesAtOnce)
    return settle(
      () => inTimeSlices(exactSteps(text)),
      value => value,
      notJson,
    );
  try {
    return parseJson(text);
  } catch {
    return notJson();
  }
}

const openers = [0x7b, 0x5b];

/** Reports whether a text opens more objects and lists than may be nested. */
function opensMany(bytes: Buffer): boolean {
  let opened = 0;
  for (const opener of openers)
    for (let at = bytes.indexOf(opener); at >= 0; at = bytes.indexOf(opener, at + 1))
      if (++opened > maxDepth) return true;
  return false;
}
