/** Validates the constants of an expression that is otherwise valid. as cel-go cel/validator.go */
import { goRegexp } from '../../regexp/go-regexp.js';
import type { Steps } from '../../steps.js';
import type { Issue, Constant, ListNode, MapNode, Expr } from '../parser/ast.js';
import type { Checked } from './check.js';
import { formatFault } from '../library/format.js';
import { checkDuration, checkTime } from '../library/standard.js';
import { parseDuration, parseTimestamp } from '../time.js';
import { type Type, dyn, identical, typeText } from '../types.js';
import { CelError } from '../values.js';

function fails(run: () => unknown): boolean {
  try {
    run();
    return false;
  } catch (error) {
    if (error instanceof CelError) return true;
    throw error;
  }
}

/** Functions whose first argument, if constant, must have a certain form. */
const formats: Readonly<Record<string, (value: Constant, steps: Steps) => boolean>> = {
  duration: value =>
    !fails(() =>
      typeof value === 'string' ? parseDuration(value) : typeof value === 'bigint' && checkDuration(value),
    ),
  timestamp: value =>
    !fails(() =>
      typeof value === 'string'
        ? parseTimestamp(value)
        : typeof value === 'bigint' && checkTime(value * 1_000_000_000n),
    ),
  matches: (value, steps) => typeof value !== 'string' || 'test' in goRegexp(value, steps),
};

function childrenOf(node: Expr): readonly Expr[] {
  switch (node.kind) {
    case 'select':
      return [node.operand];
    case 'call':
      return node.target ? [node.target, ...node.args] : node.args;
    case 'list':
      return node.items;
    case 'map':
      return node.entries.flatMap(({ key, value }) => [key, value]);
    case 'struct':
      return node.fields.map(({ value }) => value);
    case 'fold':
      return [node.range, node.init, node.condition, node.step, node.result];
    default:
      return [];
  }
}

/** Calls `visit` once for a node and each of its descendants; `exempt` is true below calls of `format`, which takes mixed lists. */
function walk(root: Expr, visit: (node: Expr, exempt: boolean) => void): void {
  const seen = new Set<Expr>();
  const go = (node: Expr, exempt: boolean): void => {
    if (seen.has(node)) return;
    seen.add(node);
    visit(node, exempt);
    const below = exempt || (node.kind === 'call' && node.name === 'format');
    for (const child of childrenOf(node)) go(child, below);
  };
  go(root, false);
}

/** Returns issues for items of different types in a literal. */
function mixed(node: ListNode | MapNode, checked: Checked): Issue[] {
  const typeOf = (one: Expr, optional: boolean): Type => {
    const type = checked.types.get(one) ?? dyn;
    return optional && type.kind === 'optional' ? type.item : type;
  };
  const differing = (nodes: readonly Expr[], optional: (i: number) => boolean, all: boolean): Issue[] => {
    const [first] = nodes;
    const wanted = first && typeOf(first, optional(0));
    const issues = nodes.flatMap((one, i) => {
      const found = typeOf(one, optional(i));
      if (!wanted || identical(wanted, found)) return [];
      return [{ at: one.at, text: `expected type '${typeText(wanted)}' but found '${typeText(found)}'` }];
    });
    return all ? issues : issues.slice(0, 1);
  };
  if (node.kind === 'list') return differing(node.items, i => node.optional.has(i), false);
  const keys = node.entries.map(entry => entry.key);
  const values = node.entries.map(entry => entry.value);
  return [...differing(keys, () => false, true), ...differing(values, i => node.entries[i]?.optional ?? false, true)];
}

/** Returns issues for a constant format and its arguments. */
function formatIssues(node: Extract<Expr, { kind: 'call' }>, checked: Checked): Issue[] {
  const { target, args } = node;
  const [values] = args;
  if (node.name !== 'format' || target?.kind !== 'literal' || typeof target.value !== 'string') return [];
  if (args.length !== 1 || values?.kind !== 'list') return [];
  const fault = formatFault(
    target.value,
    values.items.map(item => checked.types.get(item) ?? dyn),
  );
  if (!fault) return [];
  const argument = fault.argument === undefined ? undefined : values.items[fault.argument];
  return [{ at: (argument ?? node).at, text: fault.message }];
}

/** Returns the issues of constants. `steps` counts the compilation of regular expressions. */
export function literalIssues(root: Expr, checked: Checked, steps: Steps): Issue[] {
  const issues: Issue[] = [];
  walk(root, (node, exempt) => {
    if (node.kind === 'list' || node.kind === 'map') {
      if (!exempt) issues.push(...mixed(node, checked));
      return;
    }
    if (node.kind !== 'call') return;
    issues.push(...formatIssues(node, checked));
    if (!Object.hasOwn(formats, node.name)) return;
    const [argument] = node.args;
    if (argument?.kind === 'literal' && !formats[node.name]?.(argument.value, steps))
      issues.push({ at: argument.at, text: `invalid ${node.name} argument` });
  });
  return issues;
}

/** Returns the error of a constant regular expression of a search, which makes the expression fail when it is compiled. */
export function regexError(root: Expr, steps: Steps): string | undefined {
  let found: string | undefined;
  walk(root, node => {
    if (node.kind !== 'call' || !node.target || (node.name !== 'find' && node.name !== 'findAll')) return;
    const [pattern] = node.args;
    if (pattern?.kind !== 'literal' || typeof pattern.value !== 'string') return;
    const regexp = goRegexp(pattern.value, steps);
    if ('error' in regexp) found ??= regexp.error;
  });
  return found;
}
