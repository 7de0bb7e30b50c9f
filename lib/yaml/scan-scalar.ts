/** Scans the texts of scalars: plain, quoted, and block scalars. */
import { code, type TextCursor, isSpaceOrTab, isBreak, isSpace } from './cursor.js';

/** Blanks and line breaks between two pieces of text. */
class Gap {
  blanks = '';
  first = '';
  further = '';

  /** Returns the gap as text in a folded scalar. */
  folded(): string {
    if (this.first === '') return this.blanks;
    if (this.first !== '\n') return this.first + this.further;
    return this.further === '' ? ' ' : this.further;
  }

  /** Reads blanks and breaks. `onTab` is called for each tab after a line break. */
  static read(cursor: TextCursor, onTab?: () => void): Gap {
    const gap = new Gap();
    for (;;) {
      const c = cursor.peek();
      if (isSpaceOrTab(c)) {
        const from = cursor.position;
        if (gap.first !== '') {
          if (c === code.tab) onTab?.();
          cursor.position++;
        } else {
          cursor.skipBlanks();
          gap.blanks = cursor.text.slice(from, cursor.position);
        }
      } else if (isBreak(c)) {
        const taken = cursor.takeBreak();
        if (gap.first === '') gap.first = taken;
        else gap.further += taken;
      } else return gap;
    }
  }
}

const endsFlowText = (c: number): boolean =>
  c === code.comma ||
  c === code.question ||
  c === code.openBracket ||
  c === code.closeBracket ||
  c === code.openBrace ||
  c === code.closeBrace;

function skipPlainWord(cursor: TextCursor, inFlow: boolean): void {
  for (; ; cursor.position++) {
    const c = cursor.peek();
    if (isSpace(c)) return;
    if (c === code.colon && isSpace(cursor.peek(1))) return;
    if (inFlow && endsFlowText(c)) return;
  }
}

/**
 * Scans a plain scalar. `indent`: the column that its further lines must reach in block context. Moves over the blanks and breaks after it, and
 * returns whether there are breaks among them.
 */
// as go.yaml.in/yaml/v2 yaml_parser_scan_plain_scalar
export function scanPlain(
  cursor: TextCursor,
  inFlow: boolean,
  indent: number,
): { readonly value: string; readonly breaks: boolean } {
  let value = '';
  let gap: Gap | undefined;
  const onTab = (): void => {
    if (cursor.column < indent) cursor.fail('found a tab character that violates indentation');
  };
  for (;;) {
    if (cursor.isAtDocumentMarker || cursor.peek() === code.hash) break;
    const from = cursor.position;
    skipPlainWord(cursor, inFlow);
    if (cursor.position === from) break;
    const word = cursor.text.slice(from, cursor.position);
    value = gap ? value + gap.folded() + word : word;
    const c = cursor.peek();
    if (!isSpaceOrTab(c) && !isBreak(c)) return { value, breaks: false };
    gap = Gap.read(cursor, onTab);
    if (!inFlow && cursor.column < indent) break;
  }
  return { value, breaks: gap !== undefined && gap.first !== '' };
}

const named: Readonly<Record<string, string>> = {
  ...{ 0: '\0', a: '\x07', b: '\b', t: '\t', '\t': '\t', n: '\n', v: '\v', f: '\f', r: '\r', e: '\x1b', ' ': ' ' },
  ...{ '"': '"', "'": "'", '\\': '\\', N: '\x85', _: '\xa0', L: '\u2028', P: '\u2029' },
};
const digits: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/** Reads an escape sequence; the cursor is at its backslash. */
function takeEscape(cursor: TextCursor): string {
  const letter = cursor.text.charAt(cursor.position + 1);
  const known = named[letter];
  if (known !== undefined) {
    cursor.position += 2;
    return known;
  }
  const length = digits[letter];
  if (length === undefined) return cursor.fail('found unknown escape character');
  const hex = cursor.text.slice(cursor.position + 2, cursor.position + 2 + length);
  if (hex.length < length || !/^[0-9a-fA-F]+$/.test(hex)) cursor.fail('did not find expected hexdecimal number');
  const value = parseInt(hex, 16);
  if ((value >= 0xd800 && value <= 0xdfff) || value > 0x10ffff)
    cursor.fail('found invalid Unicode character escape code');
  cursor.position += 2 + length;
  return String.fromCodePoint(value);
}

/** Reads text up to a blank, a break, the closing quote or an escaped line break. */
function takeQuotedWord(cursor: TextCursor, quote: number): string {
  let value = '';
  let from = cursor.position;
  for (;;) {
    const c = cursor.peek();
    if (isSpace(c)) break;
    if (c === quote) {
      if (quote !== code.singleQuote || cursor.peek(1) !== quote) break;
      value += cursor.text.slice(from, cursor.position + 1); // '' is one quote
      from = cursor.position += 2;
    } else if (quote === code.doubleQuote && c === code.backslash) {
      if (isBreak(cursor.peek(1))) break;
      value += cursor.text.slice(from, cursor.position);
      value += takeEscape(cursor);
      from = cursor.position;
    } else cursor.position++;
  }
  return value + cursor.text.slice(from, cursor.position);
}

