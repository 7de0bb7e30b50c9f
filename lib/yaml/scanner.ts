import { code, TextCursor, isSpaceOrTab, isBreak, isSpace } from './cursor.js';
import { scanAnchor, scanDirective, scanTag } from './scan-property.js';
import { scanBlock, scanPlain, scanQuoted } from './scan-scalar.js';
import { type YamlToken, token, type TokenType } from './token.js';

/** A token that becomes a key when a `:` follows on its line. */
interface SimpleKey {
  /** The index of the token in the text. */
  readonly number: number;
  readonly position: number;
  readonly line: number;
  readonly column: number;
  /** The token must be a key. */
  readonly isRequired: boolean;
}

/** Characters of the longest simple key. It limits how far the scanner reads ahead, which makes it linear. */
const maxKeyLength = 1024;

const noKey = "could not find expected ':'";
const plainStartForbidden = new Set([...'-?:,[]{}#&*!|>\'"%@`'].map(sign => sign.charCodeAt(0)));

/** Splits a text into tokens on demand. Throws YamlError. */
// as go.yaml.in/yaml/v2 scannerc.go
export class Scanner {
  readonly #cursor: TextCursor;
  /** Tokens that were scanned and not taken. There are few: a key is recognised within `maxKeyLength` characters. */
  #tokens: YamlToken[] = [];
  #head = 0;
  #taken = 0;
  /** Columns of the enclosing block collections; -1 outside of them. */
  readonly #indents: number[] = [];
  #indent = -1;
  /** The possible key of each enclosing flow collection, and of the level outside of them. */
  readonly #keys: (SimpleKey | undefined)[] = [undefined];
  /** The possible keys by their number. */
  readonly #keysByNumber = new Map<number, SimpleKey>();
  #mayBeKey = true;
  #hasEnded = false;

  constructor(text: string) {
    this.#cursor = new TextCursor(text);
  }

  /** Returns the next token without taking it. */
  peek(): YamlToken {
    while (this.#needsMore()) this.#fetch();
    const next = this.#tokens[this.#head];
    if (!next) throw new Error('nobody reads on behind the end');
    return next;
  }

  /** Takes the next token. */
  next(): YamlToken {
    const next = this.peek();
    this.#head++;
    this.#taken++;
    if (this.#head === this.#tokens.length) {
      this.#tokens = [];
      this.#head = 0;
    } else if (this.#head > 4 * maxKeyLength) {
      this.#tokens = this.#tokens.slice(this.#head);
      this.#head = 0;
    }
    return next;
  }

  /** Returns whether to scan more. While the next token may be a key, a token may still be inserted before it. */
  #needsMore(): boolean {
    if (this.#hasEnded) return false;
    if (this.#head === this.#tokens.length) return true;
    const key = this.#keysByNumber.get(this.#taken);
    return key !== undefined && this.#isStillKey(key);
  }

  get #inFlow(): boolean {
    return this.#keys.length > 1;
  }

  #add(type: TokenType): void {
    this.#tokens.push(token(type, this.#cursor.line));
  }

