/**
 * A JSON parser for texts with errors: it keeps duplicate keys, and reports syntax errors as Go does. Valid texts are parsed by JSON.parse
 * (`decode.ts`). as encoding/json/scanner.go
 */
import { goJson, goQuote } from '../../lib/go/go-text.js';
import { setKey } from '../../lib/json/clone.js';
import { maxDepth } from '../../lib/json/depth.js';
import { type LargeIntegers, numberValue } from '../../lib/json/json.js';
import { Literal } from '../../lib/json/literal.js';
import { DecodeError } from './decode-error.js';
import type { Schema } from './interface.js';

/** A JSON object with all entries in the order of the text, including duplicate keys. */
export class ObjectNode {
  readonly entries: readonly (readonly [string, unknown])[];
  constructor(entries: readonly (readonly [string, unknown])[]) {
    this.entries = entries;
  }
}

/** Returns the first UTF-8 byte of the character at an index. */
function firstByte(text: string, at: number): string {
  const rune = String.fromCodePoint(text.codePointAt(at) ?? 0);
  return String.fromCharCode(Buffer.from(rune)[0] ?? 0);
}

/** Returns a byte, given as a character of Latin-1, in quotes. as encoding/json/scanner.go quoteChar */
function byteText(byte: string): string {
  if (byte === "'") return "'\\''";
  return byte === '"' ? `'"'` : `'${goQuote(byte).slice(1, -1)}'`;
}

