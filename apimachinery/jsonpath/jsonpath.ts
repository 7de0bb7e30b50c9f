/**
 * Evaluates Kubernetes' JSONPath, which printer columns, kubectl and Karmada's rules use: `{.items[*].metadata.name}`.
 * as client-go/util/jsonpath
 */
import { goJson, goNumber, sortKeys } from '../../lib/go/go-text.js';
import { isInt64, isNumeric } from '../../lib/json/json.js';
import { JsonPathError, type PathList, type PathNode, parseTemplate } from './jsonpath-parse.js';
import { isMap } from '../../lib/json/is-map.js';

export { JsonPathError };

interface JsonPath {
  /** Returns one list of values per text or action of the template. Throws JsonPathError. */
  find(data: unknown): unknown[][];
  /** Returns the template filled in, with the values of an action separated by spaces. Throws JsonPathError. */
  print(data: unknown): string;
}

interface JsonPathOptions {
  /** Missing keys have no values, instead of being errors. */
  readonly allowMissingKeys?: boolean;
}

interface Context {
  readonly lenient: boolean;
}

type Values = unknown[];

/** Returns the type of decoded JSON in Go, for texts of errors. */
function goType(value: unknown): string {
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'object') return 'map[string]interface {}';
  if (isNumeric(value)) return isInt64(value) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : 'string';
}

function evalField(input: Values, name: string, c: Context): Values {
  const out: Values = [];
  for (const value of input) if (isMap(value) && Object.hasOwn(value, name)) out.push(value[name]);
  if (out.length === 0 && input.length > 0 && !c.lenient) throw new JsonPathError(`${name} is not found`);
  return out;
}

function evalSlice(input: Values, node: Extract<PathNode, { type: 'slice' }>): Values {
  const out: Values = [];
  const [first, second, third] = node.bounds;
  for (const value of input) {
    if (value == null) continue;
    if (!Array.isArray(value)) throw new JsonPathError(`${goType(value)} is not array or slice`);
    const length = value.length;
    const from = first.value < 0 ? first.value + length : first.known ? first.value : 0;
    let to = second.known ? second.value : length;
    if (to < 0 || (to === 0 && second.derived)) to += length;
    if (to === from) return out;
    for (const [bad, at] of [
      [from >= length || from < 0, from],
      [to > length || to < 0, to - 1],
    ] as const)
      if (bad) throw new JsonPathError(`array index out of bounds: index ${at}, length ${length}`);
    if (from > to) throw new JsonPathError(`starting index ${from} is greater than ending index ${to}`);
    if (third.known && third.value <= 0) throw new JsonPathError('step must be > 0');
    for (let i = from; i < to; i += third.known ? third.value : 1) out.push(value[i]);
  }
  return out;
}

function inner(value: unknown): Values {
  if (Array.isArray(value)) return value as Values;
  return isMap(value) ? Object.values(value) : [];
}

function evalRecursive(input: Values): Values {
  const out: Values = [];
  for (const value of input) {
    const within = inner(value);
    if (within.length > 0 || (typeof value === 'string' && value !== '')) out.push(value);
    if (within.length > 0) out.push(...evalRecursive(within));
  }
  return out;
}

const isComparable = (kind: string): boolean => ['number', 'string', 'boolean'].includes(kind);

function sameKind(a: unknown, b: unknown): string {
  const kinds = [a, b].map(v => (typeof v === 'bigint' ? 'number' : typeof v));
  const [kind = '', other] = kinds;
  if (!kinds.every(isComparable)) throw new JsonPathError('invalid type for comparison');
  if (kind !== other) throw new JsonPathError('incompatible types for comparison');
  return kind;
}

function compare(a: unknown, b: unknown, operator: string): boolean {
  const kind = sameKind(a, b);
  if (operator === '==') return a === b;
  if (operator === '!=') return a !== b;
  if (!['<', '>', '<=', '>='].includes(operator)) throw new JsonPathError(`unrecognized filter operator ${operator}`);
  if (kind === 'boolean') throw new JsonPathError('invalid type for comparison');
  const [x, y] = [a as number, b as number];
  if (operator.startsWith('<')) return operator === '<' ? x < y : x <= y;
  return operator === '>' ? x > y : x >= y;
}

