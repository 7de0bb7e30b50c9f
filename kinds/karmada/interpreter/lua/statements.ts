/** Parses the statements of Lua's grammar. */
import { luaExpressions, type Scope } from './expressions.js';
import type { LuaReader } from './reader.js';

const gotoText = 'goto and labels are not supported: scripts run in Lua 5.1';

/** Reads statements until a token that cannot begin one. */
export function luaBlock(reader: LuaReader): (scope: Scope) => void {
  const { token, advance, is, accept, expect, name, list, within, fail, misused } = reader;
  const { begins, expression, expressions, prefixed, functionBody } = luaExpressions(reader, block);

  function block(scope: Scope): void {
    within(() => {
      while (token().type !== 'end of file') {
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
    if (returns && begins()) expressions(scope);
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
        if (accept(',')) list(name);
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
      list(name);
      if (accept('=')) expressions(scope);
    },
    goto: () => fail(gotoText),
    '::': () => fail(gotoText),
  };

  /** Returns false at a token that begins no statement. */
  function statement(scope: Scope): boolean {
    const { type, text } = token();
    const rule = type === 'word' && Object.hasOwn(statements, text) ? statements[text] : undefined;
    if (rule) {
      advance();
      rule(scope);
      return true;
    }
    if (type !== 'name' && !is('(')) return false;
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

  return block;
}
