/** JSON bodies, read as Go's encoding/json and sigs.k8s.io/json read them. */
import { goQuote } from '../../openapi/meta/go-text.js';

export type ParsedJson =
  | { readonly type: 'value'; readonly value: unknown }
  | { readonly type: 'error'; /** What Go says. */ readonly text: string };

export function parseJson(text: string): ParsedJson {
  try {
    return { type: 'value', value: JSON.parse(text) as unknown };
  } catch {
    return { type: 'error', text: syntaxError(text) };
  }
}

/** A character as Go's JSON errors quote it. as encoding/json/scanner.go quoteChar */
function quoteChar(char: string): string {
  if (char === "'") return `'\\''`;
  if (char === '"') return `'"'`;
  return `'${goQuote(char).slice(1, -1)}'`;
}

class SyntaxFault extends Error {}

const end = 'unexpected end of JSON input';
const space = /[ \t\r\n]/;

/** Walks a text that JSON.parse refused, to its first fault. */
class Scanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  fault(context: string): never {
    const code = this.#text.codePointAt(this.#at);
    throw new SyntaxFault(
      code === undefined ? end : `invalid character ${quoteChar(String.fromCodePoint(code))} ${context}`,
    );
  }

  skip(): string | undefined {
    while (space.test(this.#text[this.#at] ?? '')) this.#at++;
    return this.#text[this.#at];
  }

  document(): void {
    this.value();
    if (this.skip() !== undefined) this.fault('after top-level value');
  }

  value(): void {
    const char = this.skip();
    if (char === '{') this.object();
    else if (char === '[') this.list();
    else if (char === '"') this.string();
    else if (char === 't') this.literal('true');
    else if (char === 'f') this.literal('false');
    else if (char === 'n') this.literal('null');
    else if (char === '-' || (char !== undefined && /\d/.test(char))) this.number();
    else this.fault('looking for beginning of value');
  }

  literal(word: string): void {
    for (let i = 1, from = this.#at++; i < word.length; i++, this.#at++)
      if (this.#text[from + i] !== word[i]) this.fault(`in literal ${word} (expecting ${quoteChar(word[i] ?? '')})`);
  }

  digits(context: string): void {
    if (!/\d/.test(this.#text[this.#at] ?? '')) this.fault(context);
    while (/\d/.test(this.#text[this.#at] ?? '')) this.#at++;
  }

  number(): void {
    if (this.#text[this.#at] === '-') this.#at++;
    if (this.#text[this.#at] === '0') this.#at++;
    else this.digits('in numeric literal');
    if (this.#text[this.#at] === '.') {
      this.#at++;
      this.digits('after decimal point in numeric literal');
    }
    if (/[eE]/.test(this.#text[this.#at] ?? '')) {
      this.#at++;
      if (/[+-]/.test(this.#text[this.#at] ?? '')) this.#at++;
      this.digits('in exponent of numeric literal');
    }
  }

  string(): void {
    for (this.#at++; this.#text[this.#at] !== '"'; this.#at++) {
      const char = this.#text[this.#at];
      if (char === undefined || char < ' ') this.fault('in string literal');
      if (char === '\\') this.escape();
    }
    this.#at++;
  }

  escape(): void {
    const char = this.#text[++this.#at];
    if (char === undefined || !'bfnrt\\/"u'.includes(char)) this.fault('in string escape code');
    if (char !== 'u') return;
    for (let i = 0; i < 4; i++) {
      this.#at++;
      if (!/[0-9a-fA-F]/.test(this.#text[this.#at] ?? '')) this.fault('in \\u hexadecimal character escape');
    }
  }

  object(): void {
    this.#at++;
    if (this.skip() === '}') return void this.#at++;
    for (;;) {
      if (this.skip() !== '"') this.fault('looking for beginning of object key string');
      this.string();
      if (this.skip() !== ':') this.fault('after object key');
      this.#at++;
      this.value();
      const char = this.skip();
      if (char !== ',' && char !== '}') this.fault('after object key:value pair');
      this.#at++;
      if (char === '}') return;
    }
  }

  list(): void {
    this.#at++;
    if (this.skip() === ']') return void this.#at++;
    for (;;) {
      this.value();
      const char = this.skip();
      if (char !== ',' && char !== ']') this.fault('after array element');
      this.#at++;
      if (char === ']') return;
    }
  }
}

/** The first fault of a text, in Go's words. as encoding/json/scanner.go */
function syntaxError(text: string): string {
  try {
    new Scanner(text).document();
  } catch (error) {
    if (error instanceof SyntaxFault) return error.message;
    if (error instanceof RangeError) return 'exceeded max depth';
    throw error;
  }
  return end;
}

function afterString(text: string, at: number): number {
  for (let close = text.indexOf('"', at + 1); close >= 0; close = text.indexOf('"', close + 1)) {
    let escapes = 0;
    while (text[close - 1 - escapes] === '\\') escapes++;
    if (escapes % 2 === 0) return close + 1;
  }
  return text.length;
}

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let keys = 0;
  if (Array.isArray(value)) {
    for (const item of value) keys += countKeys(item);
    return keys;
  }
  for (const key in value) keys += 1 + countKeys((value as Record<string, unknown>)[key]);
  return keys;
}

function countColons(text: string): number {
  let colons = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x22) i = afterString(text, i) - 1;
    else if (code === 0x3a) colons++;
  }
  return colons;
}

interface Level {
  /** Of an object: the keys so far. Of a list: undefined. */
  readonly keys: Set<string> | undefined;
  path: string;
  key: string;
  index: number;
}

const most = 100;

/**
 * The paths of fields that a valid JSON text gives twice, in the order of their second mention. `value`: the text, parsed.
 * hot: every write. Texts without such fields, which have as many keys as colons, are not looked at twice.
 */
export function duplicateFields(text: string, value: unknown): readonly string[] {
  if (countColons(text) === countKeys(value)) return [];
  const found = new Set<string>();
  const levels: Level[] = [];
  const pathHere = (): string => {
    const level = levels.at(-1);
    if (!level) return '';
    if (!level.keys) return `${level.path}[${level.index}]`;
    return level.path === '' ? level.key : `${level.path}.${level.key}`;
  };
  for (let i = 0; i < text.length && found.size < most; i++) {
    const char = text[i];
    const level = levels.at(-1);
    if (char === '"') {
      const close = afterString(text, i);
      const isKey = level?.keys && /^\s*:/.test(text.slice(close, close + 64));
      if (isKey) {
        level.key = JSON.parse(text.slice(i, close)) as string;
        if (level.keys?.has(level.key)) found.add(pathHere());
        level.keys?.add(level.key);
      }
      i = close - 1;
    } else if (char === '{') levels.push({ keys: new Set(), path: pathHere(), key: '', index: 0 });
    else if (char === '[') levels.push({ keys: undefined, path: pathHere(), key: '', index: 0 });
    else if (char === '}' || char === ']') levels.pop();
    else if (char === ',' && level) level.index++;
  }
  return [...found];
}