const digit = /[0-9]/;
const digits = /[0-9]*/y;
/** Characters of a string that are not escaped. */
const plain = /[^"\\\u0000-\u001f]*/y;
const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
const spaces = /[ \t\n\r]*/y;
const escapes = /["\\/bfnrt]/;

interface StrictOptions {
  /** Strings whose escapes differ from Go's become Literals, too. */
  readonly keepsTexts?: boolean;
  /** Each character of the text is one byte, so that errors can show bytes that are not UTF-8. */
  readonly isLatin1?: boolean;
}

class Parser {
  private readonly text: string;
  private readonly keepsTexts: boolean;
  private readonly isLatin1: boolean;
  private at = 0;
  private depth = 0;

  constructor(text: string, { keepsTexts = false, isLatin1 = false }: StrictOptions) {
    this.text = text;
    this.keepsTexts = keepsTexts;
    this.isLatin1 = isLatin1;
  }

  document(): unknown {
    this.space();
    const value = this.value();
    this.space();
    if (this.at < this.text.length) this.fail('after top-level value');
    return value;
  }

  private fail(context: string): never {
    if (this.at >= this.text.length) throw new DecodeError('unexpected end of JSON input');
    const byte = this.isLatin1 ? this.here() : firstByte(this.text, this.at);
    throw new DecodeError(`invalid character ${byteText(byte)} ${context}`);
  }

  private here(): string {
    return this.text.charAt(this.at);
  }

  private space(): void {
    if (!isSpace(this.text.charCodeAt(this.at))) return;
    spaces.lastIndex = this.at;
    spaces.test(this.text);
    this.at = spaces.lastIndex;
  }

  private value(): unknown {
    const c = this.here();
    if (c === '{') return this.nested(() => this.object());
    if (c === '[') return this.nested(() => this.array());
    if (c === '"') return this.scalarText();
    if (c === '-' || digit.test(c)) return this.number();
    for (const [word, value] of [
      ['true', true],
      ['false', false],
      ['null', null],
    ] as const)
      if (c !== '' && word.startsWith(c)) return this.literal(word, value);
    return this.fail('looking for beginning of value');
  }

  private nested<T>(read: () => T): T {
    if (++this.depth > maxDepth) this.fail('exceeded max depth');
    this.at++;
    this.space();
    const value = read();
    this.depth--;
    return value;
  }

  private object(): ObjectNode {
    const entries: [string, unknown][] = [];
    while (this.here() !== '}' || entries.length > 0) {
      if (this.here() !== '"') this.fail('looking for beginning of object key string');
      const key = this.string();
      this.space();
      if (this.here() !== ':') this.fail('after object key');
      this.at++;
      this.space();
      entries.push([key, this.value()]);
      this.space();
      if (this.here() === '}') break;
      if (this.here() !== ',') this.fail('after object key:value pair');
      this.at++;
      this.space();
    }
    this.at++;
    return new ObjectNode(entries);
  }

  private array(): unknown[] {
    const out: unknown[] = [];
    while (this.here() !== ']' || out.length > 0) {
      out.push(this.value());
      this.space();
      if (this.here() === ']') break;
      if (this.here() !== ',') this.fail('after array element');
      this.at++;
      this.space();
    }
    this.at++;
    return out;
  }

  private literal<T>(word: string, value: T): T {
    for (const letter of word) {
      if (this.here() !== letter) this.fail(`in literal ${word} (expecting '${letter}')`);
      this.at++;
    }
    return value;
  }

  private scalarText(): string | Literal {
    const from = this.at;
    const value = this.string();
    const written = this.keepsTexts ? this.text.slice(from, this.at) : '';
    return this.keepsTexts && written !== goJson(value) ? new Literal(written) : value;
  }

  private string(): string {
    const from = this.at++;
    for (; ; this.at++) {
      plain.lastIndex = this.at;
      if (plain.test(this.text)) this.at = plain.lastIndex;
      if (this.here() === '"') break;
      if (this.here() === '' || this.here() < ' ') this.fail('in string literal');
      if (this.here() !== '\\') continue;
      this.at++;
      if (this.here() === 'u') this.hexEscape();
      else if (!escapes.test(this.here())) this.fail('in string escape code');
    }
    return JSON.parse(this.text.slice(from, ++this.at)) as string;
  }

  private hexEscape(): void {
    for (let i = 0; i < 4; i++) {
      this.at++;
      if (!/[0-9a-fA-F]/.test(this.here())) this.fail('in \\u hexadecimal character escape');
    }
  }

  private digits(context: string): void {
    if (!digit.test(this.here())) this.fail(context);
    digits.lastIndex = this.at;
    digits.test(this.text);
    this.at = digits.lastIndex;
  }

  private number(): Literal {
    const from = this.at;
    if (this.here() === '-') this.at++;
    if (this.here() === '0') this.at++;
    else this.digits('in numeric literal');
    if (this.here() === '.') {
      this.at++;
      this.digits('after decimal point in numeric literal');
    }
    if (/[eE]/.test(this.here())) {
      this.at++;
      if (/[-+]/.test(this.here())) this.at++;
      this.digits('in exponent of numeric literal');
    }
    return new Literal(this.text.slice(from, this.at));
  }
}

/** Parses a text; objects become ObjectNodes, numbers Literals. Throws DecodeError with Go's text of a syntax error. */
export function parseStrict(text: string, options: StrictOptions = {}): unknown {
  return new Parser(text, options).document();
}

/** Merges the values of duplicate fields of a struct, which Go decodes into the same value: maps and structs are merged, lists item by item. */
function mergeDuplicates(before: unknown, now: unknown, schema: Schema | undefined): unknown {
  if (now instanceof ObjectNode && before instanceof ObjectNode && schema && !schema.scalar)
    return new ObjectNode([...before.entries, ...now.entries]);
  if (Array.isArray(now) && Array.isArray(before) && schema?.items?.properties)
    return now.map((item: unknown, i) =>
      before[i] === undefined ? item : mergeDuplicates(before[i], item, schema.items),
    );
  return now;
}

/** Returns the value that Go would decode from a tree of `parseStrict`. Without a schema the last of duplicate keys counts. */
export function valueOf(node: unknown, schema?: Schema, largeIntegers: LargeIntegers = 'float64'): unknown {
  // A quantity keeps the notation of its number.
  if (node instanceof Literal) return schema?.scalar === 'quantity' ? node.text : numberValue(node.text, largeIntegers);
  if (Array.isArray(node)) return node.map(item => valueOf(item, schema?.items, largeIntegers));
  if (!(node instanceof ObjectNode)) return node;
  const merged = new Map<string, unknown>();
  const { properties } = schema ?? {};
  const more = typeof schema?.additionalProperties === 'object' ? schema.additionalProperties : undefined;
  const schemaOf = (name: string) => (properties && Object.hasOwn(properties, name) ? properties[name] : more);
  for (const [name, value] of node.entries) {
    const twice = properties !== undefined && merged.has(name);
    merged.set(name, twice ? mergeDuplicates(merged.get(name), value, schemaOf(name)) : value);
  }
  const out: Record<string, unknown> = {};
  for (const [name, value] of merged) setKey(out, name, valueOf(value, schemaOf(name), largeIntegers));
  return out;
}
