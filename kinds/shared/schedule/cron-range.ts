/** Validates the ranges of a cron field without making a string for each. */
import type { CronField } from './cron-fields.js';

const zero = 0x30;
const nine = 0x39;
const plus = 0x2b;
const star = 0x2a;
const question = 0x3f;
const hyphen = 0x2d;
const slash = 0x2f;
const comma = 0x2c;

/** A number, and the index after it. */
interface Read {
  value: number;
  end: number;
}

const nameLength = 3;

/** Reads a number, or the name of one. Returns false if there is none. */
function readNumber(text: string, from: number, { names, min }: CronField, read: Read): boolean {
  let at = text.charCodeAt(from) === plus ? from + 1 : from;
  const digits = at;
  let value = 0;
  for (let code = text.charCodeAt(at); code >= zero && code <= nine; code = text.charCodeAt(++at))
    value = value * 10 + code - zero;
  if (at === digits) {
    const named = names?.indexOf(text.slice(from, from + nameLength).toLowerCase()) ?? -1;
    if (named < 0) return false;
    value = named + min;
    at = from + nameLength;
  }
  read.value = value;
  read.end = at;
  return true;
}

/** Returns where the step, the next range, or the text's end begins. */
function spanEnd(text: string, at: number): number {
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === slash || code === comma) break;
  }
  return at;
}

const plain: CronField = { min: 0, max: 0 };

/**
 * Returns the end of the range that begins at an index of a field: `*`, `1`, `1-5`, each with `/2` or without. Returns -1 for an invalid range.
 * The range is valid only if a comma or the end of the field follows.
 */
// as github.com/robfig/cron/v3 getRange
export function rangeEnd(text: string, from: number, bounds: CronField): number {
  const read = { value: 0, end: 0 };
  const first = text.charCodeAt(from);
  let [start, end, at] = [bounds.min, bounds.max, 0];
  let single = true;
  if (first === star || first === question) {
    single = text.charCodeAt(from + 1) !== hyphen;
    // robfig/cron ignores what follows the hyphen of a star.
    at = single ? from + 1 : spanEnd(text, from + 1);
  } else {
    if (!readNumber(text, from, bounds, read)) return -1;
    start = end = read.value;
    at = read.end;
    if (text.charCodeAt(at) === hyphen) {
      if (!readNumber(text, at + 1, bounds, read)) return -1;
      single = false;
      end = read.value;
      at = read.end;
    }
  }
  if (text.charCodeAt(at) === slash) {
    if (!readNumber(text, at + 1, plain, read) || read.value === 0) return -1;
    if (single) end = bounds.max;
    at = read.end;
  }
  return start < bounds.min || end > bounds.max || start > end ? -1 : at;
}
