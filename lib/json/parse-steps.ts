import type { InSteps } from '../time-slice.js';
import { afterString } from './after-string.js';
import { setKey } from './clone.js';
import { maxDepth } from './depth.js';
import { type LargeIntegers, parseJson } from './json.js';

const [quote, comma, colon] = [0x22, 0x2c, 0x3a];
const [openObject, closeObject, openArray, closeArray] = [0x7b, 0x7d, 0x5b, 0x5d];

const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
const isOpening = (code: number): boolean => code === openObject || code === openArray;

/** Length of the text that is parsed at once, in characters, apart from single strings. A thousand distinct keys take a millisecond. */
const defaultPieceLength = 8192;

/** An object or array of which some members were parsed. */
interface Open {
  readonly value: Record<string, unknown> | unknown[];
  /** Whether a member must follow: there was a comma. */
  isAfterComma: boolean;
}

/** The text of members of one object or array. */
interface Piece {
  readonly from: number;
  readonly to: number;
  /** What follows it: `inside` is a member that is too long for one piece, and begins with the piece. */
  readonly next: 'comma' | 'close' | 'inside';
}

/** Parses the members of long objects and arrays in pieces. Each piece is checked by the parser of pieces, and what is between two pieces here. */
class PieceParser {
  readonly #text: string;
  readonly #pieceLength: number;
  readonly #parse: (text: string) => unknown;
  readonly #onRepeatedKey: () => void;
  readonly #open: Open[] = [];
  #root: unknown;
  #at = 0;
  /** The last long string. Each container around it is searched for its end. */
  #longString = { from: -1, to: -1 };

  constructor(
    text: string,
    pieceLength: number,
    parse: (text: string) => unknown,
    onRepeatedKey: () => void = () => undefined,
  ) {
    this.#text = text;
    this.#pieceLength = pieceLength;
    this.#parse = parse;
    this.#onRepeatedKey = onRepeatedKey;
  }

  *run(): InSteps<unknown> {
    this.#skipSpace();
    if (!isOpening(this.#code)) return this.#parse(this.#text);
    this.#root = this.#enter();
    for (let open = this.#open.at(-1); open; open = this.#open.at(-1)) {
      const piece = this.#nextPiece();
      if (piece.next === 'inside') this.#enterMember(open);
      else {
        this.#add(open, piece);
        if (piece.next === 'close') this.#leave();
        else this.#at = piece.to + 1;
      }
      yield;
    }
    this.#skipSpace();
    if (this.#at < this.#text.length) this.#fail();
    return this.#root;
  }

  get #code(): number {
    return this.#text.charCodeAt(this.#at);
  }

  #skipSpace(): void {
    while (isSpace(this.#code)) this.#at++;
  }

  #fail(): never {
    throw new SyntaxError(`unexpected text at position ${this.#at}`);
  }

  #enter(): Open['value'] {
    if (this.#open.length > maxDepth) this.#fail();
    const value = this.#code === openArray ? [] : {};
    this.#open.push({ value, isAfterComma: false });
    this.#at++;
    return value;
  }

  /** hot: Returns as many members as fit into a piece. Brackets inside of a piece are checked when it is parsed. */
  #nextPiece(): Piece {
    const text = this.#text;
    const from = this.#at;
    const limit = from + this.#pieceLength;
    let depth = 0;
    let lastComma = -1;
    for (let at = from; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (at > limit && (lastComma >= 0 || depth > 0)) break;
      if (code === quote) at = this.#afterString(at) - 1;
      else if (isOpening(code)) depth++;
      else if (code === closeObject || code === closeArray) {
        if (depth-- === 0) return { from, to: at, next: 'close' };
      } else if (code === comma && depth === 0) {
        lastComma = at;
        if (at > limit) break;
      }
    }
    if (lastComma >= 0) return { from, to: lastComma, next: 'comma' };
    if (depth === 0) throw new SyntaxError('unexpected end of the text');
    return { from, to: from, next: 'inside' };
  }

  #afterString(from: number): number {
    if (from === this.#longString.from) return this.#longString.to;
    const to = afterString(this.#text, from);
    if (to - from > this.#pieceLength) this.#longString = { from, to };
    return to;
  }

  #add(open: Open, { from, to, next }: Piece): void {
    const text = this.#text.slice(from, to);
    const { value } = open;
    let isEmpty = true;
    if (Array.isArray(value))
      for (const item of this.#parse(`[${text}]`) as unknown[]) {
        isEmpty = false;
        value.push(item);
      }
    else {
      const members = this.#parse(`{${text}}`) as Record<string, unknown>;
      for (const key of Object.keys(members)) {
        isEmpty = false;
        this.#set(value, key, members[key]);
      }
    }
    if (isEmpty && (open.isAfterComma || next === 'comma')) this.#fail();
    open.isAfterComma = next === 'comma';
    this.#at = to;
  }

  /** Begins the object or array that is the next member. */
  #enterMember(open: Open): void {
    open.isAfterComma = false;
    this.#skipSpace();
    if (Array.isArray(open.value)) {
      if (!isOpening(this.#code)) this.#fail();
      open.value.push(this.#enter());
      return;
    }
    const key = this.#key();
    if (!isOpening(this.#code)) this.#fail();
    this.#set(open.value, key, this.#enter());
  }

  #set(object: Record<string, unknown>, key: string, value: unknown): void {
    if (Object.hasOwn(object, key)) this.#onRepeatedKey();
    setKey(object, key, value);
  }

  /** Reads a key and its colon. */
  #key(): string {
    if (this.#code !== quote) this.#fail();
    const end = afterString(this.#text, this.#at);
    const key = JSON.parse(this.#text.slice(this.#at, end)) as string;
    this.#at = end;
    this.#skipSpace();
    if (this.#code !== colon) this.#fail();
    this.#at++;
    this.#skipSpace();
    return key;
  }

  /** Ends the current object or array, and all that end with it. */
  #leave(): void {
    for (let open = this.#open.at(-1); open; open = this.#open.at(-1)) {
      if (this.#code === comma && !open.isAfterComma) {
        open.isAfterComma = true;
        this.#at++;
        return;
      }
      if (open.isAfterComma || this.#code !== (Array.isArray(open.value) ? closeArray : closeObject)) this.#fail();
      this.#open.pop();
      this.#at++;
      this.#skipSpace();
    }
  }
}

/**
 * Parses JSON as JSON.parse does, a few kilobytes in each step: a document with many different keys takes a hundred times as long as its bytes.
 * Throws SyntaxError with a text of its own. `parse` is the parser of pieces: each is an object or array with some of the members. `onRepeatedKey` is
 * called for a key of an object that is in two of its pieces.
 */
export const parseSteps = (
  text: string,
  pieceLength = defaultPieceLength,
  parse: (text: string) => unknown = JSON.parse,
  onRepeatedKey?: () => void,
): InSteps<unknown> => new PieceParser(text, pieceLength, parse, onRepeatedKey).run();

/** As `parseSteps`, with exact integers, as `parseJson` reads them. */
export const exactSteps = (
  text: string,
  pieceLength = defaultPieceLength,
  largeIntegers?: LargeIntegers,
): InSteps<unknown> => new PieceParser(text, pieceLength, piece => parseJson(piece, largeIntegers)).run();
