/** Classes of characters that no instruction of a program distinguishes: an automaton has one transition for each. */
import { type Instruction, type RegexpProgram, empty, foldCase, isWord, newline, op } from './regexp-program.js';

export interface Alphabet {
  readonly size: number;
  /** The class by code, for the first `nearCodes` codes. */
  readonly near: Uint16Array;
  letterOf(code: number): number;
  /** One character of each class. */
  readonly samples: readonly number[];
}

/** Codes whose class is in a table. */
export const nearCodes = 256;
const lastAscii = 0x7f;
/** Letters outside of ASCII that are cases of ASCII letters: the Kelvin sign and the long s. as Go's unicode.SimpleFold */
const furtherCases: Readonly<Record<string, number>> = { k: 0x212a, s: 0x17f };

/** Returns all cases of a character, as ranges; undefined for characters outside of ASCII. */
function casesOf(rune: number): readonly number[] | undefined {
  if (rune > lastAscii) return undefined;
  const lower = String.fromCharCode(rune).toLowerCase();
  const cases = [lower.charCodeAt(0), lower.toUpperCase().charCodeAt(0), furtherCases[lower] ?? rune];
  return cases.flatMap(one => [one, one]);
}

const wordRanges = [0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a];

/** Returns the ranges that an instruction distinguishes; undefined when they are not known. */
function rangesOf({ op: kind, arg, runes }: Instruction): ArrayLike<number> | undefined {
  switch (kind) {
    case op.anyButNewline:
      return [newline, newline];
    case op.empty:
      if (arg & (empty.wordBoundary | empty.noWordBoundary)) return [...wordRanges, newline, newline];
      return arg & (empty.beginLine | empty.endLine) ? [newline, newline] : [];
    case op.rune:
    case op.runes: {
      const [rune = 0] = runes;
      if (runes.length !== 1) return runes;
      return arg & foldCase ? casesOf(rune) : [rune, rune];
    }
    default:
      return [];
  }
}

function letterAt(samples: readonly number[], code: number): number {
  let [low, high] = [0, samples.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((samples[middle] ?? 0) <= code) low = middle;
    else high = middle;
  }
  return low;
}

/** Returns the classes of a program; undefined when it has characters with further cases outside of ASCII. */
export function alphabetOf({ inst }: RegexpProgram): Alphabet | undefined {
  const edges = new Set([0]);
  // A repeated class has the same ranges in each of its instructions.
  const known = new Set<ArrayLike<number>>();
  for (const instruction of inst) {
    if (known.has(instruction.runes) && instruction.runes.length > 1) continue;
    known.add(instruction.runes);
    const ranges = rangesOf(instruction);
    if (!ranges) return undefined;
    for (let i = 0; i + 1 < ranges.length; i += 2) {
      edges.add(ranges[i] as number);
      edges.add((ranges[i + 1] as number) + 1);
    }
  }
  const samples = [...edges].sort((a, b) => a - b);
  return {
    size: samples.length,
    near: Uint16Array.from({ length: nearCodes }, (_, code) => letterAt(samples, code)),
    letterOf: code => letterAt(samples, code),
    samples,
  };
}

/** The context at both ends of a text. */
export const edge = -1;
/** The context after a character that is not special to any condition of the program. */
export const other = 0x20;
/** The context after the character of a word. */
const word = 0x61;

/** Returns the context after a character: one that stands for all with the same effect on the program's conditions. */
export function contextAfter(rune: number, conditions: number): number {
  if (rune === newline && conditions & (empty.beginLine | empty.endLine)) return newline;
  const hasWords = conditions & (empty.wordBoundary | empty.noWordBoundary);
  return hasWords && isWord(rune) ? word : other;
}
