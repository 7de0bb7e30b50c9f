/** Strings: cel-go's string library (version 2) and Kubernetes' regular expressions. as ext/strings.go, apiserver/pkg/cel/library/regex.go */
import { escapes } from '../../go/go-escapes.js';
import { goRegexp } from '../../regexp/go-regexp.js';
import type { Steps } from '../../steps.js';
import * as cost from '../cost-model.js';
import { TextSearch, findLastText, findText } from './find-text.js';
import { formatText } from './format.js';
import { type Library, countedFn, countedMethod, method } from '../function.js';
import * as t from '../types.js';
import { runeCount, walked } from '../measure.js';
import { CelError, type List, type Value, listOf } from '../values.js';

const fail = (text: string): never => {
  throw new CelError(text);
};

function charAt(text: string, at: bigint): string {
  const size = (i: number): number => ((text.codePointAt(i) ?? 0) > 0xffff ? 2 : 1);
  const outside = (): never => fail(`index out of range: ${at}`);
  if (at < 0n || at > BigInt(text.length)) return outside();
  let i = 0;
  for (let left = Number(at); left > 0; left--) {
    if (i === text.length) return outside();
    i += size(i);
  }
  return text.slice(i, i + size(i));
}

const hasPairs = /[\ud800-\udbff]/;

/** Returns the position of a character in UTF-16 units. */
function unitAt(text: string, character: number): number {
  if (!hasPairs.test(text)) return character;
  let at = 0;
  for (let left = character; left > 0 && at < text.length; left--) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return at;
}

/** Returns the number of characters before a position in UTF-16 units; -1 stays -1. */
const characterAt = (text: string, unit: number): bigint =>
  BigInt(unit < 0 || !hasPairs.test(text) ? unit : runeCount(text.slice(0, unit)));

// as cel-go v0.26 ext/strings.go indexOfOffset: an empty string is found at any offset
function indexOf(steps: Steps, text: string, part: string, from = 0n): bigint {
  if (part === '') return from;
  if (from < 0n) return fail(`index out of range: ${from}`);
  if (from >= BigInt(runeCount(text))) return -1n;
  return characterAt(text, findText(text, part, unitAt(text, Number(from)), steps));
}

function lastIndexOf(steps: Steps, text: string, part: string, from?: bigint): bigint {
  const size = runeCount(text);
  if (part === '') return from ?? BigInt(size);
  const last = from ?? BigInt(size - 1);
  if (from !== undefined && from < 0n) return fail(`index out of range: ${from}`);
  if (last >= BigInt(size) || part.length > text.length) return -1n;
  const to = Math.min(unitAt(text, Number(last)), text.length - part.length);
  return characterAt(text, findLastText(text, part, to, steps));
}

/** Yields the positions, in UTF-16 units, of an empty string: before each character, and at the end. */
function* boundaries(text: string): Generator<number> {
  let at = 0;
  for (const character of text) {
    yield at;
    at += character.length;
  }
  yield at;
}

/** Returns the positions of a string in another without overlaps, at most `limit`. */
function positionsOf(steps: Steps, text: string, part: string, limit: number): number[] {
  const places: number[] = [];
  if (part === '') {
    for (const at of boundaries(text)) {
      if (places.length >= limit) break;
      steps.take(2);
      places.push(at);
    }
    return places;
  }
  const search = new TextSearch(part);
  for (let from = 0; places.length < limit;) {
    const at = search.find(text, from, steps);
    if (at < 0) break;
    steps.take(2);
    places.push(at);
    from = at + part.length;
  }
  return places;
}

const countOf = (limit: bigint): number => (limit < 0n ? Infinity : Number(limit));

function replace(steps: Steps, text: string, from: string, to: string, limit = -1n): string {
  const places = positionsOf(steps, text, from, countOf(limit));
  if (places.length === 0) return text;
  steps.take((text.length + places.length * to.length) >> 2);
  const parts: string[] = [];
  let end = 0;
  for (const at of places) {
    parts.push(text.slice(end, at), to);
    end = at + from.length;
  }
  parts.push(text.slice(end));
  return parts.join('');
}

function split(steps: Steps, text: string, separator: string, limit = -1n): List {
  if (limit === 0n) return listOf([]);
  const maxParts = countOf(limit);
  const all = positionsOf(steps, text, separator, separator === '' ? Infinity : maxParts - 1);
  // A split into characters has no part before the first one and after the last one.
  const places = separator === '' ? all.slice(1, -1).slice(0, maxParts - 1) : all;
  if (separator === '' && text === '') return listOf([]);
  steps.take(4 * places.length);
  const parts: string[] = [];
  let end = 0;
  for (const at of places) {
    parts.push(text.slice(end, at));
    end = at + separator.length;
  }
  parts.push(text.slice(end));
  return listOf(parts);
}

