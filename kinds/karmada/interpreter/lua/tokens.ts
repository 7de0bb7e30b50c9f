/** Splits Lua 5.1 into tokens. Errors have the positions and texts of the Lua implementation that Karmada runs. */
// as github.com/yuin/gopher-lua/parse Scanner

export type TokenType = 'name' | 'number' | 'string' | 'end of file' | 'word';

export interface Token {
  /** 'word': a reserved word or an operator; `text` is the word. */
  readonly type: TokenType;
  readonly text: string;
  readonly line: number;
}

/** The message is the whole text, as a user sees it. */
export class LuaError extends Error {}

export interface Tokens {
  /** Reads the next token. Throws LuaError for an invalid token. */
  next(): Token;
  /** Returns an error about the text just before the current position. */
  error(near: string, text: string): LuaError;
}

const reserved: ReadonlySet<string> = new Set([
  ...['and', 'break', 'do', 'else', 'elseif', 'end', 'false', 'for', 'function', 'goto', 'if', 'in', 'local', 'nil'],
  ...['not', 'or', 'repeat', 'return', 'then', 'true', 'until', 'while'],
]);
/** The longest operators first. */
const operators = ['...', '..', '==', '~=', '<=', '>=', '::', ...'+-*/%^#(){}[];,=<>.:'];

const isName = (char: string): boolean => /^[A-Za-z_0-9\p{Script=Han}]$/u.test(char);
const isDigit = (char: string): boolean => char >= '0' && char <= '9' && char.length === 1;

const escapes: Readonly<Record<string, string>> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

export function luaTokens(source: string): Tokens {
  const chars = [...source];
  let at = 0;
  let line = 1;
  let column = 0;
  /** Set when reading past the end: errors have no position then. */
  let ended = false;

  const peek = (): string => chars[at] ?? '';

  /** Reads the next character, line ends as `\n`; '' at the end. */
  function take(): string {
    const char = chars[at];
    if (char === undefined) {
      ended = true;
      return '';
    }
    at++;
    if (char !== '\n' && char !== '\r') {
      column += /\p{Script=Han}/u.test(char) ? Buffer.byteLength(char) : 1;
      return char;
    }
    line++;
    column = 0;
    const other = peek();
    if ((other === '\n' || other === '\r') && other !== char) at++;
    return '\n';
  }

  const error = (near: string, text: string): LuaError =>
    new LuaError(
      ended ? `<string> at EOF:   ${text}\n` : `<string> line:${line}(column:${column}) near '${near}':   ${text}\n`,
    );

  function digits(): string {
    let text = '';
    while (isDigit(peek())) text += take();
    return text;
  }

  function hexadecimal(): string {
    let text = '0' + take();
    const before = text.length;
    while (/^[0-9a-fA-F]$/.test(peek())) text += take();
    if (text.length === before) throw error(text, 'illegal hexadecimal number');
    return text;
  }

  /** `first` has been read already: a digit or a dot. */
  function number(first: string): string {
    if (first === '0' && /^[xX]$/.test(peek())) return hexadecimal();
    let text = first + digits();
    if (peek() === '.') text += take() + digits();
    if (/^[eE]$/.test(peek())) {
      text += take();
      if (/^[+-]$/.test(peek())) text += take();
      text += take() + digits();
    }
    return text;
  }

  function escape(): string {
    const char = take();
    if (!isDigit(char)) return escapes[char] ?? char;
    let code = char;
    while (code.length < 3 && isDigit(peek())) code += take();
    return String.fromCharCode(Number(code) % 256);
  }

  function quoted(quote: string): string {
    let text = '';
    for (let char = take(); char !== quote; char = take()) {
      if (char === '\n' || char === '') throw error(text, 'unterminated string');
      text += char === '\\' ? escape() : char;
    }
    return text;
  }

  /** Reads the equals signs that follow. */
  function separator(): string {
    let text = '';
    while (peek() === '=') text += take();
    return text;
  }

  /** Reads a string in long brackets; the first bracket has been read already. */
  function long(): string {
    const level = separator();
    const second = take();
    if (second !== '[') throw error(second, 'invalid multiline string');
    if (/^[\n\r]$/.test(peek())) take();
    let text = '';
    for (;;) {
      const char = take();
      if (char === '') throw error(text, 'unterminated multiline string');
      if (char !== ']') {
        text += char;
        continue;
      }
      const found = separator();
      if (found === level && peek() === ']') {
        take();
        return text;
      }
      text += char + found;
    }
  }

  const isLong = (): boolean => peek() === '[' || peek() === '=';

  function comment(): void {
    if (peek() === '[') {
      take();
      if (isLong()) {
        try {
          long();
        } catch (failure) {
          if (failure instanceof LuaError) throw error('', 'invalid multiline comment');
          throw failure;
        }
        return;
      }
    }
    for (let char = take(); char !== '\n' && char !== '';) char = take();
  }

  function operator(first: string): Token {
    const start = line;
    const rest = first + peek() + (chars[at + 1] ?? '');
    const text = operators.find(each => rest.startsWith(each));
    if (text === undefined) throw first === '~' ? error('~', "Invalid '~' token") : error(first, 'Invalid token');
    for (let i = 1; i < text.length; i++) take();
    return { type: 'word', text, line: start };
  }

  /** Returns the first character of the next token; '' at the end. */
  function first(): string {
    for (;;) {
      const char = take();
      if (char === '-' && peek() === '-') {
        take();
        comment();
      } else if (char !== ' ' && char !== '\t' && char !== '\n') return char;
    }
  }

  function next(): Token {
    const char = first();
    const start = line;
    if (char === '') return { type: 'end of file', text: '', line: start };
    if (isName(char) && !isDigit(char)) {
      let text = char;
      while (isName(peek())) text += take();
      return { type: reserved.has(text) ? 'word' : 'name', text, line: start };
    }
    if (isDigit(char) || (char === '.' && isDigit(peek()))) return { type: 'number', text: number(char), line: start };
    if (char === '"' || char === "'") return { type: 'string', text: quoted(char), line: start };
    if (char === '[' && isLong()) return { type: 'string', text: long(), line: start };
    return operator(char);
  }

  return { next, error };
}
