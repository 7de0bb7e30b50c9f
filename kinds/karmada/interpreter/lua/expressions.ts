/** Parses the expressions of Lua's grammar. */
import type { LuaReader } from './reader.js';
import type { Token } from './tokens.js';

const constants: ReadonlySet<string> = new Set(['nil', 'false', 'true', '...']);
const unary: ReadonlySet<string> = new Set(['-', 'not', '#']);
const binary: ReadonlySet<string> = new Set([
  ...['or', 'and', '>', '<', '>=', '<=', '==', '~=', '..', '+', '-', '*', '/', '%', '^'],
]);
const first: ReadonlySet<string> = new Set([...constants, ...unary, 'function', '(', '{']);

/** The form of a whole expression with brackets, fields and calls. */
export type Form = 'variable' | 'call' | 'other';

export interface Scope {
  readonly loops: number;
  readonly hasVarargs: boolean;
}

export interface Expressions {
  /** Reports whether an expression can begin here. */
  begins(): boolean;
  expression(scope: Scope): void;
  expressions(scope: Scope): void;
  /** Parses a name or something in parentheses, and what follows it. */
  prefixed(scope: Scope): Form;
  /** Parses the parameters and statements of a function, and its end. */
  functionBody(): void;
}

/** `block` parses the statements of a function. */
export function luaExpressions(reader: LuaReader, block: (scope: Scope) => void): Expressions {
  const { token, advance, is, isOf, accept, expect, name, list, within, fail, misused } = reader;
  /** The token of the last expression, if it was only a name. */
  let lastName: Token | undefined;

  const begins = (): boolean => (token().type === 'word' ? isOf(first) : token().type !== 'end of file');
  const expressions = (scope: Scope): void => list(() => expression(scope));

  function expression(scope: Scope): void {
    within(() => {
      for (;;) {
        while (isOf(unary)) advance();
        operand(scope);
        if (!isOf(binary)) return;
        advance();
      }
    });
  }

  function operand(scope: Scope): void {
    const { type } = token();
    if (type === 'number' || type === 'string') return advance();
    if (is('{')) return table(scope);
    if (accept('function')) return functionBody();
    if (is('...') && !scope.hasVarargs) misused("cannot use '...' outside a vararg function");
    if (isOf(constants)) return advance();
    prefixed(scope);
  }

  function table(scope: Scope): void {
    within(() => {
      expect('{');
      while (!is('}')) {
        field(scope);
        if (!accept(',') && !accept(';')) break;
      }
      expect('}');
    });
  }

  function field(scope: Scope): void {
    if (accept('[')) {
      expression(scope);
      expect(']');
      expect('=');
      return expression(scope);
    }
    const wasName = token().type === 'name';
    const before = token();
    expression(scope);
    // A single name may turn out to be a key.
    if (wasName && is('=') && lastName === before) {
      advance();
      expression(scope);
    }
  }

  /** Parses a name or something in parentheses, and what follows it. */
  function prefixed(scope: Scope): Form {
    return within(() => {
      let form: Form = 'variable';
      lastName = undefined;
      if (token().type === 'name') {
        const begun = token();
        advance();
        lastName = begun;
      } else if (accept('(')) {
        const inner = parenthesized(scope);
        form = inner === 'call' ? 'call' : 'other';
        lastName = undefined;
      } else fail();
      for (let next = suffix(scope); next; next = suffix(scope)) {
        form = next;
        lastName = undefined;
      }
      return form;
    });
  }

  /** A call in parentheses is still a call. */
  function parenthesized(scope: Scope): Form {
    const plain = token().type === 'name' || is('(');
    let form: Form = 'other';
    if (plain) {
      form = prefixed(scope);
      if (isOf(binary)) {
        advance();
        expression(scope);
        form = 'other';
      }
    } else expression(scope);
    expect(')');
    return form;
  }

  function suffix(scope: Scope): Form | undefined {
    if (accept('.')) {
      name();
      return 'variable';
    }
    if (accept('[')) {
      expression(scope);
      expect(']');
      return 'variable';
    }
    if (accept(':')) {
      name();
      if (!isArguments()) fail();
    }
    if (!isArguments()) return undefined;
    callArguments(scope);
    return 'call';
  }

  const isArguments = (): boolean => token().type === 'string' || is('{') || is('(');

  function callArguments(scope: Scope): void {
    if (token().type === 'string') return advance();
    if (is('{')) return table(scope);
    expect('(');
    if (accept(')')) return;
    expressions(scope);
    expect(')');
  }

  function functionBody(): void {
    expect('(');
    let hasVarargs = false;
    while (!is(')')) {
      hasVarargs = accept('...');
      if (hasVarargs) break;
      name();
      if (!is(',')) break;
      advance();
      if (is(')')) fail();
    }
    expect(')');
    block({ loops: 0, hasVarargs });
    expect('end');
  }

  return { begins, expression, expressions, prefixed, functionBody };
}
