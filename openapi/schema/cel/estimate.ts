/** What an expression may cost at most, from the sizes that a schema allows. as cel-go checker/cost.go */
import type { FoldNode, MapNode, Node } from './ast.js';
import { isBinding } from './ast.js';
import type { Checked } from './check.js';
import {
  type Range,
  type Sized,
  factor,
  fixed,
  listCost,
  mapCost,
  objectCost,
  plus,
  times,
  union,
  unknownSize,
  unlimited,
} from './cost-model.js';
import type { Overload } from './function.js';
import type { Type } from './types.js';

type Call = Extract<Node, { kind: 'call' }>;

/** How large the values of a type may be. */
export interface Sizes {
  /** Characters, bytes, items or entries. */
  readonly max: number;
  /** Of the items of a list, or the values of a map. */
  readonly items?: Sizes;
  readonly keys?: Sizes;
  readonly field?: (name: string) => Sizes | undefined;
}

/** The sizes of keys (or places) and items. */
interface Entry {
  readonly container: 'list' | 'map';
  readonly key: Range;
  readonly value: Range;
}

/**
 * Where a value comes from: the sizes there, `lost` where nobody knows them, undefined for what was made by the expression itself.
 * Quirk: what is selected from the latter has the sizes of the variable, since the first part of every path stands for it.
 */
type Path = Sizes | 'lost' | undefined;

interface Local {
  readonly path: Path;
  readonly size: Range | undefined;
  readonly entry: Entry | undefined;
}

interface Estimated {
  readonly cost: Range;
  readonly result?: Range;
}

const nothing = fixed(0);
const one = fixed(1);

function sizeOfLiteral(value: Extract<Node, { kind: 'literal' }>['value']): number {
  if (typeof value === 'string') return [...value].length;
  return value instanceof Uint8Array ? value.length : 1;
}

function sizeOfType(type: Type | undefined): Range | undefined {
  switch (type?.kind) {
    case 'bool':
    case 'double':
    case 'duration':
    case 'int':
    case 'timestamp':
    case 'uint':
      return one;
    case 'optional':
      return sizeOfType(type.item);
    default:
      return undefined;
  }
}

const unite = (a: Entry | undefined, b: Entry | undefined): Entry | undefined =>
  a && b && { container: a.container, key: union(a.key, b.key), value: union(a.value, b.value) };

/** The range that covers all of some; of none it is nothing. */
const cover = (ranges: readonly Range[]): Range => ranges.reduce((a, b) => union(a, b), ranges[0] ?? nothing);

const sum = (ranges: readonly Range[]): Range => ranges.reduce(plus, nothing);

class Estimator {
  private readonly checked: Checked;
  private readonly variables: (name: string) => Sizes | undefined;
  private readonly paths = new Map<Node, Path>();
  private readonly sizes = new Map<Node, Range>();
  private readonly entries = new Map<Node, Entry>();
  private readonly locals = new Map<string, Local[]>();

  constructor(checked: Checked, variables: (name: string) => Sizes | undefined) {
    this.checked = checked;
    this.variables = variables;
  }

  cost(node: Node): Range {
    switch (node.kind) {
      case 'literal':
        return nothing;
      case 'ident':
        return this.ident(node, node.name);
      case 'select':
        return this.select(node);
      case 'call':
        return this.call(node);
      case 'list': {
        const costs = node.items.map(item => this.cost(item));
        const value = cover(node.items.map(item => this.size(item) ?? unknownSize));
        this.entries.set(node, { container: 'list', key: one, value });
        return plus(sum(costs), fixed(listCost));
      }
      case 'map':
        return this.map(node);
      case 'struct':
        return plus(sum(node.fields.map(({ value }) => this.cost(value))), fixed(objectCost));
      case 'fold':
        return isBinding(node) ? this.binding(node) : this.fold(node);
    }
  }

  private ident(node: Node, name: string): Range {
    const local = this.local(name);
    this.paths.set(node, local ? local.path : (this.variables(name) ?? 'lost'));
    return one;
  }

  private select(node: Extract<Node, { kind: 'select' }>): Range {
    const variable = this.checked.names.get(node);
    if (variable !== undefined) return this.ident(node, variable);
    const operand = this.cost(node.operand);
    if (node.test) return operand;
    this.paths.set(
      node,
      this.below(this.path(node.operand), sizes => sizes.field?.(node.field)),
    );
    const type = this.checked.types.get(node.operand)?.kind;
    return type === 'map' || type === 'object' || type === 'opaque' ? plus(operand, one) : operand;
  }

