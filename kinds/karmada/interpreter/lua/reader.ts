/** Reads the tokens of a Lua script one by one, and holds the state of parsing. */
import { luaTokens, type Token } from './tokens.js';

/** Deeper than any script written by hand. differs: upstream continues until it runs out of memory. */
const maxDepth = 200;

export interface LuaReader {
  /** Returns the next token, without reading it. */
  token(): Token;
  advance(): void;
  /** Reports whether a word is next: a keyword, an operator or a bracket. */
  is(word: string): boolean;
  /** Reports whether one of the words is next. */
  isOf(words: ReadonlySet<string>): boolean;
  /** Reads a word if it is next, and reports whether it was. */
  accept(word: string): boolean;
  /** Reads a required word. */
  expect(word: string): void;
  name(): void;
  /** Reads one or more items with commas between them. */
  list(item: () => void): void;
  /** Applies a rule that may contain itself. */
  within<T>(rule: () => T): T;
  /** Throws a LuaError at the next token. */
  fail(text?: string): never;
  /** Records an error that is correct grammar but cannot be compiled: reported if there is no other error. */
  misused(text: string): void;
  /** Returns the first of these errors. */
  misuse(): string | undefined;
}

export function luaReader(source: string): LuaReader {
  const tokens = luaTokens(source);
  let token: Token = tokens.next();
  let misuse: string | undefined;
  let depth = 0;

  const advance = (): void => {
    token = tokens.next();
  };
  const is = (word: string): boolean => token.type === 'word' && token.text === word;
  const isOf = (words: ReadonlySet<string>): boolean => token.type === 'word' && words.has(token.text);
  const fail = (text = 'syntax error'): never => {
    throw tokens.error(token.text, text);
  };

  function accept(word: string): boolean {
    if (!is(word)) return false;
    advance();
    return true;
  }

  function expect(word: string): void {
    if (!accept(word)) fail();
  }

  function name(): void {
    if (token.type !== 'name') fail();
    advance();
  }

  function within<T>(rule: () => T): T {
    if (++depth > maxDepth) fail('chunk has too many syntax levels');
    const result = rule();
    depth--;
    return result;
  }

  const misused = (text: string): void => {
    misuse ??= `compile error near line(${token.line}) <string>: ${text}`;
  };

  function list(item: () => void): void {
    do item();
    while (accept(','));
  }

  return {
    ...{ advance, is, isOf, accept, expect, name, list, within, fail, misused },
    token: () => token,
    misuse: () => misuse,
  };
}
