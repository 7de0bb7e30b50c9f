/** Whether a text is Lua 5.1, with goto. Errors are where, and as, the Lua that Karmada runs reports them. */
// as the grammar of github.com/yuin/gopher-lua/parse
import { LuaError, luaTokens, type Token } from './tokens.js';

/** Deeper than any script by hand. differs: upstream goes on until its memory ends. */
const deepest = 200;

const constants: ReadonlySet<string> = new Set(['nil', 'false', 'true', '...']);
const unary: ReadonlySet<string> = new Set(['-', 'not', '#']);
const binary: ReadonlySet<string> = new Set([
  ...['or', 'and', '>', '<', '>=', '<=', '==', '~=', '..', '+', '-', '*', '/', '%', '^'],
]);

/** What an expression with brackets, fields and calls ends as. */
type Form = 'variable' | 'call' | 'other';

interface Scope {
  readonly loops: number;
  readonly hasVarargs: boolean;
}

/** What is wrong with a script, with a line end behind it; undefined when it compiles. */
export function luaSyntaxError(source: string): string | undefined {
  try {
    return check(source);
  } catch (error) {
    if (error instanceof LuaError) return error.message;
    throw error;
  }
}

function check(source: string): string | undefined {
  const tokens = luaTokens(source);
  let token: Token = tokens.next();
  /** What is good grammar, and cannot be compiled: told when all else is well. */
  let misuse: string | undefined;
  let depth = 0;

  // --- tokens -----------------------------------------------------------------------------------------------

  const advance = (): void => {
    token = tokens.next();
  };
  const is = (word: string): boolean => token.type === 'word' && token.text === word;
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

  // --- expressions ------------------------------------------------------------------------------------------

  function list(item: () => void): void {
    do item();
    while (accept(','));
  }

  const names = (): void => list(name);
  const expressions = (scope: Scope): void => list(() => expression(scope));

  const startsExpression = (): boolean =>
    token.type === 'word'
      ? constants.has(token.text) || unary.has(token.text) || ['function', '(', '{'].includes(token.text)
      : token.type !== 'end of file';

  function expression(scope: Scope): void {
    within(() => {
      for (;;) {
        while (token.type === 'word' && unary.has(token.text)) advance();
        operand(scope);
        if (token.type !== 'word' || !binary.has(token.text)) return;
        advance();
      }
    });
  }

  function operand(scope: Scope): void {
    if (token.type === 'number' || token.type === 'string') return advance();
    if (is('{')) return table(scope);
    if (accept('function')) return functionBody();
    if (is('...') && !scope.hasVarargs) misused("cannot use '...' outside a vararg function");
    if (token.type === 'word' && constants.has(token.text)) return advance();
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
    const wasName = token.type === 'name';
    const before = token;
    expression(scope);
    // A name alone may turn out to be a key.
    if (wasName && is('=') && lastName === before) {
      advance();
      expression(scope);
    }
  }

  /** The token of the expression that was read last, when it was nothing but a name. */
  let lastName: Token | undefined;

  /** A name or something in parentheses, and what follows it. */
  function prefixed(scope: Scope): Form {
    return within(() => {
      let form: Form = 'variable';
      lastName = undefined;
      if (token.type === 'name') {
        const first = token;
        advance();
        lastName = first;
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
    const plain = token.type === 'name' || is('(');
    let form: Form = 'other';
    if (plain) {
      form = prefixed(scope);
      if (token.type === 'word' && binary.has(token.text)) {
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

  const isArguments = (): boolean => token.type === 'string' || is('{') || is('(');

  function callArguments(scope: Scope): void {
    if (token.type === 'string') return advance();
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

  // --- statements -------------------------------------------------------------------------------------------

  function block(scope: Scope): void {
    within(() => {
      while (token.type !== 'end of file') {
        if (accept(';')) continue;
        if (is('return') || is('break')) return lastStatement(scope);
        if (!statement(scope)) return;
      }
    });
  }

  function lastStatement(scope: Scope): void {
    if (is('break') && scope.loops === 0) misused('no loop to break');
    const returns = is('return');
    advance();
    if (returns && startsExpression()) expressions(scope);
    accept(';');
  }

  function loop(scope: Scope): void {
    expect('do');
    block({ ...scope, loops: scope.loops + 1 });
    expect('end');
  }

  const statements: Readonly<Record<string, (scope: Scope) => void>> = {
    do(scope) {
      block(scope);
      expect('end');
    },
    while(scope) {
      expression(scope);
      loop(scope);
    },
    repeat(scope) {
      block({ ...scope, loops: scope.loops + 1 });
      expect('until');
      expression(scope);
    },
    if(scope) {
      do {
        expression(scope);
        expect('then');
        block(scope);
      } while (accept('elseif'));
      if (accept('else')) block(scope);
      expect('end');
    },
    for(scope) {
      name();
      if (accept('=')) {
        expression(scope);
        expect(',');
        expression(scope);
        if (accept(',')) expression(scope);
      } else {
        if (accept(',')) names();
        expect('in');
        expressions(scope);
      }
      loop(scope);
    },
    function() {
      name();
      while (accept('.')) name();
      if (accept(':')) name();
      functionBody();
    },
    local(scope) {
      if (accept('function')) {
        name();
        return functionBody();
      }
      names();
      if (accept('=')) expressions(scope);
    },
    goto: () => name(),
    '::'() {
      name();
      expect('::');
    },
  };

  /** False for what begins no statement. */
  function statement(scope: Scope): boolean {
    const rule = token.type === 'word' && Object.hasOwn(statements, token.text) ? statements[token.text] : undefined;
    if (rule) {
      advance();
      rule(scope);
      return true;
    }
    if (token.type !== 'name' && !is('(')) return false;
    callOrAssignment(scope);
    return true;
  }

  function callOrAssignment(scope: Scope): void {
    const form = prefixed(scope);
    if (form !== 'variable' || (!is('=') && !is(','))) {
      if (form !== 'call') fail('parse error');
      return;
    }
    while (accept(',')) if (prefixed(scope) !== 'variable') fail();
    expect('=');
    expressions(scope);
  }

  block({ loops: 0, hasVarargs: true });
  if (token.type !== 'end of file') fail();
  return misuse;
}