  private map(node: MapNode): Range {
    const costs = node.entries.flatMap(({ key, value }) => [this.cost(key), this.cost(value)]);
    const key = cover(node.entries.map(entry => this.size(entry.key) ?? unknownSize));
    const value = cover(node.entries.map(entry => this.size(entry.value) ?? unknownSize));
    this.entries.set(node, { container: 'map', key, value });
    return plus(sum(costs), fixed(mapCost));
  }

  // --- calls ----------------------------------------------------------------------------------------------------

  private call(node: Call): Range {
    const { args } = node;
    const name = this.checked.names.get(node) ?? node.name;
    const target = this.checked.names.has(node) ? undefined : node.target;
    if (name === 'dyn' && !target && args[0]) {
      const cost = plus(one, this.cost(args[0]));
      this.copy(node, args[0]);
      return cost;
    }
    const costs = args.map(arg => this.cost(arg));
    const own = target ? this.cost(target) : nothing;
    const sized = [...(target ? [target] : []), ...args].map(arg => this.sized(arg));
    const overloads = this.checked.overloads.get(node) ?? [];
    // An optional field counts as a call.
    if (node.name === '_?._') return plus(sum(costs), one);
    let result: Range | undefined;
    const found: Range[] = [];
    for (const overload of overloads) {
      const estimated = this.overload(node, overload, sized, costs);
      found.push(estimated.cost);
      if (estimated.result) result = result ? union(result, estimated.result) : estimated.result;
      result = this.index(node, overload, result) ?? this.size(node);
    }
    if (result) this.sizes.set(node, result);
    return plus(own, cover(found));
  }

  /** The size of what stands at an index. */
  private index(node: Call, { id }: Overload, result: Range | undefined): Range | undefined {
    const [from] = node.args;
    if (!from || (id !== 'index_list' && id !== 'index_map')) return result;
    this.paths.set(
      node,
      this.below(this.path(from), sizes => sizes.items),
    );
    return this.entry(from)?.value;
  }

  private overload(node: Call, overload: Overload, args: readonly Sized[], costs: readonly Range[]): Estimated {
    const [a = nothing, b = nothing, c = nothing] = costs;
    const [x, y, z] = node.args;
    switch (overload.id) {
      case 'logical_and':
      case 'logical_or':
        return { cost: { min: a.min, max: plus(a, b).max } };
      case 'conditional': {
        const entry = unite(y && this.entry(y), z && this.entry(z));
        if (entry) this.entries.set(node, entry);
        const result = union(args[1]?.size ?? unknownSize, args[2]?.size ?? unknownSize);
        return { cost: plus(a, union(b, c)), result };
      }
      case 'add_list':
      case 'add_string':
      case 'add_bytes': {
        const entry = unite(x && this.entry(x), y && this.entry(y));
        if (entry) this.entries.set(node, entry);
        const result = plus(args[0]?.size ?? unknownSize, args[1]?.size ?? unknownSize);
        const own = overload.id === 'add_list' ? one : factor(result, 0.1);
        return { cost: plus(own, sum(costs)), result };
      }
      default: {
        const special = this.equality(node, overload);
        const own = special ? { cost: special } : (overload.cost?.estimate(args) ?? { cost: one });
        return { ...own, cost: plus(own.cost, sum(costs)) };
      }
    }
  }

  /** Values of libraries are compared at once. */
  private equality(node: Call, { id }: Overload): Range | undefined {
    const type = id === 'equals' && node.args[0] ? this.checked.types.get(node.args[0]) : undefined;
    if (type?.kind !== 'opaque') return undefined;
    return type.name === 'kubernetes.NamedFormat' ? { min: 1, max: 7 } : one;
  }

  private sized(node: Node): Sized {
    const type = this.checked.types.get(node);
    const size = this.size(node) ?? unknownSize;
    if (node.kind === 'literal') return { size, constant: node.value };
    if (type?.kind !== 'list') return { size };
    const path = this.path(node);
    const max = typeof path === 'object' ? path.items?.max : undefined;
    const itemSize = max === undefined ? unknownSize : { min: 0, max };
    return { size, itemSize, ofTexts: type.item.kind === 'string' || type.item.kind === 'bytes' };
  }

