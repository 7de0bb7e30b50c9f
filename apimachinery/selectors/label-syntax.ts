/** The string syntax of label selectors: `a=b,c in (d,e),!f,g>5`. */
import { invalidValue, wholeObject } from '../errors/faults.js';
import { type LabelOperator, type LabelRequirement, binaryOperators, requirementFaults } from './label-requirement.js';
import { checkLabelKey } from '../meta/names.js';
import { faultsText } from '../errors/status.js';
import { maxRequirements, maxSelectorValues, tooManyRequirements } from './limits.js';

type TokenKind =
  'end' | 'identifier' | 'error' | '(' | ')' | ',' | '!' | '==' | '=' | '!=' | '>' | '<' | 'in' | 'notin';

interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

const symbols = new Set<string>(['(', ')', ',', '!', '==', '=', '!=', '>', '<', 'in', 'notin']);

/** The kinds of ASCII characters; other characters are parts of words. */
const special = 1;
const space = 2;
const kinds = new Uint8Array(128);
for (const character of '=!(),><') kinds[character.charCodeAt(0)] = special;
for (const character of ' \t\r\n') kinds[character.charCodeAt(0)] = space;

const end: Token = { kind: 'end', text: '' };
const comma: Token = { kind: ',', text: ',' };
const commaCode = 0x2c;

/** Reads the tokens of a text one by one, so that nothing is read after the first error. */
class Scanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  next(): Token {
    const text = this.#text;
    while (kinds[text.charCodeAt(this.#at)] === space) this.#at++;
    const from = this.#at;
    if (from >= text.length) return end;
    if (kinds[text.charCodeAt(from)] === special) return this.#symbol();
    let at = from + 1;
    while (at < text.length && !kinds[text.charCodeAt(at)]) at++;
    this.#at = at;
    const word = text.slice(from, at);
    return { kind: word === 'in' || word === 'notin' ? word : 'identifier', text: word };
  }

  /** Reads the longest run of special characters that is a symbol. A comma is always a token of its own. */
  #symbol(): Token {
    const text = this.#text;
    if (text.charCodeAt(this.#at) === commaCode) {
      this.#at++;
      return comma;
    }
    let found: Token | undefined;
    let buffer = '';
    for (; kinds[text.charCodeAt(this.#at)] === special; this.#at++) {
      buffer += text.charAt(this.#at);
      if (symbols.has(buffer)) found = { kind: buffer as TokenKind, text: buffer };
      else if (found) break;
    }
    return found ?? { kind: 'error', text: `error expected: keyword found '${buffer}'` };
  }
}

class SyntaxFault extends Error {}

/** A cursor over tokens. `in` and `notin` are identifiers, except for `takeOperator`. */
class Cursor {
  readonly #scanner: Scanner;
  #next: Token;
  #values = 0;

  constructor(text: string) {
    this.#scanner = new Scanner(text);
    this.#next = this.#scanner.next();
  }

  peek(): Token {
    return asValue(this.#next);
  }

  take(): Token {
    return asValue(this.takeOperator());
  }

  takeOperator(): Token {
    const token = this.#next;
    if (token !== end) this.#next = this.#scanner.next();
    return token;
  }

  /** Counts a token of a list of values. Throws SyntaxFault for too many. */
  countValue(): void {
    if (++this.#values > 2 * maxSelectorValues)
      throw new SyntaxFault(`a selector may have at most ${maxSelectorValues} values`);
  }
}

const asValue = (t: Token): Token => (t.kind === 'in' || t.kind === 'notin' ? { ...t, kind: 'identifier' } : t);

function fail(found: Token, expected: string): never {
  throw new SyntaxFault(`found '${found.text}', expected: ${expected}`);
}

function readList(c: Cursor): string[] {
  const values = new Set<string>();
  for (;;) {
    const token = c.take();
    c.countValue();
    if (token.kind === 'identifier') {
      values.add(token.text);
      const next = c.peek();
      if (next.kind === ')') return [...values];
      if (next.kind !== ',') fail(next, "',' or ')'");
    } else if (token.kind === ',') {
      if (values.size === 0) values.add('');
      const next = c.peek().kind;
      if (next === ')' || next === ',') values.add('');
      if (next === ')') return [...values];
    } else fail(token, "',', or identifier");
  }
}

function readValues(c: Cursor): string[] {
  const open = c.take();
  if (open.kind !== '(') throw new SyntaxFault(`found '${open.text}' expected: '('`);
  const first = c.peek();
  if (first.kind === ')') {
    c.take();
    return [''];
  }
  if (first.kind !== 'identifier' && first.kind !== ',') fail(first, "',', ')' or identifier");
  const values = readList(c);
  if (c.take().kind !== ')') fail(first, "')'");
  return values.sort();
}

function readExact(c: Cursor): string[] {
  const next = c.peek().kind;
  if (next === 'end' || next === ',') return [''];
  const token = c.take();
  return token.kind === 'identifier' ? [token.text] : fail(token, 'identifier');
}

const operatorTokens: Partial<Record<TokenKind, LabelOperator>> = {
  in: 'in',
  notin: 'notin',
  '=': '=',
  '==': '==',
  '!=': '!=',
  '>': 'gt',
  '<': 'lt',
};

function readRequirement(c: Cursor): LabelRequirement {
  let token = c.take();
  const absent = token.kind === '!';
  if (absent) token = c.take();
  if (token.kind !== 'identifier') fail(token, 'identifier');
  const bad = checkLabelKey(token.text);
  if (bad.length > 0) throw new SyntaxFault(faultsText([invalidValue(wholeObject, token.text, bad.join('; '))]));
  const next = c.peek().kind;
  let r: LabelRequirement;
  if (absent || next === 'end' || next === ',') r = { key: token.text, operator: absent ? '!' : 'exists', values: [] };
  else {
    const operatorToken = c.takeOperator();
    const operator = operatorTokens[operatorToken.kind] ?? fail(operatorToken, binaryOperators.join(', '));
    const set = operator === 'in' || operator === 'notin';
    r = { key: token.text, operator, values: set ? readValues(c) : readExact(c) };
  }
  const faults = requirementFaults(r);
  if (faults.length > 0) throw new SyntaxFault(faultsText(faults));
  return r;
}

function readAll(text: string): LabelRequirement[] {
  const c = new Cursor(text);
  const out: LabelRequirement[] = [];
  for (;;) {
    const first = c.peek();
    if (first.kind === 'end') return out;
    if (first.kind !== 'identifier' && first.kind !== '!') fail(first, "!, identifier, or 'end of string'");
    if (out.length >= maxRequirements) throw new SyntaxFault(tooManyRequirements);
    try {
      out.push(readRequirement(c));
    } catch (error) {
      if (error instanceof SyntaxFault) throw new SyntaxFault(`unable to parse requirement: ${error.message}`);
      throw error;
    }
    const after = c.take();
    if (after.kind === 'end') return out;
    if (after.kind !== ',') fail(after, "',' or 'end of string'");
    const next = c.peek();
    if (next.kind !== 'identifier' && next.kind !== '!') fail(next, "identifier after ','");
  }
}

/** Returns the requirements in the order of the text, or upstream's text about an invalid one. */
export function readRequirements(text: string): LabelRequirement[] | { readonly error: string } {
  try {
    return readAll(text);
  } catch (error) {
    if (error instanceof SyntaxFault) return { error: error.message };
    throw error;
  }
}