function substring(text: string, start: bigint, end?: bigint): string {
  const size = BigInt(runeCount(text));
  const to = end ?? size;
  if (end !== undefined && start > end) return fail(`invalid substring range. start: ${start}, end: ${end}`);
  if (start < 0n || start > size) return fail(`index out of range: ${start}`);
  if (to < 0n || to > size) return fail(`index out of range: ${to}`);
  return text.slice(unitAt(text, Number(start)), unitAt(text, Number(to)));
}

const ascii =
  (range: RegExp, change: (c: string) => string) =>
  (text: string): string =>
    text.replace(range, change);

const lower = ascii(/[A-Z]+/g, c => c.toLowerCase());
const upper = ascii(/[a-z]+/g, c => c.toUpperCase());

/** Go's white space at the ends of a string. */
const space = '[\\t-\\r \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]';
const notSpace = new RegExp(space.replace('[', '[^'));
const isSpace = new RegExp(space);

// as Go's strings.TrimSpace
function trim(text: string): string {
  const start = text.search(notSpace);
  if (start < 0) return '';
  let end = text.length;
  while (isSpace.test(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

// as cel-go ext/strings.go quote: only characters with a short escape are escaped
function quote(steps: Steps, text: string): string {
  steps.take(text.length);
  const whole = text.replace(/[\ud800-\udfff]/gu, '\ufffd');
  return `"${whole.replace(/[\x07-\r"\\]/g, character => escapes[character] ?? character)}"`;
}

function join(steps: Steps, list: List, separator = ''): string {
  const parts = list.toArray(steps).map(item => {
    if (typeof item !== 'string') return fail('no such overload');
    steps.take((item.length + separator.length) >> 2);
    return item;
  });
  return parts.join(separator);
}

function findFirst(steps: Steps, text: string, pattern: string): string {
  const regexp = goRegexp(pattern, steps);
  if ('error' in regexp) return fail(`Illegal regex: ${regexp.error}`);
  const found = regexp.find(text, 0, steps);
  return found ? text.slice(found.at, found.end) : '';
}

// as Go's regexp.FindAllString: an empty match right after another one does not count
function findAll(steps: Steps, text: string, pattern: string, limit = -1n): List {
  const regexp = goRegexp(pattern, steps);
  if ('error' in regexp) return fail(`Illegal regex: ${regexp.error}`);
  const out: string[] = [];
  let last = -1;
  for (let from = 0; from <= text.length && out.length < countOf(limit);) {
    const found = regexp.find(text, from, steps);
    if (!found) break;
    const isEmpty = found.end === found.at;
    if (!isEmpty || found.at !== last) {
      steps.take(8);
      out.push(text.slice(found.at, found.end));
    }
    last = found.end;
    from = isEmpty ? found.end + ((text.codePointAt(found.end) ?? 0) > 0xffff ? 2 : 1) : found.end;
  }
  return listOf(out);
}

const walk = cost.traversal(cost.perCharacter, true);

/** Returns the largest number of replacements and the size that is kept (or the smallest, with the other ends of the ranges). */
function replaced(size: number, from: number, to: number): readonly [count: number, kept: number] {
  if (from === 0) return [Math.min(size + 1, cost.unlimited), size];
  return to <= from ? [0, size] : [Math.ceil(size / from), 0];
}

/** The cost of two walks over the string; the result is bounded by the possible replacements. */
const replaceCost: cost.CallCost = {
  estimate: args => {
    const [size = cost.unknownSize, from = cost.unknownSize, to = cost.unknownSize] = args.map(a => a.size);
    const [maxCount, maxKept] = replaced(size.max, from.min, to.max);
    // Replacing a shorter string by a longer one does not make the result shorter.
    const shorter = from.max !== 0 && from.max > to.min;
    const [minCount, minKept] = shorter ? [Math.ceil(size.min / from.max), 0] : replaced(size.min, from.max, 0);
    const count = { min: minCount, max: maxCount };
    const result = cost.plus(cost.times(count, to), { min: minKept, max: maxKept });
    return { cost: cost.factor(size, 2 * cost.perCharacter), result };
  },
  actual: cost.traversal(2 * cost.perCharacter).actual,
};

const splitCost: cost.CallCost = {
  estimate: args => {
    const size = args[0]?.size ?? cost.unknownSize;
    const limit = args[2]?.constant;
    const max = typeof limit !== 'bigint' ? size.max : limit < 0n ? cost.unlimited : Number(limit);
    return { cost: cost.factor(size, 2 * cost.perCharacter), result: { min: 0, max } };
  },
  actual: cost.traversal(2 * cost.perCharacter).actual,
};

const joinListCost: cost.CallCost = {
  estimate: args => {
    const [list, separator] = args;
    const size = list?.size ?? cost.unknownSize;
    const gaps = { min: Math.max(size.min - 1, 0), max: Math.max(size.max - 1, 0) };
    let result = cost.times(size, list?.itemSize ?? cost.unknownSize);
    if (separator) result = cost.plus(result, cost.times(separator.size, gaps));
    return { cost: cost.factor(result, cost.perCharacter), result };
  },
  late: true,
  actual: (_args, result: Value, size) => Math.ceil(size(result) * 2 * cost.perCharacter),
};

/** Every character may be escaped; two quotes are added. */
const quoteCost: cost.CallCost = {
  ...cost.traversal(),
  estimate: args => {
    const size = args[0]?.size ?? cost.unknownSize;
    const result = { min: size.min + 2, max: Math.min(2 * size.max + 2, cost.unlimited) };
    return { cost: cost.factor(size, cost.perCharacter), result };
  },
};

const charAtCost = cost.constant(1);
/** Rounded down, and counted in bytes. */
const searchCost: cost.CallCost = {
  ...cost.traversal(),
  actual: (args, _result, _size, steps) => walked(args[0] as Value, steps),
};

export const textLibrary: Library = [
  method('string_char_at_int', 'charAt', [t.string, t.int], t.string, { call: charAt, cost: charAtCost }),
  countedMethod('string_index_of_string', 'indexOf', [t.string, t.string], t.int, { call: indexOf, cost: searchCost }),
  countedMethod('string_index_of_string_int', 'indexOf', [t.string, t.string, t.int], t.int, {
    call: indexOf,
    cost: searchCost,
  }),
  countedMethod('string_last_index_of_string', 'lastIndexOf', [t.string, t.string], t.int, {
    call: lastIndexOf,
    cost: searchCost,
  }),
  countedMethod('string_last_index_of_string_int', 'lastIndexOf', [t.string, t.string, t.int], t.int, {
    call: lastIndexOf,
    cost: searchCost,
  }),
  method('string_lower_ascii', 'lowerAscii', [t.string], t.string, { call: lower, cost: walk }),
  method('string_upper_ascii', 'upperAscii', [t.string], t.string, { call: upper, cost: walk }),
  countedMethod('string_replace_string_string', 'replace', [t.string, t.string, t.string], t.string, {
    call: replace,
    cost: replaceCost,
  }),
  countedMethod('string_replace_string_string_int', 'replace', [t.string, t.string, t.string, t.int], t.string, {
    call: replace,
    cost: replaceCost,
  }),
  countedMethod('string_split_string', 'split', [t.string, t.string], t.list(t.string), {
    call: split,
    cost: splitCost,
  }),
  countedMethod('string_split_string_int', 'split', [t.string, t.string, t.int], t.list(t.string), {
    call: split,
    cost: splitCost,
  }),
  method('string_substring_int', 'substring', [t.string, t.int], t.string, { call: substring, cost: walk }),
  method('string_substring_int_int', 'substring', [t.string, t.int, t.int], t.string, { call: substring, cost: walk }),
  method('string_trim', 'trim', [t.string], t.string, { call: trim, cost: walk }),
  countedMethod('string_format', 'format', [t.string, t.list(t.dyn)], t.string, {
    call: formatText,
    cost: cost.traversal(),
  }),
  countedFn('strings_quote', 'strings.quote', [t.string], t.string, { call: quote, cost: quoteCost }),
  countedMethod('list_join', 'join', [t.list(t.string)], t.string, { call: join, cost: joinListCost }),
  countedMethod('list_join_string', 'join', [t.list(t.string), t.string], t.string, { call: join, cost: joinListCost }),
  countedMethod('string_find_string', 'find', [t.string, t.string], t.string, {
    call: findFirst,
    cost: cost.regexCost,
  }),
  countedMethod('string_find_all_string', 'findAll', [t.string, t.string], t.list(t.string), {
    call: findAll,
    cost: cost.regexCost,
  }),
  countedMethod('string_find_all_string_int', 'findAll', [t.string, t.string, t.int], t.list(t.string), {
    call: findAll,
    cost: cost.regexCost,
  }),
];
