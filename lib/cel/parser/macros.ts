/** Macros: calls that the parser expands into comprehensions. as cel-go parser/macro.go, ext/comprehensions.go, ext/bindings.go */
import { type Issue, type Expr, accumulator } from './ast.js';

interface MacroCall {
  readonly at: number;
  readonly name: string;
  readonly target: Expr | undefined;
  readonly args: readonly Expr[];
}

type Report = (issue: Issue) => void;

const literal = (at: number, value: boolean | bigint): Expr => ({ kind: 'literal', at, value });
const ident = (at: number, name: string): Expr => ({ kind: 'ident', at, name });
const call = (at: number, name: string, ...args: readonly Expr[]): Expr => ({
  kind: 'call',
  at,
  name,
  target: undefined,
  args,
});
const list = (at: number, ...items: readonly Expr[]): Expr => ({ kind: 'list', at, items, optional: new Set() });
const accu = (at: number): Expr => ident(at, accumulator);

interface Fold {
  readonly init: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

function fold(m: MacroCall, vars: readonly string[], parts: Fold): Expr {
  const [iter = '', iter2] = vars;
  return { kind: 'fold', at: m.at, range: m.target as Expr, iter, iter2, accu: accumulator, ...parts };
}

const all = (at: number, predicate: Expr): Fold => ({
  init: literal(at, true),
  condition: call(at, '@not_strictly_false', accu(at)),
  step: call(at, '_&&_', accu(at), predicate),
  result: accu(at),
});

const exists = (at: number, predicate: Expr): Fold => ({
  init: literal(at, false),
  condition: call(at, '@not_strictly_false', call(at, '!_', accu(at))),
  step: call(at, '_||_', accu(at), predicate),
  result: accu(at),
});

const existsOne = (at: number, predicate: Expr): Fold => ({
  init: literal(at, 0n),
  condition: literal(at, true),
  step: call(at, '_?_:_', predicate, call(at, '_+_', accu(at), literal(at, 1n)), accu(at)),
  result: call(at, '_==_', accu(at), literal(at, 1n)),
});

/** Accumulates a list, optionally filtered. */
function gather(at: number, item: Expr, filter?: Expr): Fold {
  const push = call(at, '_+_', accu(at), list(at, item));
  return {
    init: list(at),
    condition: literal(at, true),
    step: filter ? call(at, '_?_:_', filter, push, accu(at)) : push,
    result: accu(at),
  };
}

/** Accumulates a map, optionally filtered. */
function gatherMap(at: number, entries: readonly Expr[], filter?: Expr): Fold {
  const insert = call(at, 'cel.@mapInsert', accu(at), ...entries);
  return {
    init: { kind: 'map', at, entries: [] },
    condition: literal(at, true),
    step: filter ? call(at, '_?_:_', filter, insert, accu(at)) : insert,
    result: accu(at),
  };
}

/** Returns the names of iteration variables; undefined, after reporting an issue, when an argument is no simple name. */
function names(args: readonly Expr[], report: Report, text = 'argument must be a simple name'): string[] | undefined {
  const out: string[] = [];
  for (const arg of args) {
    if (arg.kind !== 'ident') {
      report({ at: arg.at, text });
      return undefined;
    }
    if (arg.name === accumulator) {
      report({ at: arg.at, text: 'iteration variable overwrites accumulator variable' });
      return undefined;
    }
    out.push(arg.name);
  }
  if (out.length === 2 && out[0] === out[1])
    report({ at: args[1]?.at ?? 0, text: `duplicate variable name: ${out[0]}` });
  return out;
}

type Make = (m: MacroCall, body: readonly Expr[]) => Fold;

const body = (nodes: readonly Expr[], i: number): Expr => nodes[i] as Expr;

/** Macros on ranges: the number of variables and of other arguments, and the expansion. */
const rangeMacros: readonly (readonly [name: string, variables: number, others: number, make: Make])[] = [
  ['all', 1, 1, (m, b) => all(m.at, body(b, 0))],
  ['exists', 1, 1, (m, b) => exists(m.at, body(b, 0))],
  ['exists_one', 1, 1, (m, b) => existsOne(m.at, body(b, 0))],
  ['existsOne', 1, 1, (m, b) => existsOne(m.at, body(b, 0))],
  ['map', 1, 1, (m, b) => gather(m.at, body(b, 0))],
  ['map', 1, 2, (m, b) => gather(m.at, body(b, 1), body(b, 0))],
  ['all', 2, 1, (m, b) => all(m.at, body(b, 0))],
  ['exists', 2, 1, (m, b) => exists(m.at, body(b, 0))],
  ['exists_one', 2, 1, (m, b) => existsOne(m.at, body(b, 0))],
  ['existsOne', 2, 1, (m, b) => existsOne(m.at, body(b, 0))],
  ['transformList', 2, 1, (m, b) => gather(m.at, body(b, 0))],
  ['transformList', 2, 2, (m, b) => gather(m.at, body(b, 1), body(b, 0))],
  ['transformMapEntry', 2, 1, (m, b) => gatherMap(m.at, [body(b, 0)])],
  ['transformMapEntry', 2, 2, (m, b) => gatherMap(m.at, [body(b, 1)], body(b, 0))],
];

function has(m: MacroCall, report: Report): Expr | undefined {
  const [arg] = m.args;
  if (m.target || m.args.length !== 1 || !arg) return undefined;
  if (arg.kind === 'select' && !arg.test) return { ...arg, at: m.at, test: true };
  report({ at: arg.at, text: 'invalid argument to has() macro' });
  return literal(m.at, false);
}

/** Expands `cel.bind(name, value, result)` to a comprehension over an empty list, with the name as its accumulator. */
function bind(m: MacroCall, report: Report): Expr | undefined {
  const [name, value, result] = m.args;
  if (m.target?.kind !== 'ident' || m.target.name !== 'cel' || m.args.length !== 3 || !name || !value || !result)
    return undefined;
  if (name.kind !== 'ident') {
    report({ at: name.at, text: 'cel.bind() variable names must be simple identifiers' });
    return literal(m.at, false);
  }
  return bound(m.at, name.name, value, result);
}

function bound(at: number, name: string, value: Expr, result: Expr): Expr {
  return {
    kind: 'fold',
    at,
    range: list(at),
    iter: '#unused',
    iter2: undefined,
    accu: name,
    init: value,
    condition: literal(at, false),
    step: ident(at, name),
    result,
  };
}

/** Expands `opt.optMap(v, expr)`: none, or the expression applied to the value. */
function optionalMap(m: MacroCall, report: Report): Expr | undefined {
  const [name, expression] = m.args;
  if (!m.target || m.args.length !== 2 || !name || !expression) return undefined;
  const found = names([name], report, `${m.name}() variable name must be a simple identifier`);
  if (!found) return literal(m.at, false);
  const method = (target: Expr, method_: string): Expr => ({ kind: 'call', at: m.at, name: method_, target, args: [] });
  const value = bound(m.at, found[0] ?? '', method(m.target, 'value'), expression);
  const some = m.name === 'optMap' ? call(m.at, 'optional.of', value) : value;
  return call(m.at, '_?_:_', method(m.target, 'hasValue'), some, call(m.at, 'optional.none'));
}

/** Expands `list.sortBy(v, key)`: the list in the order of the keys. */
function sortBy(m: MacroCall, report: Report): Expr | undefined {
  const [name, key] = m.args;
  if (!m.target || m.args.length !== 2 || !name || !key) return undefined;
  const found = names([name], report);
  if (!found) return literal(m.at, false);
  const input = '@__sortBy_input__';
  const keys = fold({ ...m, target: ident(m.at, input) }, found, gather(m.at, key));
  const sorted: Expr = {
    kind: 'call',
    at: m.at,
    name: '@sortByAssociatedKeys',
    target: ident(m.at, input),
    args: [keys],
  };
  return bound(m.at, input, m.target, sorted);
}

const filter: Make = (m, b) =>
  gather(m.at, ident(m.at, (m.args[0] as Extract<Expr, { kind: 'ident' }>).name), body(b, 0));
const transformMap: Make = (m, b) => {
  const key = ident(m.at, (m.args[0] as Extract<Expr, { kind: 'ident' }>).name);
  return gatherMap(m.at, [key, body(b, b.length - 1)], b.length === 2 ? body(b, 0) : undefined);
};

/** Returns the expansion of a macro call; undefined for other calls. */
export function expandMacro(m: MacroCall, report: Report): Expr | undefined {
  if (m.name === 'has') return has(m, report);
  if (m.name === 'bind') return bind(m, report);
  if (m.name === 'optMap' || m.name === 'optFlatMap') return optionalMap(m, report);
  if (m.name === 'sortBy') return sortBy(m, report);
  if (!m.target) return undefined;
  const more: typeof rangeMacros = [
    ['filter', 1, 1, filter],
    ['transformMap', 2, 1, transformMap],
    ['transformMap', 2, 2, transformMap],
  ];
  for (const [name, variables, others, make] of [...rangeMacros, ...more]) {
    if (name !== m.name || m.args.length !== variables + others) continue;
    const text = name === 'map' || name === 'filter' ? 'argument is not an identifier' : undefined;
    const vars = names(m.args.slice(0, variables), report, text);
    return vars ? fold(m, vars, make(m, m.args.slice(variables))) : literal(m.at, false);
  }
  return undefined;
}
