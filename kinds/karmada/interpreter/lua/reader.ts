/** Reads the tokens of a Lua script one by one, and keeps what is known of it so far. */
import { luaTokens, type Token } from './tokens.js';

/** Deeper than any script by hand. differs: upstream goes on until its memory ends. */
const deepest = 200;

export interface LuaReader {
  /** The token that is next. */
  token(): Token;
  advance(): void;
  /** Whether a word is next: a keyword, an operator or a bracket. */
  is(word: string): boolean;
  /** Whether one of the words is next. */
  isOf(words: ReadonlySet<string>): boolean;
  /** Passes a word that may be there; whether it was. */
  accept(word: string): boolean;
  /** Passes a word that must be there. */
  expect(word: string): void;
  name(): void;
  /** One or more of something, with commas between. */
  list(item: () => void): void;
  /** A rule that may contain itself. */
  within<T>(rule: () => T): T;
  /** Throws a LuaError at the next token. */
  fail(text?: string): never;
  /** What is good grammar, and cannot be compiled: told when all else is well. */
  misused(text: string): void;
  /** The first of them. */
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
    if (++depth > deepest) fail('chunk has too many syntax levels');
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
