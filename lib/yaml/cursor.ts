import { YamlError } from './yaml-error.js';

/** Character codes with a meaning in YAML. */
export const code = {
  end: 0, // no text contains it: the reader rejects control characters
  tab: 0x09,
  lineFeed: 0x0a,
  return: 0x0d,
  space: 0x20,
  bang: 0x21,
  doubleQuote: 0x22,
  hash: 0x23,
  percent: 0x25,
  ampersand: 0x26,
  singleQuote: 0x27,
  star: 0x2a,
  plus: 0x2b,
  comma: 0x2c,
  dash: 0x2d,
  dot: 0x2e,
  zero: 0x30,
  nine: 0x39,
  colon: 0x3a,
  less: 0x3c,
  greater: 0x3e,
  question: 0x3f,
  openBracket: 0x5b,
  backslash: 0x5c,
  closeBracket: 0x5d,
  openBrace: 0x7b,
  bar: 0x7c,
  closeBrace: 0x7d,
  nextLine: 0x85,
  lineSeparator: 0x2028,
  paragraphSeparator: 0x2029,
  byteOrderMark: 0xfeff,
} as const;

/** Returns whether the character is a blank within a line. */
export const isSpaceOrTab = (c: number): boolean => c === code.space || c === code.tab;

/** Returns whether the character ends a line. as go-yaml is_break */
export const isBreak = (c: number): boolean =>
  c === code.lineFeed ||
  c === code.return ||
  c === code.nextLine ||
  c === code.lineSeparator ||
  c === code.paragraphSeparator;

/** Returns whether the character is a blank, a line break or the end of the text. */
export const isSpace = (c: number): boolean => c === code.space || c === code.end || c === code.tab || isBreak(c);

/** A position in a text. It only moves forward, so that reading is linear in the length of the text. */
export class TextCursor {
  readonly text: string;
  position = 0;
  /** From 0. */
  line = 0;
  /** The position at which the line begins. */
  start = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** UTF-16 units from the beginning of the line. */
  get column(): number {
    return this.position - this.start;
  }

  /** Returns the code at an offset; `code.end` beyond the text. */
  peek(offset = 0): number {
    const at = this.position + offset;
    return at < this.text.length ? this.text.charCodeAt(at) : code.end;
  }

  get isAtEnd(): boolean {
    return this.position >= this.text.length;
  }

  /** Moves to the end of the line. */
  skipLine(): void {
    while (!this.isAtEnd && !isBreak(this.peek())) this.position++;
  }

  skipBlanks(): void {
    while (isSpaceOrTab(this.peek())) this.position++;
  }

  /** Moves over a line break, and returns it as it counts in a text: `\n`, or the line or paragraph separator itself. */
  takeBreak(): string {
    const c = this.peek();
    this.position += c === code.return && this.peek(1) === code.lineFeed ? 2 : 1;
    this.line++;
    this.start = this.position;
    return c === code.lineSeparator || c === code.paragraphSeparator ? String.fromCharCode(c) : '\n';
  }

  /** Returns whether three of this character begin the line and form a word: `---` or `...`. */
  isMarker(c: number): boolean {
    return (
      this.position === this.start &&
      this.peek() === c &&
      this.peek(1) === c &&
      this.peek(2) === c &&
      isSpace(this.peek(3))
    );
  }

  /** Returns whether `---` or `...` follows. */
  get isAtDocumentMarker(): boolean {
    return this.position === this.start && (this.isMarker(code.dash) || this.isMarker(code.dot));
  }

  fail(problem: string): never {
    throw new YamlError(problem, this.line + 1);
  }
}
