/** Reads the ranges of a cron field without making a string for each. */
import { goQuote } from '../../../lib/go/go-text.js';
import type { CronField } from './cron-fields.js';

const zero = 0x30;
const nine = 0x39;
const plus = 0x2b;
const star = 0x2a;
const question = 0x3f;
const hyphen = 0x2d;
const slash = 0x2f;

/** The values from `start` to `end` in steps of `step`. */
export interface CronRange {
  start: number;
  end: number;
  step: number;
  /** The range is `*` or `?`, whatever its step. */
  all: boolean;
}

/** Numbers of up to this many digits are exact. */
const exactDigits = 15;

/** Returns the first index of a character; `to` if it does not occur before. */
function indexBefore(text: string, code: number, from: number, to: number): number {
  for (let at = from; at < to; at++) if (text.charCodeAt(at) === code) return at;
  return to;
}

/** Returns a number, or the text about its error. hot: makes no string for digits. */
function numberIn(text: string, from: number, to: number, { names, min }: CronField): number | string {
  const sign = text.charCodeAt(from);
  const digits = from < to && (sign === plus || sign === hyphen) ? from + 1 : from;
  let value = 0;
  let at = digits;
  for (; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code < zero || code > nine) break;
    value = value * 10 + code - zero;
  }
  if (at < to || at === digits) return namedIn(text.slice(from, to), names, min);
  if (to - digits > exactDigits) value = Number(text.slice(digits, to));
  return sign === hyphen && value > 0 ? `negative number (-${value}) not allowed: ${text.slice(from, to)}` : value;
}

function namedIn(word: string, names: readonly string[] | undefined, min: number): number | string {
  const named = names?.indexOf(word.toLowerCase()) ?? -1;
  if (named >= 0) return named + min;
  return `failed to parse int from ${word}: strconv.Atoi: parsing ${goQuote(word)}: invalid syntax`;
}

/** Steps have no names. */
const stepField: CronField = { min: 0, max: 0 };

/**
 * Reads the range between two indexes of a field: `*`, `1`, `1-5`, each with `/2` or without. Returns the text about an invalid range, and
 * undefined for a valid one, which `range` then contains.
 */
// as github.com/robfig/cron/v3 getRange
export function readRange(
  text: string,
  from: number,
  to: number,
  bounds: CronField,
  range: CronRange,
): string | undefined {
  const slashAt = indexBefore(text, slash, from, to);
  const hyphenAt = indexBefore(text, hyphen, from, slashAt);
  const first = text.charCodeAt(from);
  range.all = hyphenAt === from + 1 && (first === star || first === question);
  range.start = bounds.min;
  range.end = bounds.max;
  range.step = 1;
  // robfig/cron ignores what follows the hyphen of a star.
  if (!range.all) {
    const start = numberIn(text, from, hyphenAt, bounds);
    if (typeof start === 'string') return start;
    range.start = range.end = start;
    if (hyphenAt < slashAt) {
      if (indexBefore(text, hyphen, hyphenAt + 1, slashAt) < slashAt)
        return `too many hyphens: ${text.slice(from, to)}`;
      const end = numberIn(text, hyphenAt + 1, slashAt, bounds);
      if (typeof end === 'string') return end;
      range.end = end;
    }
  }
  if (slashAt < to) {
    if (indexBefore(text, slash, slashAt + 1, to) < to) return `too many slashes: ${text.slice(from, to)}`;
    const step = numberIn(text, slashAt + 1, to, stepField);
    if (typeof step === 'string') return step;
    range.step = step;
    if (hyphenAt === slashAt) range.end = bounds.max;
  }
  const wrong = outOf(bounds, range);
  return wrong === undefined ? undefined : `${wrong}: ${text.slice(from, to)}`;
}

/** Returns the text about a range that is empty, or exceeds the bounds of its field. */
function outOf({ min, max }: CronField, { start, end, step }: CronRange): string | undefined {
  if (start < min) return `beginning of range (${start}) below minimum (${min})`;
  if (end > max) return `end of range (${end}) above maximum (${max})`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end})`;
  return step === 0 ? 'step of range should be a positive number' : undefined;
}