/** Scans a quoted scalar; the cursor is at its first quote. */
// as go.yaml.in/yaml/v2 yaml_parser_scan_flow_scalar
export function scanQuoted(cursor: TextCursor): string {
  const quote = cursor.peek();
  let value = '';
  cursor.position++;
  for (;;) {
    if (cursor.isAtDocumentMarker) cursor.fail('found unexpected document indicator');
    if (cursor.isAtEnd) cursor.fail('found unexpected end of stream');
    value += takeQuotedWord(cursor, quote);
    if (cursor.peek() === quote) {
      cursor.position++;
      return value;
    }
    if (cursor.peek() === code.backslash) {
      cursor.position++;
      cursor.takeBreak(); // an escaped line break is dropped, with the blanks after it
      cursor.skipBlanks();
      const { first, further } = Gap.read(cursor);
      value += first + further;
      continue;
    }
    value += Gap.read(cursor).folded();
  }
}

interface BlockHeader {
  readonly chomping: 'clip' | 'strip' | 'keep';
  /** Columns relative to the parent; 0: those of the first line with text. */
  readonly indent: number;
}

function scanHeader(cursor: TextCursor): BlockHeader {
  let chomping: BlockHeader['chomping'] = 'clip';
  let indent = 0;
  const takeChomping = (): boolean => {
    const c = cursor.peek();
    if (c !== code.plus && c !== code.dash) return false;
    chomping = c === code.plus ? 'keep' : 'strip';
    cursor.position++;
    return true;
  };
  const takeIndent = (): boolean => {
    const c = cursor.peek();
    if (c < code.zero || c > code.nine) return false;
    if (c === code.zero) cursor.fail('found an indentation indicator equal to 0');
    indent = c - code.zero;
    cursor.position++;
    return true;
  };
  if (takeChomping()) takeIndent();
  else if (takeIndent()) takeChomping();
  cursor.skipBlanks();
  if (cursor.peek() === code.hash) cursor.skipLine();
  if (!isSpace(cursor.peek())) cursor.fail('did not find expected comment or line break');
  if (isBreak(cursor.peek())) cursor.takeBreak();
  return { chomping, indent };
}

/** Empty lines before a line of a block scalar. */
interface EmptyLines {
  readonly breaks: string;
  /** The largest indentation among them and the following line. */
  readonly widest: number;
}

/** Reads empty lines. `indent` 0: not known yet. */
function takeEmptyLines(cursor: TextCursor, indent: number): EmptyLines {
  let breaks = '';
  let widest = 0;
  for (;;) {
    while ((indent === 0 || cursor.column < indent) && cursor.peek() === code.space) cursor.position++;
    widest = Math.max(widest, cursor.column);
    if ((indent === 0 || cursor.column < indent) && cursor.peek() === code.tab)
      cursor.fail('found a tab character where an indentation space is expected');
    if (!isBreak(cursor.peek())) return { breaks, widest };
    breaks += cursor.takeBreak();
  }
}

/** Scans a `|` or `>` block scalar; the cursor is at that indicator. `parentIndent`: the parent's column; -1 at the top. */
// as go.yaml.in/yaml/v2 yaml_parser_scan_block_scalar
export function scanBlock(cursor: TextCursor, parentIndent: number): string {
  const folds = cursor.peek() === code.greater;
  cursor.position++;
  const header = scanHeader(cursor);
  const given = header.indent === 0 ? 0 : Math.max(parentIndent, 0) + header.indent;
  let empty = takeEmptyLines(cursor, given);
  const indent = given || Math.max(empty.widest, parentIndent + 1, 1);
  let value = '';
  let lastBreak = '';
  let wasIndented = false;
  while (cursor.column === indent && !cursor.isAtEnd) {
    const isIndented = isSpaceOrTab(cursor.peek());
    if (folds && lastBreak === '\n' && !wasIndented && !isIndented) value += empty.breaks === '' ? ' ' : '';
    else value += lastBreak;
    value += empty.breaks;
    wasIndented = isIndented;
    const from = cursor.position;
    cursor.skipLine();
    value += cursor.text.slice(from, cursor.position);
    lastBreak = isBreak(cursor.peek()) ? cursor.takeBreak() : '';
    empty = takeEmptyLines(cursor, indent);
  }
  if (header.chomping === 'strip') return value;
  return header.chomping === 'clip' ? value + lastBreak : value + lastBreak + empty.breaks;
}
