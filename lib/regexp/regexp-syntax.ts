/** Parses the common part of RE2's syntax, which patterns of schemas use. */

/** Ranges of code points, sorted and disjoint. */
export type Ranges = readonly (readonly [from: number, to: number])[];

export type RegexpNode =
  | { readonly type: 'set'; readonly ranges: Ranges }
  /** The beginning and the end of the text. */
  | { readonly type: 'begin' }
  | { readonly type: 'end' }
  | { readonly type: 'all'; readonly parts: readonly RegexpNode[] }
  | { readonly type: 'any'; readonly parts: readonly RegexpNode[] }
  | { readonly type: 'repeat'; readonly part: RegexpNode; readonly min: number; readonly max: number };

export const lastCodePoint = 0x10ffff;

/** Thrown for unsupported syntax: Unicode classes, flags, word boundaries. */
class Unknown extends Error {}

function unknown(): never {
  throw new Unknown();
}

const digits: Ranges = [[0x30, 0x39]];
const words: Ranges = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
];
const spaces: Ranges = [
  [0x09, 0x0a],
  [0x0c, 0x0d],
  [0x20, 0x20],
];

function sorted(ranges: Ranges): Ranges {
  const out: [number, number][] = [];
  for (const [from, to] of [...ranges].sort(([a], [b]) => a - b)) {
    const last = out.at(-1);
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else out.push([from, to]);
  }
  return out;
}

function inverted(ranges: Ranges): Ranges {
  const out: [number, number][] = [];
  let next = 0;
  for (const [from, to] of sorted(ranges)) {
    if (from > next) out.push([next, from - 1]);
    next = to + 1;
  }
  if (next <= lastCodePoint) out.push([next, lastCodePoint]);
  return out;
}

const classes: Readonly<Record<string, Ranges>> = {
  d: digits,
  D: inverted(digits),
  w: words,
  W: inverted(words),
  s: spaces,
  S: inverted(spaces),
};
const controls: Readonly<Record<string, number>> = { a: 7, f: 12, t: 9, n: 10, r: 13, v: 11 };
const notNewline = inverted([[10, 10]]);

/** The position at which a pattern is read. */
interface Reader {
  readonly text: readonly string[];
  at: number;
}

const codeOf = (character: string): number => character.codePointAt(0) ?? 0;

/** Reads a class or a character after a backslash. */
function escape(reader: Reader): Ranges {
  const character = reader.text[reader.at++] ?? unknown();
  const known = classes[character];
  if (known) return known;
  const control = controls[character];
  if (control !== undefined) return [[control, control]];
  if (/^[!-/:-@[-`{-~]$/.test(character)) return [[codeOf(character), codeOf(character)]];
  return unknown();
}

function readClass(reader: Reader): Ranges {
  const { text } = reader;
  const negated = text[reader.at] === '^';
  if (negated) reader.at++;
  const ranges: (readonly [number, number])[] = [];
  for (let first = true; first || text[reader.at] !== ']'; first = false) {
    const low = member(reader);
    const isRange = text[reader.at] === '-' && text[reader.at + 1] !== ']' && text[reader.at + 1] !== undefined;
    if (!isRange) {
      ranges.push(...low);
      continue;
    }
    reader.at++;
    const high = member(reader);
    const [from, to] = [single(low), single(high)];
    ranges.push([from, to]);
  }
  reader.at++;
  return negated ? inverted(ranges) : sorted(ranges);
}

/** Returns one end of a range. */
function single(ranges: Ranges): number {
  const [first] = ranges;
  return ranges.length === 1 && first && first[0] === first[1] ? first[0] : unknown();
}

function member(reader: Reader): Ranges {
  const character = reader.text[reader.at++] ?? unknown();
  if (character === '\\') return escape(reader);
  // `[:alpha:]`
  if (character === '[' && reader.text[reader.at] === ':') return unknown();
  return [[codeOf(character), codeOf(character)]];
}

function readAtom(reader: Reader): RegexpNode {
  const character = reader.text[reader.at++] ?? unknown();
  switch (character) {
    case '.':
      return { type: 'set', ranges: notNewline };
    case '^':
      return { type: 'begin' };
    case '$':
      return { type: 'end' };
    case '[':
      return { type: 'set', ranges: readClass(reader) };
    case '(':
      return readGroup(reader);
    case '\\': {
      const next = reader.text[reader.at];
      if (next !== 'A' && next !== 'z') return { type: 'set', ranges: escape(reader) };
      reader.at++;
      return { type: next === 'A' ? 'begin' : 'end' };
    }
    case '*':
    case '+':
    case '?':
      return unknown();
    default:
      return { type: 'set', ranges: [[codeOf(character), codeOf(character)]] };
  }
}

function readGroup(reader: Reader): RegexpNode {
  if (reader.text[reader.at] === '?') {
    // Flags and names are not supported here.
    if (reader.text[reader.at + 1] !== ':') return unknown();
    reader.at += 2;
  }
  const inner = readAny(reader);
  if (reader.text[reader.at++] !== ')') return unknown();
  return inner;
}

const bounds = /^\{(\d+)(,(\d*))?\}/;

/** Reads a repetition, if there is one. */
function readTimes(reader: Reader): readonly [min: number, max: number] | undefined {
  const simple = { '*': [0, Infinity], '+': [1, Infinity], '?': [0, 1] } as const;
  const character = reader.text[reader.at] ?? '';
  if (character === '{') {
    const found = bounds.exec(reader.text.slice(reader.at, reader.at + 12).join(''));
    if (!found) return undefined;
    reader.at += found[0].length;
    const min = Number(found[1]);
    return [min, found[2] === undefined ? min : found[3] === '' ? Infinity : Number(found[3])];
  }
  if (!(character in simple)) return undefined;
  reader.at++;
  return simple[character as keyof typeof simple];
}

function readAll(reader: Reader): RegexpNode {
  const parts: RegexpNode[] = [];
  for (let next = reader.text[reader.at]; next !== undefined && next !== '|' && next !== ')';) {
    const part = readAtom(reader);
    const times = readTimes(reader);
    // Whether a repetition is greedy does not affect whether the pattern matches.
    if (times && reader.text[reader.at] === '?') reader.at++;
    parts.push(times ? { type: 'repeat', part, min: times[0], max: times[1] } : part);
    next = reader.text[reader.at];
  }
  return { type: 'all', parts };
}

function readAny(reader: Reader): RegexpNode {
  const parts = [readAll(reader)];
  while (reader.text[reader.at] === '|') {
    reader.at++;
    parts.push(readAll(reader));
  }
  const [only] = parts;
  return parts.length === 1 && only ? only : { type: 'any', parts };
}

/** Parses a pattern that RE2 accepts; undefined when it contains unsupported syntax. */
export function parseRegexp(pattern: string): RegexpNode | undefined {
  const reader: Reader = { text: [...pattern], at: 0 };
  try {
    const node = readAny(reader);
    return reader.at === reader.text.length ? node : undefined;
  } catch (error) {
    if (error instanceof Unknown) return undefined;
    throw error;
  }
}