  // --- comprehensions -------------------------------------------------------------------------------------------

  private push(name: string, local: Local): void {
    const stack = this.locals.get(name) ?? [];
    this.locals.set(name, [...stack, local]);
  }

  private pop(name: string): void {
    this.locals.set(name, this.locals.get(name)?.slice(0, -1) ?? []);
  }

  private local(name: string): Local | undefined {
    return this.locals.get(name)?.at(-1);
  }

  private pushAccumulator(name: string, init: Node): void {
    this.push(name, { path: this.path(init), size: this.size(init), entry: this.entry(init) });
  }

  private pushVariables(node: FoldNode): void {
    const entry = this.entry(node.range);
    const container = entry?.container ?? this.checked.types.get(node.range)?.kind;
    const path = this.path(node.range);
    const keyPath = this.below(path, sizes => (container === 'list' ? undefined : sizes.keys));
    const keys: Local = { path: keyPath, size: entry?.key, entry: undefined };
    const values: Local = { path: this.below(path, sizes => sizes.items), size: entry?.value, entry: undefined };
    if (node.iter2 === undefined) this.push(node.iter, container === 'list' ? values : keys);
    else {
      this.push(node.iter, keys);
      this.push(node.iter2, values);
    }
  }

  private binding(node: FoldNode): Range {
    const before = plus(this.cost(node.range), this.cost(node.init));
    this.pushAccumulator(node.accu, node.init);
    const result = this.cost(node.result);
    this.pop(node.accu);
    this.copy(node, node.result);
    return plus(before, result);
  }

  private fold(node: FoldNode): Range {
    const before = plus(this.cost(node.range), this.cost(node.init));
    this.pushAccumulator(node.accu, node.init);
    this.pushVariables(node);
    const each = plus(this.cost(node.condition), this.cost(node.step));
    this.pop(node.iter);
    if (node.iter2 !== undefined) this.pop(node.iter2);
    const result = this.cost(node.result);
    this.pop(node.accu);
    const count = this.size(node.range) ?? unknownSize;
    if (node.init.kind === 'literal') this.set(node, this.size(node.init));
    else if (node.init.kind === 'list' || node.init.kind === 'map') {
      this.set(node, count);
      const entry = this.entry(node.step);
      if (entry) this.entries.set(node, entry);
    }
    return plus(plus(before, result), times(count, each));
  }

  // --- sizes ----------------------------------------------------------------------------------------------------

  private path(node: Node): Path {
    const local = node.kind === 'ident' ? this.local(node.name) : undefined;
    return local ? local.path : this.paths.get(node);
  }

  private below(path: Path, step: (sizes: Sizes) => Sizes | undefined): Path {
    if (path === undefined) return this.variables('self') ?? 'lost';
    return (path !== 'lost' && step(path)) || 'lost';
  }

  private set(node: Node, size: Range | undefined): void {
    if (size) this.sizes.set(node, size);
  }

  private copy(to: Node, from: Node): void {
    this.set(to, this.size(from));
    const entry = this.entry(from);
    if (entry) this.entries.set(to, entry);
  }

  private size(node: Node): Range | undefined {
    const known = this.sizes.get(node);
    if (known) return known;
    if (node.kind === 'literal') return fixed(sizeOfLiteral(node.value));
    if (node.kind === 'list') return fixed(node.items.length);
    if (node.kind === 'map') return fixed(node.entries.length);
    const path = this.path(node);
    if (typeof path === 'object') {
      const size = { min: 0, max: Math.min(path.max, unlimited) };
      this.sizes.set(node, size);
      return size;
    }
    const own = sizeOfType(this.checked.types.get(node));
    return own ?? (node.kind === 'ident' ? this.local(node.name)?.size : undefined);
  }

  private entry(node: Node): Entry | undefined {
    return this.entries.get(node) ?? (node.kind === 'ident' ? this.local(node.name)?.entry : undefined);
  }
}

/** The least and the most that an expression may cost. */
export function estimateCost(node: Node, checked: Checked, variables: (name: string) => Sizes | undefined): Range {
  return new Estimator(checked, variables).cost(node);
}