  #fetch(): void {
    const cursor = this.#cursor;
    this.#skipToToken();
    this.#unindent(cursor.column);
    if (cursor.isAtEnd) return this.#end();
    if (cursor.column === 0) {
      if (cursor.peek() === code.percent) return this.#directive();
      if (cursor.isMarker(code.dash)) return this.#documentMarker('document-start');
      if (cursor.isMarker(code.dot)) return this.#documentMarker('document-end');
    }
    this.#fetchSign(cursor.peek());
  }

  #fetchSign(c: number): void {
    const isAlone = isSpace(this.#cursor.peek(1));
    switch (c) {
      case code.openBracket:
        return this.#openFlow('flow-sequence-start');
      case code.openBrace:
        return this.#openFlow('flow-mapping-start');
      case code.closeBracket:
        return this.#closeFlow('flow-sequence-end');
      case code.closeBrace:
        return this.#closeFlow('flow-mapping-end');
      case code.comma:
        this.#forgetKey();
        return this.#sign('flow-entry', true);
      case code.dash:
        return isAlone ? this.#blockEntry() : this.#scalar(c, isAlone);
      case code.question:
        return isAlone || this.#inFlow ? this.#key() : this.#scalar(c, isAlone);
      case code.colon:
        return isAlone || this.#inFlow ? this.#value() : this.#scalar(c, isAlone);
      case code.star:
      case code.ampersand:
        this.#noteKey();
        this.#mayBeKey = false;
        this.#tokens.push(scanAnchor(this.#cursor));
        return;
      case code.bang:
        this.#noteKey();
        this.#mayBeKey = false;
        this.#tokens.push(scanTag(this.#cursor));
        return;
      default:
        return this.#scalar(c, isAlone);
    }
  }

  #scalar(c: number, isAlone: boolean): void {
    const cursor = this.#cursor;
    const { line } = cursor;
    if ((c === code.bar || c === code.greater) && !this.#inFlow) {
      this.#forgetKey();
      this.#mayBeKey = true;
      this.#tokens.push(token('scalar', line, scanBlock(cursor, this.#indent)));
    } else if (c === code.singleQuote || c === code.doubleQuote) {
      this.#noteKey();
      this.#mayBeKey = false;
      this.#tokens.push(token('scalar', line, scanQuoted(cursor)));
    } else if ((!plainStartForbidden.has(c) && !isSpaceOrTab(c)) || this.#startsPlain(c, isAlone)) {
      this.#noteKey();
      const { value, breaks } = scanPlain(cursor, this.#inFlow, this.#indent + 1);
      this.#mayBeKey = breaks;
      this.#tokens.push(token('scalar', line, value, '', true));
    } else cursor.fail('found character that cannot start any token');
  }

  #startsPlain(c: number, isAlone: boolean): boolean {
    if (c === code.dash) return !isSpaceOrTab(this.#cursor.peek(1));
    return (c === code.question || c === code.colon) && !this.#inFlow && !isAlone;
  }

  /** Moves over blanks, comments and line breaks. A tab is allowed only where no key can begin. */
  #skipToToken(): void {
    const cursor = this.#cursor;
    for (;;) {
      if (cursor.column === 0 && cursor.peek() === code.byteOrderMark) cursor.position++;
      for (;;) {
        const c = cursor.peek();
        if (c !== code.space && !(c === code.tab && (this.#inFlow || !this.#mayBeKey))) break;
        cursor.position++;
      }
      if (cursor.peek() === code.hash) cursor.skipLine();
      if (!isBreak(cursor.peek())) return;
      cursor.takeBreak();
      if (!this.#inFlow) this.#mayBeKey = true;
    }
  }

  // --- keys ---------------------------------------------------------------------------------------------------

  /** Records that the next token may be a key. */
  #noteKey(): void {
    if (!this.#mayBeKey) return;
    this.#forgetKey();
    const { position, line, column } = this.#cursor;
    const key: SimpleKey = {
      number: this.#taken + this.#tokens.length - this.#head,
      isRequired: !this.#inFlow && this.#indent === column,
      ...{ position, line, column },
    };
    this.#keys[this.#keys.length - 1] = key;
    this.#keysByNumber.set(key.number, key);
  }

  /** Records that the possible key is none. */
  #forgetKey(): void {
    const key = this.#keys[this.#keys.length - 1];
    if (!key) return;
    if (key.isRequired && this.#keysByNumber.has(key.number)) this.#cursor.fail(noKey);
    this.#drop(key);
    this.#keys[this.#keys.length - 1] = undefined;
  }

  #drop(key: SimpleKey): void {
    this.#keysByNumber.delete(key.number);
  }

  /** Returns whether the token may still be a key: keys are short, and end on the line where they begin. */
  #isStillKey(key: SimpleKey): boolean {
    const { line, position } = this.#cursor;
    if (key.line === line && position - key.position <= maxKeyLength) return true;
    if (key.isRequired) this.#cursor.fail(noKey);
    this.#drop(key);
    return false;
  }

  /** Inserts a token before the one with this number. */
  #insert(number: number, type: TokenType, line: number): void {
    this.#tokens.splice(this.#head + number - this.#taken, 0, token(type, line));
  }

  // --- blocks -------------------------------------------------------------------------------------------------

  #unindent(column: number): void {
    if (this.#inFlow) return;
    while (this.#indent > column) {
      this.#add('block-end');
      this.#indent = this.#indents.pop() ?? -1;
    }
  }

  #pushIndent(column: number): boolean {
    if (this.#inFlow || this.#indent >= column) return false;
    this.#indents.push(this.#indent);
    this.#indent = column;
    return true;
  }

  #blockEntry(): void {
    const cursor = this.#cursor;
    if (!this.#inFlow) {
      if (!this.#mayBeKey) cursor.fail('block sequence entries are not allowed in this context');
      if (this.#pushIndent(cursor.column)) this.#add('block-sequence-start');
    }
    this.#forgetKey();
    this.#sign('block-entry', true);
  }

  #key(): void {
    const cursor = this.#cursor;
    if (!this.#inFlow) {
      if (!this.#mayBeKey) cursor.fail('mapping keys are not allowed in this context');
      if (this.#pushIndent(cursor.column)) this.#add('block-mapping-start');
    }
    this.#forgetKey();
    this.#sign('key', !this.#inFlow);
  }

  #value(): void {
    const cursor = this.#cursor;
    const key = this.#keys[this.#keys.length - 1];
    if (key && this.#keysByNumber.has(key.number) && this.#isStillKey(key)) {
      this.#insert(key.number, 'key', key.line);
      if (this.#pushIndent(key.column)) this.#insert(key.number, 'block-mapping-start', key.line);
      this.#drop(key);
      this.#keys[this.#keys.length - 1] = undefined;
      return this.#sign('value', false);
    }
    this.#keys[this.#keys.length - 1] = undefined;
    if (!this.#inFlow) {
      if (!this.#mayBeKey) cursor.fail('mapping values are not allowed in this context');
      if (this.#pushIndent(cursor.column)) this.#add('block-mapping-start');
    }
    this.#sign('value', !this.#inFlow);
  }

  // --- everything else ----------------------------------------------------------------------------------------

  /** Adds a token of one character. */
  #sign(type: TokenType, mayBeKey: boolean): void {
    this.#mayBeKey = mayBeKey;
    this.#add(type);
    this.#cursor.position++;
  }

  #openFlow(type: TokenType): void {
    this.#noteKey();
    this.#keys.push(undefined);
    this.#sign(type, true);
  }

  #closeFlow(type: TokenType): void {
    this.#forgetKey();
    if (this.#inFlow) this.#keys.pop();
    this.#sign(type, false);
  }

  #leaveBlocks(): void {
    this.#unindent(-1);
    this.#forgetKey();
    this.#mayBeKey = false;
  }

  #end(): void {
    const cursor = this.#cursor;
    if (cursor.column !== 0) cursor.line++; // the end counts as a line
    cursor.start = cursor.position;
    this.#leaveBlocks();
    this.#add('stream-end');
    this.#hasEnded = true;
  }

  #directive(): void {
    this.#leaveBlocks();
    this.#tokens.push(scanDirective(this.#cursor));
  }

  #documentMarker(type: TokenType): void {
    this.#leaveBlocks();
    this.#add(type);
    this.#cursor.position += 3;
  }
}
