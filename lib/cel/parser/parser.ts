/** The parser of expressions. as cel-go parser/parser.go and its grammar */
import type { Issue, Constant, MapEntry, Expr, StructField } from './ast.js';
import { type CelToken, maxTokens, scan } from './lexer.js';
import { expandMacro } from './macros.js';
import { runeCount } from '../measure.js';

/** Thrown at the first error that cannot be skipped. */
class SyntaxFault extends Error {}

/** Returns the tokens that an operand may begin with, and others that are allowed there, in the grammar's order. */
function operands(besides = ''): string {
  const symbols = ['[', ']', '{', '}', '(', ')', '.', ',', '-', '!', '?'].filter(
    symbol => '[{(.-!'.includes(symbol) || besides.includes(symbol),
  );
  const words = "'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER";
  return `{${symbols.map(symbol => `'${symbol}'`).join(', ')}, ${words}}`;
}

const reserved: ReadonlySet<string> = new Set(
  'as break const continue else for function if import let loop package namespace return var void while in'.split(' '),
);

const relations: Readonly<Record<string, string>> = {
  '<': '_<_',
  '<=': '_<=_',
  '>': '_>_',
  '>=': '_>=_',
  '==': '_==_',
  '!=': '_!=_',
  in: '@in',
};
const sums: Readonly<Record<string, string>> = { '+': '_+_', '-': '_-_' };
const products: Readonly<Record<string, string>> = { '*': '_*_', '/': '_/_', '%': '_%_' };

const maxDepth = 250;

class Parser {
  readonly issues: Issue[];
  private readonly tokens: readonly CelToken[];
  private at = 0;
  private depth = 0;
  /** The nesting depth of operators, selections and conditions below a node, including itself. */
  private readonly depths = new Map<Expr, number>();
  /** The first token in brackets, and other symbols that are allowed there. */
  private first: { readonly at: number; readonly besides: string } | undefined;

  constructor(source: string) {
    const { tokens, issues } = scan(source);
    this.tokens = tokens;
    this.issues = [...issues];
  }

  /** There are more tokens than the limit: further errors are not reported. */
  get isTooLong(): boolean {
    return this.tokens.length > maxTokens;
  }

  document(): Expr | undefined {
    try {
      const node = this.expression();
      const extra = this.peek();
      if (extra.kind !== 'end') {
        const word = this.peek(1).kind === 'end' ? 'extraneous' : 'mismatched';
        this.issue(extra, `Syntax error: ${word} input '${extra.text}' expecting <EOF>`);
      }
      return node;
    } catch (fault) {
      if (fault instanceof SyntaxFault) return undefined;
      throw fault;
    }
  }

  private peek(ahead = 0): CelToken {
    return this.tokens[Math.min(this.at + ahead, this.tokens.length - 1)] as CelToken;
  }

  private is(...texts: readonly string[]): boolean {
    const token = this.peek();
    return (token.kind === 'symbol' || token.text === 'in') && texts.includes(token.text);
  }

  private take(): CelToken {
    const token = this.peek();
    if (token.kind !== 'end') this.at++;
    return token;
  }

  private issue(token: { readonly at: number }, text: string): void {
    this.issues.push({ at: token.at, text });
  }

  private fail(token: CelToken, text: string): never {
    this.issue(token, `Syntax error: ${text}`);
    throw new SyntaxFault();
  }

  private expect(symbol: string): CelToken {
    const token = this.peek();
    if (this.is(symbol)) return this.take();
    return this.fail(
      token,
      token.kind === 'end'
        ? `missing '${symbol}' at '<EOF>'`
        : `mismatched input '${token.text}' expecting '${symbol}'`,
    );
  }

  private call(token: CelToken, name: string, ...args: readonly Expr[]): Expr {
    return { kind: 'call', at: token.at, name, target: undefined, args };
  }

  /** Limits the depth of a tree, so that recursive walks end. `levels`: what the node itself adds. */
  private limited(node: Expr, parts: readonly Expr[], levels: 0 | 1 = 1): Expr {
    const depth = levels + Math.max(0, ...parts.map(part => this.depths.get(part) ?? 0));
    if (depth > maxDepth) this.tooDeep('max recursion depth exceeded');
    if (depth > 0) this.depths.set(node, depth);
    return node;
  }

  private tooDeep(text: string): never {
    this.issue({ at: -1 }, text);
    throw new SyntaxFault();
  }

  expression(): Expr {
    if (++this.depth > maxDepth) this.tooDeep(`expression recursion limit exceeded: ${maxDepth}`);
    const condition = this.logical('||', '_||_', () => this.logical('&&', '_&&_', () => this.relation()));
    let node = condition;
    if (this.is('?')) {
      const question = this.take();
      const yes = this.logical('||', '_||_', () => this.logical('&&', '_&&_', () => this.relation()));
      this.expect(':');
      const no = this.expression();
      node = this.limited(this.call(question, '_?_:_', condition, yes, no), [condition, yes, no]);
    }
    this.depth--;
    return node;
  }