/** Returns the value of an operand of a comparison; undefined if there is none. */
function operand(values: Values): { readonly value: unknown } | undefined {
  if (values.length > 1) throw new JsonPathError('can only compare one element at a time');
  return values.length === 0 ? undefined : { value: values[0] };
}

function evalFilter(input: Values, node: Extract<PathNode, { type: 'filter' }>, c: Context): Values {
  const out: Values = [];
  for (const value of input) {
    if (!Array.isArray(value)) {
      const shown = isMap(value) ? goJson(value) : String(value);
      throw new JsonPathError(`${shown} is not array or slice and cannot be filtered`);
    }
    for (const item of value as Values) {
      if (node.operator === 'exists') {
        if (evalList([item], node.left, { ...c, lenient: true }).length > 0) out.push(item);
        continue;
      }
      const left = operand(evalList([item], node.left, c));
      const right = left && operand(evalList([item], node.right, c));
      if (left && right && compare(left.value, right.value, node.operator)) out.push(item);
    }
  }
  return out;
}

function evalNode(input: Values, node: PathNode, c: Context): Values {
  switch (node.type) {
    case 'list':
      return evalList(input, node, c);
    case 'text':
      return [node.text];
    case 'literal':
      return input.map(() => node.value);
    case 'field':
      return evalField(input, node.name, c);
    case 'slice':
      return evalSlice(input, node);
    case 'filter':
      return evalFilter(input, node, c);
    case 'wildcard':
      return input.flatMap(inner);
    case 'recursive':
      return evalRecursive(input);
    case 'union':
      return node.parts.flatMap(part => evalList(input, part, c));
    case 'word':
      if (node.name === 'range') return input;
      throw new JsonPathError(`unrecognized identifier ${node.name}`);
  }
}

function evalList(input: Values, list: PathList, c: Context): Values {
  return list.nodes.reduce((values, node) => evalNode(values, node, c), input);
}

// --- ranges ---------------------------------------------------------------------------------------------------

/** A node of a template as a tree. The steps between `{range ...}` and `{end}` are the body, which is repeated for each value. */
type Step = { readonly node: PathNode } | { readonly range: PathNode; readonly body: readonly Step[] };

const hasWord = (node: PathNode, word: string): boolean =>
  node.type === 'list' && node.nodes.some(n => n.type === 'word' && n.name === word);

function nest(nodes: readonly PathNode[]): Step[] {
  const root: Step[] = [];
  const open: Step[][] = [];
  let current = root;
  for (const node of nodes) {
    if (hasWord(node, 'end')) {
      const outer = open.pop();
      if (!outer) throw new JsonPathError('not in range, nothing to end');
      current = outer;
    } else if (hasWord(node, 'range')) {
      const body: Step[] = [];
      current.push({ range: node, body });
      open.push(current);
      current = body;
    } else current.push({ node });
  }
  return root;
}

function run(steps: readonly Step[], data: unknown, c: Context): unknown[][] {
  return steps.flatMap(step => {
    if ('node' in step) return [evalNode([data], step.node, c)];
    return evalNode([data], step.range, c).flatMap(value => run(step.body, value, c));
  });
}

// --- printing -------------------------------------------------------------------------------------------------

/** Returns a value as text: scalars without quotes, everything else as JSON with sorted keys. */
export function jsonPathText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (isNumeric(value)) return goNumber(value);
  if (typeof value === 'boolean') return String(value);
  return goJson(sortKeys(value ?? null));
}

/** Parses a template. Throws JsonPathError with upstream's text. */
export function parseJsonPath(template: string, options: JsonPathOptions = {}): JsonPath {
  const steps = nest(parseTemplate(template));
  const context: Context = { lenient: options.allowMissingKeys ?? false };
  const find = (data: unknown): unknown[][] => run(steps, data, context);
  return {
    find,
    print: data =>
      find(data)
        .map(values => values.map(jsonPathText).join(' '))
        .join(''),
  };
}

/** Parses the path of a printer column, without braces (`.spec.replicas`). Missing keys have no values. Throws JsonPathError. */
export function parsePath(path: string): (data: unknown) => unknown[] {
  const compiled = parseJsonPath(`{${path}}`, { allowMissingKeys: true });
  return data => compiled.find(data)[0] ?? [];
}
