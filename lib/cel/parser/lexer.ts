/** The lexer of expressions. as cel-go parser/gen/CEL.g4 */
import { namedEscapes } from '../../go/go-escapes.js';
import type { Issue, Constant } from './ast.js';
import { ownValue } from '../../collections/own-value.js';

export interface CelToken {
  /** The kind; 'end' is the end of the text. */
  readonly kind: 'ident' | 'quoted' | 'literal' | 'symbol' | 'end';
  readonly text: string;
  readonly at: number;
  readonly value?: Constant;
}

const symbols = /^(?:==|!=|<=|>=|&&|\|\||[<>[\]{}().,\-!?:+*/%])/;
const spaces = /^(?:[\t \r\n\f]+|\/\/[^\n]*)/;
const number =
  /^(?:0x[0-9a-fA-F]+[uU]?|(?:[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|\.[0-9]+(?:[eE][+-]?[0-9]+)?)|[0-9]+[uU]?)/;
const ident = /^[A-Za-z_][A-Za-z0-9_]*/;
const quotedIdent = /^`[A-Za-z0-9_.\-/ ]+`/;
const escape = String.raw`\\(?:[abfnrtv"'\\?\x60]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2})`;
const text = new RegExp(
  String.raw`^(?:[bB])?(?:"""(?:[^\\]|${escape})*?"""|'''(?:[^\\]|${escape})*?'''|"(?:[^"\\\n\r]|${escape})*"|'(?:[^'\\\n\r]|${escape})*')`,
);
/** Matches an invalid string literal: its valid beginning, and the fault. */
const brokenText = new RegExp(
  String.raw`^[bB]?(?:"(?:[^"\\\n\r]|${escape})*|'(?:[^'\\\n\r]|${escape})*)(?:\\(?:[xX][0-9a-fA-F]?|u[0-9a-fA-F]{0,3}|U[0-9a-fA-F]{0,7}|[0-3][0-7]?)?)?[\s\S]?`,
);
const rawText = /^(?:[rR][bB]?|[bB][rR])(?:"""[\s\S]*?"""|'''[\s\S]*?'''|"[^"\n\r]*"|'[^'\n\r]*')/;

const escapes: Readonly<Record<string, string>> = { ...namedEscapes, "'": "'", '"': '"', '`': '`', '?': '?' };

class EscapeFault extends Error {}

/** Resolves escapes. \x and octal escapes are bytes in bytes literals, and code points in strings. */
function unescape(body: string, asBytes: boolean): string | Uint8Array {
  const parts: (string | number)[] = [];
  const code = (hex: string, base: number): void => {
    const value = parseInt(hex, base);
    if (asBytes) parts.push(value);
    else parts.push(String.fromCodePoint(value));
  };
  const shape = /\\(?:[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|([\s\S]))|([^\\]+)/g;
  for (const [, x, u, long, octal, named, plain] of body.matchAll(shape)) {
    if (plain !== undefined) parts.push(plain);
    else if (x !== undefined) code(x, 16);
    else if (octal !== undefined) code(octal, 8);
    else if (u !== undefined || long !== undefined) {
      const value = parseInt(u ?? long ?? '', 16);
      if (asBytes || value > 0x10ffff || (value >= 0xd800 && value < 0xe000)) throw new EscapeFault();
      parts.push(String.fromCodePoint(value));
    } else {
      const known = escapes[named ?? ''];
      if (known === undefined) throw new EscapeFault();
      parts.push(known);
    }
  }
  if (!asBytes) return parts.join('');
  return Buffer.concat(parts.map(p => (typeof p === 'number' ? Buffer.from([p]) : Buffer.from(p))));
}

function readText(source: string): Constant | undefined {
  const prefix = /^[rRbB]*/.exec(source)?.[0].toLowerCase() ?? '';
  const quoted = source.slice(prefix.length);
  const width = quoted.startsWith('"""') || quoted.startsWith("'''") ? 3 : 1;
  const body = quoted.slice(width, -width).replaceAll('\r\n', '\n');
  const asBytes = prefix.includes('b');
  if (prefix.includes('r')) return asBytes ? Buffer.from(body) : body;
  try {
    return unescape(body, asBytes);
  } catch (fault) {
    if (fault instanceof EscapeFault) return undefined;
    throw fault;
  }
}

function readNumber(source: string): Constant | undefined {
  if (/^[0-9]+[uU]?$|^0x/i.test(source)) {
    const unsigned = /[uU]$/.test(source);
    const value = BigInt(unsigned ? source.slice(0, -1) : source);
    if (unsigned) return value < 2n ** 64n ? { uint: value } : undefined;
    // One more than the largest int is accepted, for the minimum with a sign, which the parser applies.
    return value <= 2n ** 63n ? value : undefined;
  }
  const value = Number(source);
  return Number.isFinite(value) ? value : undefined;
}

const words: Readonly<Record<string, Constant>> = { true: true, false: false, null: null };

/** The lexer stops after so many issues. */
const maxIssues = 100;

interface Tokens {
  readonly tokens: readonly CelToken[];
  readonly issues: readonly Issue[];
}

/** differs: upstream accepts as many as fit into 100,000 characters, which would take tenths of a second to check */
export const maxTokens = 10_000;

/** Returns the tokens of a text, with a last one for its end; an invalid token becomes an issue, and is skipped. */
export function scan(source: string): Tokens {
  const tokens: CelToken[] = [];
  const issues: Issue[] = [];
  let at = 0;
  const take = (kind: CelToken['kind'], found: string, value?: Constant): void => {
    tokens.push({ kind, text: found, at, ...(value !== undefined && { value }) });
    at += found.length;
  };
  while (at < source.length) {
    if (tokens.length === maxTokens) {
      issues.push({ at: -1, text: `expression has more than ${maxTokens} tokens` });
      break;
    }
    const rest = source.slice(at);
    const space = spaces.exec(rest)?.[0];
    if (space !== undefined) {
      at += space.length;
      continue;
    }
    const string = (rawText.exec(rest) ?? text.exec(rest))?.[0];
    const digits = /^[0-9.]/.test(rest) ? number.exec(rest)?.[0] : undefined;
    const name = ident.exec(rest)?.[0];
    const quoted = quotedIdent.exec(rest)?.[0];
    const symbol = symbols.exec(rest)?.[0];
    if (string !== undefined || digits !== undefined) {
      const found = string ?? digits ?? '';
      const value = string === undefined ? readNumber(found) : readText(found);
      if (value === undefined)
        issues.push({ at, text: string === undefined ? numberFault(found) : 'invalid unicode code point' });
      take('literal', found, value ?? 0n);
    } else if (name !== undefined) {
      const value = ownValue(words, name);
      if (value !== undefined) take('literal', name, value);
      else take('ident', name);
    } else if (quoted !== undefined) take('quoted', quoted);
    else if (symbol !== undefined) take('symbol', symbol);
    else {
      if (issues.length === maxIssues) {
        issues.push({ at, text: `Syntax error: More than ${maxIssues} syntax errors` });
        break;
      }
      const bad = unrecognized(rest);
      issues.push({ at, text: `Syntax error: token recognition error at: '${visible(bad)}'` });
      at += bad.length;
    }
  }
  tokens.push({ kind: 'end', text: '<EOF>', at: source.length });
  return { tokens, issues };
}

const numberFault = (found: string): string => {
  if (/[.eE]/.test(found) && !/^0x/i.test(found)) return 'invalid double literal';
  return /[uU]$/.test(found) ? 'invalid uint literal' : 'invalid int literal';
};

/** Returns the text of an invalid token: of an invalid string everything up to the fault, of half an operator also the next character. */
function unrecognized(rest: string): string {
  const broken = brokenText.exec(rest)?.[0];
  if (broken !== undefined) return broken;
  return /^[|&=]/.test(rest) ? rest.slice(0, 2) : String.fromCodePoint(rest.codePointAt(0) ?? 0);
}

const visible = (bad: string): string => bad.replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t');