  /** Makes balanced trees of chains of one operator, so that long chains are not deep. */
  private logical(symbol: string, name: string, operandOf: () => Expr): Expr {
    const terms = [operandOf()];
    const operators: CelToken[] = [];
    while (this.is(symbol)) {
      operators.push(this.take());
      terms.push(operandOf());
    }
    const balance = (from: number, to: number): Expr => {
      if (from === to) return terms[from] as Expr;
      const middle = Math.floor((from + to) / 2);
      const [left, right] = [balance(from, middle), balance(middle + 1, to)];
      return this.limited(this.call(operators[middle] as CelToken, name, left, right), [left, right], 0);
    };
    return balance(0, terms.length - 1);
  }

  private binary(names: Readonly<Record<string, string>>, operandOf: () => Expr): Expr {
    let left = operandOf();
    while (this.is(...Object.keys(names))) {
      const token = this.take();
      const right = operandOf();
      left = this.limited(this.call(token, names[token.text] ?? '', left, right), [left, right]);
    }
    return left;
  }

  private relation(): Expr {
    return this.binary(relations, () => this.binary(sums, () => this.binary(products, () => this.unary())));
  }

  private unary(): Expr {
    for (const [symbol, name] of [
      ['!', '!_'],
      ['-', '-_'],
    ] as const) {
      if (!this.is(symbol)) continue;
      const first = this.peek();
      let count = 0;
      const start = this.at;
      while (this.is(symbol)) {
        this.take();
        count++;
      }
      const number = this.peek();
      if (symbol === '-' && count === 1 && isNumber(number)) {
        this.at = start;
        break;
      }
      const inner = this.member();
      return count % 2 === 0 ? inner : this.call(first, name, inner);
    }
    return this.member();
  }

  private member(): Expr {
    let node = this.primary();
    for (;;) {
      if (this.is('.')) node = this.limited(this.selection(node), [node]);
      else if (this.is('[')) {
        const open = this.take();
        const optional = this.is('?') && this.take() !== undefined;
        const index = this.expression();
        this.expect(']');
        node = this.limited(this.call(open, optional ? '_[?_]' : '_[_]', node, index), [node, index]);
      } else return node;
    }
  }

  private selection(operandNode: Expr): Expr {
    const dot = this.take();
    const optional = this.is('?') && this.take() !== undefined;
    const name = this.peek();
    if ((name.kind !== 'ident' && name.kind !== 'quoted') || name.text === 'in') this.noField(name);
    if (name.kind === 'quoted') this.issue(name, "unsupported syntax: '`'");
    this.take();
    const field = name.kind === 'quoted' ? name.text.slice(1, -1) : name.text;
    if (optional) {
      const literal: Expr = { kind: 'literal', at: name.at, value: field };
      return this.call(dot, '_?._', operandNode, literal);
    }
    if (this.is('(')) {
      const open = this.take();
      return this.finishCall(
        open,
        field,
        operandNode,
        this.list(')', () => this.expression()),
      );
    }
    return { kind: 'select', at: dot.at, operand: operandNode, field, test: false };
  }

  private noField(token: CelToken): never {
    const literal = token.kind === 'literal' && typeof token.value !== 'string' && /^[a-z]+$/.test(token.text);
    const word = literal || token.text === 'in';
    const text = token.kind === 'end' ? '' : token.text;
    return this.fail(
      token,
      word ? `mismatched input '${text}' expecting IDENTIFIER` : `no viable alternative at input '.${text}'`,
    );
  }

  private finishCall(open: CelToken, name: string, target: Expr | undefined, args: readonly Expr[]): Expr {
    const expanded = expandMacro({ at: open.at, name, target, args }, issue => this.issues.push(issue));
    return expanded ?? { kind: 'call', at: open.at, name, target, args };
  }

  /** Parses items up to the closing symbol, inclusive; in literals a comma may follow the last item. */
  private list<T>(close: string, item: () => T, trailing = false): T[] {
    const out: T[] = [];
    this.first = { at: this.at, besides: trailing ? `${close},?` : close };
    while (!this.is(close)) {
      out.push(item());
      if (!this.is(',')) break;
      this.take();
      if (!trailing && this.is(close)) this.fail(this.peek(), `extraneous input '${close}' expecting ${operands()}`);
    }
    this.expect(close);
    return out;
  }

