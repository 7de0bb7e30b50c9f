/** Parses sets of indexes as text: `1,3-5`. */
// as pkg/apis/batch/validation validateIndexesFormat
import { goQuote } from '../../../lib/go/go-text.js';

interface Interval {
  readonly first: number;
  readonly last: number;
}

type Read<T> = T | { readonly error: string };
const isError = (value: object | number): value is { readonly error: string } =>
  typeof value === 'object' && 'error' in value;

function indexOf(text: string, completions: number): Read<number> {
  if (!/^[+-]?\d+$/.test(text)) return { error: `cannot convert string to integer for index: ${goQuote(text)}` };
  return Number(text) >= completions ? { error: `too large index: ${goQuote(text)}` } : Number(text);
}

function intervalOf(text: string, completions: number): Read<Interval> {
  const [from = '', to, ...more] = text.split('-');
  if (more.length > 0)
    return {
      error: `the fragment ${goQuote(text)} violates the requirement that an index interval can have at most two parts separated by '-'`,
    };
  const first = indexOf(from, completions);
  if (isError(first)) return first;
  if (to === undefined) return { first, last: first };
  const last = indexOf(to, completions);
  if (isError(last)) return last;
  return first >= last ? { error: nonIncreasing(first, last) } : { first, last };
}

const nonIncreasing = (previous: number, current: number): string =>
  `non-increasing order, previous: ${previous}, current: ${current}`;

/** Returns the number of indexes, or what is wrong with the text. */
export function countIndexes(text: string, completions: number): Read<number> {
  if (text === '') return 0;
  let total = 0;
  let before: number | undefined;
  for (const part of text.split(',')) {
    const interval = intervalOf(part, completions);
    if (isError(interval)) return interval;
    if (before !== undefined && before >= interval.first) return { error: nonIncreasing(before, interval.first) };
    total += interval.last - interval.first + 1;
    before = interval.last;
  }
  return total;
}

/** Returns the first index that is in both, as far as the texts can be read. */
export function commonIndex(a: string, b: string, completions: number): number | undefined {
  const read = (text: string): Interval[] =>
    (text === '' ? [] : text.split(',')).flatMap(part => {
      const interval = intervalOf(part, completions);
      return isError(interval) ? [] : [interval];
    });
  const others = read(b);
  for (const x of read(a)) {
    const y = others.find(other => x.first <= other.last && other.first <= x.last);
    if (y) return Math.max(x.first, y.first);
  }
  return undefined;
}
