/** Texts: cel-go's strings (version 2) and Kubernetes' regular expressions. as ext/strings.go, apiserver/pkg/cel/library/regex.go */
import { goRegexp } from '../../meta/regexp/go-regexp.js';
import { goQuote } from '../../meta/go-text.js';
import * as cost from './cost-model.js';
import { formatText } from './format.js';
import { type Library, fn, method } from './function.js';
import * as t from './types.js';
import { walked } from './measure.js';
import { CelError, type List, type Value, listOf } from './values.js';

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

/** The place of a text in another, counted in runes. */
function find(runes: readonly string[], wanted: readonly string[], at: number): boolean {
  return wanted.every((rune, i) => runes[at + i] === rune);
}

function indexOf(text: string, part: string, from = 0n): bigint {
  const [runes, wanted] = [[...text], [...part]];
  if (from < 0n || from > BigInt(runes.length)) return fail(`index out of range: ${from}`);
  for (let at = Number(from); at + wanted.length <= runes.length; at++) if (find(runes, wanted, at)) return BigInt(at);
  return -1n;
}

function lastIndexOf(text: string, part: string, from?: bigint): bigint {
  const [runes, wanted] = [[...text], [...part]];
  if (from !== undefined && (from < 0n || from > BigInt(runes.length))) return fail(`index out of range: ${from}`);
  const last = Math.min(Number(from ?? runes.length), runes.length - wanted.length);
  for (let at = last; at >= 0; at--) if (find(runes, wanted, at)) return BigInt(at);
  return -1n;
}

function replace(text: string, from: string, to: string, limit = -1n): string {
  if (limit === 0n) return text;
  if (limit < 0n) return text.replaceAll(from, () => to);
  let [out, rest, left] = ['', text, limit];
  while (left-- > 0n) {
    const at = rest.indexOf(from);
    if (at < 0 || (from === '' && rest === '')) break;
    const step = from === '' ? 1 : 0;
    out += rest.slice(0, at) + to + rest.slice(at, at + step);
    rest = rest.slice(at + from.length + step);
  }
  return out + rest;
}

function split(text: string, separator: string, limit = -1n): List {
  if (limit === 0n) return listOf([]);
  if (limit === 1n) return listOf([text]);
  const all = separator === '' ? [...text] : text.split(separator);
  if (limit < 0n || BigInt(all.length) <= limit) return listOf(all);
  const kept = all.slice(0, Number(limit) - 1);
  return listOf([...kept, all.slice(Number(limit) - 1).join(separator)]);
}

function substring(text: string, start: bigint, end?: bigint): string {
  const runes = [...text];
  const size = BigInt(runes.length);
  const to = end ?? size;
  if (end !== undefined && start > end) return fail(`invalid substring range. start: ${start}, end: ${end}`);
  if (start < 0n || start > size) return fail(`index out of range: ${start}`);
  if (to < 0n || to > size) return fail(`index out of range: ${to}`);
  return runes.slice(Number(start), Number(to)).join('');
}

const ascii =
  (range: RegExp, change: (c: string) => string) =>
  (text: string): string =>
    text.replace(range, change);

const lower = ascii(/[A-Z]+/g, c => c.toLowerCase());
const upper = ascii(/[a-z]+/g, c => c.toUpperCase());

const join = (list: List, separator = ''): string =>
  list
    .toArray()
    .map(item => (typeof item === 'string' ? item : fail('no such overload')))
    .join(separator);

function findFirst(text: string, pattern: string): string {
  const regexp = goRegexp(pattern);
  return 'error' in regexp ? fail(`Illegal regex: ${regexp.error}`) : (regexp.find(text)?.groups[0] ?? '');
}

function findAll(text: string, pattern: string, limit = -1n): List {
  const regexp = goRegexp(pattern);
  if ('error' in regexp) return fail(`Illegal regex: ${regexp.error}`);
  const out: string[] = [];
  for (let at = 0; at <= text.length && (limit < 0n || BigInt(out.length) < limit);) {
    const found = regexp.find(text, at);
    if (!found) break;
    out.push(found.groups[0] ?? '');
    at = found.end > found.at ? found.end : found.end + 1;
  }
  return listOf(out);
}