  private primary(): Expr {
    const token = this.peek();
    if (token.kind === 'literal') return this.literal(this.take(), false);
    if (this.is('-') && isNumber(this.peek(1))) {
      const minus = this.take();
      return this.literal({ ...this.take(), at: minus.at }, true);
    }
    if (this.is('(')) {
      this.take();
      const inner = this.expression();
      this.expect(')');
      return inner;
    }
    if (this.is('[')) return this.listLiteral(this.take());
    if (this.is('{')) return this.mapLiteral(this.take());
    if (this.is('.')) this.take();
    const name = this.peek();
    if (name.kind !== 'ident' || name.text === 'in') return this.unexpected(name);
    if (this.startsMessage()) return this.message();
    this.take();
    const isReserved = reserved.has(name.text);
    if (isReserved) this.issue(name, `reserved identifier: ${name.text}`);
    if (this.is('(')) {
      const open = this.take();
      return this.finishCall(
        open,
        name.text,
        undefined,
        this.list(')', () => this.expression()),
      );
    }
    if (isReserved) return { kind: 'literal', at: name.at, value: null };
    return { kind: 'ident', at: name.at, name: name.text };
  }

  /** Returns whether a message literal follows: `a.b.C{`. */
  private startsMessage(): boolean {
    let ahead = 1;
    while (this.peek(ahead).text === '.' && this.peek(ahead + 1).kind === 'ident') ahead += 2;
    return this.peek(ahead).kind === 'symbol' && this.peek(ahead).text === '{';
  }

  /** Parses a message literal. Whether its type exists is checked later. */
  private message(): Expr {
    const names = [this.take().text];
    while (this.is('.')) {
      this.take();
      names.push(this.take().text);
    }
    const open = this.expect('{');
    const fields = this.list(
      '}',
      (): StructField => {
        const optional = this.is('?') && this.take() !== undefined;
        const field = this.peek();
        if (field.kind !== 'ident' && field.kind !== 'quoted')
          this.fail(field, `mismatched input '${field.text}' expecting {IDENTIFIER, ESC_IDENTIFIER}`);
        this.take();
        const { at } = this.expect(':');
        const name = field.kind === 'quoted' ? field.text.slice(1, -1) : field.text;
        return { at, name, value: this.expression(), optional };
      },
      true,
    );
    return { kind: 'struct', at: open.at, name: names.join('.'), fields };
  }

  /** Reports a token that begins no operand, and skips it when an operand follows. */
  private unexpected(token: CelToken): Expr {
    const next = this.peek(1);
    const besides = this.first?.at === this.at ? this.first.besides : '';
    const starts =
      next.kind === 'literal' || next.kind === 'ident' || (next.kind === 'symbol' && '[{(.-!'.includes(next.text));
    if (token.kind !== 'end' && starts) {
      this.issue(token, `Syntax error: extraneous input '${token.text}' expecting ${operands(besides)}`);
      this.take();
      return this.primary();
    }
    this.issue(token, `Syntax error: mismatched input '${token.text}' expecting ${operands(besides)}`);
    if (token.kind !== 'end' && next.kind === 'end')
      this.issue(next, `Syntax error: mismatched input '<EOF>' expecting ${operands()}`);
    throw new SyntaxFault();
  }

  private literal(token: CelToken, negative: boolean): Expr {
    let value = token.value as Constant;
    if (typeof value === 'bigint') {
      if (negative) value = -value;
      else if (value === 2n ** 63n) this.issue(token, 'invalid int literal');
    } else if (negative && typeof value === 'number') value = -value;
    return { kind: 'literal', at: token.at, value };
  }

  private listLiteral(open: CelToken): Expr {
    const optional = new Set<number>();
    let count = 0;
    const item = (): Expr => {
      if (this.is('?') && this.take()) optional.add(count);
      count++;
      return this.expression();
    };
    return { kind: 'list', at: open.at, items: this.list(']', item, true), optional };
  }

  private mapLiteral(open: CelToken): Expr {
    const entry = (): MapEntry => {
      const optional = this.is('?') && this.take() !== undefined;
      const key = this.expression();
      this.expect(':');
      return { key, value: this.expression(), optional };
    };
    return { kind: 'map', at: open.at, entries: this.list('}', entry, true) };
  }
}

const isNumber = (token: CelToken): boolean =>
  token.kind === 'literal' && (typeof token.value === 'bigint' || typeof token.value === 'number');

const maxLength = 100_000;

/** Returns the tree of an expression, or its issues. */
export function parse(source: string): { readonly node: Expr } | { readonly issues: readonly Issue[] } {
  const size = source.length > maxLength ? runeCount(source) : 0;
  if (size > maxLength)
    return { issues: [{ at: 0, text: `expression code point size exceeds limit: size: ${size}, limit ${maxLength}` }] };
  const parser = new Parser(source);
  const node = parser.isTooLong ? undefined : parser.document();
  return node && parser.issues.length === 0 ? { node } : { issues: parser.issues };
}
