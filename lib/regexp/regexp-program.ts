/** A compiled pattern, as re2js compiles it: the instructions that all matching here runs on. as Go's regexp/syntax Prog */
import { RE2JS, RE2JSException } from 're2js';

export interface Instruction {
  readonly op: number;
  readonly out: number;
  /** The other branch of an alternative, the conditions of an empty match, or the flags of a character. */
  readonly arg: number;
  /** One character, or the first and last ones of ranges. */
  readonly runes: Int32Array;
  matchRune(rune: number): boolean;
}

export interface RegexpProgram {
  readonly inst: readonly Instruction[];
  readonly start: number;
}

/** The numbers of re2js's instructions. */
export const op = {
  alt: 1,
  altMatch: 2,
  capture: 3,
  empty: 4,
  fail: 5,
  match: 6,
  nop: 7,
  runes: 8,
  rune: 9,
  any: 10,
  anyButNewline: 11,
} as const;

/** The flag of a character that stands for its other cases, too. */
export const foldCase = 1;

/** The conditions of an empty match, as bits. */
export const empty = {
  beginLine: 1,
  endLine: 2,
  beginText: 4,
  endText: 8,
  wordBoundary: 16,
  noWordBoundary: 32,
} as const;

export const newline = 10;

/** Compiles a pattern. Returns the text of the error for an invalid one: `error parsing regexp: ...`. */
export function regexpProgram(pattern: string): RegexpProgram | { readonly error: string } {
  try {
    return RE2JS.compile(pattern).re2Input.prog as RegexpProgram;
  } catch (error) {
    if (error instanceof RE2JSException) return { error: error.message };
    throw error;
  }
}

/** Reports whether a character is one of `\w`, which is ASCII only in Go. */
export const isWord = (rune: number): boolean =>
  (rune >= 0x30 && rune <= 0x39) || (rune >= 0x41 && rune <= 0x5a) || rune === 0x5f || (rune >= 0x61 && rune <= 0x7a);

/** Returns the conditions between two characters; -1 stands for the beginning and the end of the text. */
export function conditionsAt(before: number, after: number): number {
  let holds = isWord(before) === isWord(after) ? empty.noWordBoundary : empty.wordBoundary;
  if (before < 0) holds |= empty.beginText | empty.beginLine;
  if (before === newline) holds |= empty.beginLine;
  if (after < 0) holds |= empty.endText | empty.endLine;
  if (after === newline) holds |= empty.endLine;
  return holds;
}

/** Returns whether an instruction takes a character. */
export function takes(instruction: Instruction, rune: number): boolean {
  if (instruction.op === op.any) return true;
  if (instruction.op === op.anyButNewline) return rune !== newline;
  return instruction.matchRune(rune);
}

/** Returns the character that ends before a position above 0. */
export function runeBefore(text: string, at: number): number {
  const low = text.charCodeAt(at - 1);
  const pair = low >= 0xdc00 && low < 0xe000 && at > 1 ? text.codePointAt(at - 2) : undefined;
  return pair !== undefined && pair > 0xffff ? pair : low;
}