const walk = cost.traversal(cost.perCharacter, true);

/** How often a text is replaced and how much of it stays, at most (or at least: with all ends exchanged). */
function replaced(size: number, from: number, to: number): readonly [count: number, kept: number] {
  if (from === 0) return [Math.min(size + 1, cost.unlimited), size];
  return to <= from ? [0, size] : [Math.ceil(size / from), 0];
}

/** Twice over the text; the result is bounded by what may be replaced. */
const replaceCost: cost.CallCost = {
  estimate: args => {
    const [size = cost.unknownSize, from = cost.unknownSize, to = cost.unknownSize] = args.map(a => a.size);
    const [most, mostKept] = replaced(size.max, from.min, to.max);
    // Replacing what is shorter by what is longer does not make the text shorter.
    const shorter = from.max !== 0 && from.max > to.min;
    const [least, leastKept] = shorter ? [Math.ceil(size.min / from.max), 0] : replaced(size.min, from.max, 0);
    const count = { min: least, max: most };
    const result = cost.plus(cost.times(count, to), { min: leastKept, max: mostKept });
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

/** Every character may be escaped; the quotes come on top. */
const quoteCost: cost.CallCost = {
  ...cost.traversal(),
  estimate: args => {
    const size = args[0]?.size ?? cost.unknownSize;
    const result = { min: size.min + 2, max: Math.min(2 * size.max + 2, cost.unlimited) };
    return { cost: cost.factor(size, cost.perCharacter), result };
  },
};

const find2 = cost.constant(1);
/** Rounded down, and by bytes. */
const places: cost.CallCost = { ...cost.traversal(), actual: args => walked(args[0] as Value) };

export const textLibrary: Library = [
  method('string_char_at_int', 'charAt', [t.string, t.int], t.string, charAt, find2),
  method('string_index_of_string', 'indexOf', [t.string, t.string], t.int, indexOf, places),
  method('string_index_of_string_int', 'indexOf', [t.string, t.string, t.int], t.int, indexOf, places),
  method('string_last_index_of_string', 'lastIndexOf', [t.string, t.string], t.int, lastIndexOf, places),
  method('string_last_index_of_string_int', 'lastIndexOf', [t.string, t.string, t.int], t.int, lastIndexOf, places),
  method('string_lower_ascii', 'lowerAscii', [t.string], t.string, lower, walk),
  method('string_upper_ascii', 'upperAscii', [t.string], t.string, upper, walk),
  method('string_replace_string_string', 'replace', [t.string, t.string, t.string], t.string, replace, replaceCost),
  method(
    'string_replace_string_string_int',
    'replace',
    [t.string, t.string, t.string, t.int],
    t.string,
    replace,
    replaceCost,
  ),
  method('string_split_string', 'split', [t.string, t.string], t.list(t.string), split, splitCost),
  method('string_split_string_int', 'split', [t.string, t.string, t.int], t.list(t.string), split, splitCost),
  method('string_substring_int', 'substring', [t.string, t.int], t.string, substring, walk),
  method('string_substring_int_int', 'substring', [t.string, t.int, t.int], t.string, substring, walk),
  method('string_trim', 'trim', [t.string], t.string, (s: string) => s.trim(), walk),
  method('string_format', 'format', [t.string, t.list(t.dyn)], t.string, formatText, cost.traversal()),
  fn('strings_quote', 'strings.quote', [t.string], t.string, goQuote, quoteCost),
  method('list_join', 'join', [t.list(t.string)], t.string, join, joinListCost),
  method('list_join_string', 'join', [t.list(t.string), t.string], t.string, join, joinListCost),
  method('string_find_string', 'find', [t.string, t.string], t.string, findFirst, cost.regexCost),
  method('string_find_all_string', 'findAll', [t.string, t.string], t.list(t.string), findAll, cost.regexCost),
  method(
    'string_find_all_string_int',
    'findAll',
    [t.string, t.string, t.int],
    t.list(t.string),
    findAll,
    cost.regexCost,
  ),
];
