/** Estimates the largest cost of an expression from the sizes that a schema allows. as cel-go checker/cost.go */
import { type FoldNode, type MapNode, type Expr, isBinding } from '../parser/ast.js';
import type { Checked } from './check.js';
import {
  type Range,
  type Sized,
  factor,
  fixedRange,
  listCost,
  mapCost,
  objectCost,
  plus,
  times,
  union,
  unknownSize,
} from '../cost-model.js';
import type { Overload } from '../function.js';
import { NodeSizes, type Sizes, unite } from './node-sizes.js';

type Call = Extract<Expr, { kind: 'call' }>;

interface Estimated {
  readonly cost: Range;
  readonly result?: Range;
}

const nothing = fixedRange(0);
const one = fixedRange(1);

/** Returns the union of all ranges; of none it is 0. */
const cover = (ranges: readonly Range[]): Range => ranges.reduce((a, b) => union(a, b), ranges[0] ?? nothing);

const sum = (ranges: readonly Range[]): Range => ranges.reduce(plus, nothing);

class Estimator {
  private readonly checked: Checked;
  private readonly sizes: NodeSizes;
  private readonly costs = new Map<Expr, Range>();

  constructor(checked: Checked, known: NodeSizes) {
    this.checked = checked;
    this.sizes = known;
  }

  /** Returns the cost of a node. Macros put some nodes into two places, so their cost is computed once. */
  cost(node: Expr): Range {
    const known = this.costs.get(node);
    if (known) return known;
    const cost = this.costOf(node);
    this.costs.set(node, cost);
    return cost;
  }

  private costOf(node: Expr): Range {
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
        const value = cover(node.items.map(item => this.sizes.size(item) ?? unknownSize));
        this.sizes.setEntry(node, { container: 'list', key: one, value });
        return plus(sum(costs), fixedRange(listCost));
      }
      case 'map':
        return this.map(node);
      case 'struct':
        return plus(sum(node.fields.map(({ value }) => this.cost(value))), fixedRange(objectCost));
      case 'fold':
        return isBinding(node) ? this.binding(node) : this.fold(node);
    }
  }

  private ident(node: Expr, name: string): Range {
    this.sizes.named(node, name);
    return one;
  }

  private select(node: Extract<Expr, { kind: 'select' }>): Range {
    const variable = this.checked.names.get(node);
    if (variable !== undefined) return this.ident(node, variable);
    const operand = this.cost(node.operand);
    if (node.test) return operand;
    this.sizes.step(node, node.operand, sizes => sizes.field?.(node.field));
    const type = this.checked.types.get(node.operand)?.kind;
    return type === 'map' || type === 'object' || type === 'opaque' ? plus(operand, one) : operand;
  }

  private map(node: MapNode): Range {
    const costs = node.entries.flatMap(({ key, value }) => [this.cost(key), this.cost(value)]);
    const key = cover(node.entries.map(entry => this.sizes.size(entry.key) ?? unknownSize));
    const value = cover(node.entries.map(entry => this.sizes.size(entry.value) ?? unknownSize));
    this.sizes.setEntry(node, { container: 'map', key, value });
    return plus(sum(costs), fixedRange(mapCost));
  }

  private call(node: Call): Range {
    const { args } = node;
    const name = this.checked.names.get(node) ?? node.name;
    const target = this.checked.names.has(node) ? undefined : node.target;
    if (name === 'dyn' && !target && args[0]) {
      const cost = plus(one, this.cost(args[0]));
      this.sizes.copy(node, args[0]);
      return cost;
    }
    const costs = args.map(arg => this.cost(arg));
    const targetCost = target ? this.cost(target) : nothing;
    const sized = [...(target ? [target] : []), ...args].map(arg => this.sized(arg));
    const overloads = this.checked.overloads.get(node) ?? [];
    // An optional field selection counts as a call.
    if (node.name === '_?._') return plus(sum(costs), one);
    let result: Range | undefined;
    const found: Range[] = [];
    for (const overload of overloads) {
      const estimated = this.overload(node, overload, sized, costs);
      found.push(estimated.cost);
      if (estimated.result) result = result ? union(result, estimated.result) : estimated.result;
      result = this.index(node, overload, result) ?? this.sizes.size(node);
    }
    this.sizes.setSize(node, result);
    return plus(targetCost, cover(found));
  }

  /** Returns the size of the value at an index. */
  private index(node: Call, { id }: Overload, result: Range | undefined): Range | undefined {
    const [from] = node.args;
    if (!from || (id !== 'index_list' && id !== 'index_map')) return result;
    this.sizes.step(node, from, sizes => sizes.items);
    return this.sizes.entry(from)?.value;
  }

  private overload(node: Call, overload: Overload, args: readonly Sized[], costs: readonly Range[]): Estimated {
    const [a = nothing, b = nothing, c = nothing] = costs;
    const [x, y, z] = node.args;
    switch (overload.id) {
      case 'logical_and':
      case 'logical_or':
        return { cost: { min: a.min, max: plus(a, b).max } };
      case 'conditional': {
        const entry = unite(y && this.sizes.entry(y), z && this.sizes.entry(z));
        this.sizes.setEntry(node, entry);
        const result = union(args[1]?.size ?? unknownSize, args[2]?.size ?? unknownSize);
        return { cost: plus(a, union(b, c)), result };
      }
      case 'add_list':
      case 'add_string':
      case 'add_bytes': {
        const entry = unite(x && this.sizes.entry(x), y && this.sizes.entry(y));
        this.sizes.setEntry(node, entry);
        const result = plus(args[0]?.size ?? unknownSize, args[1]?.size ?? unknownSize);
        const ownCost = overload.id === 'add_list' ? one : factor(result, 0.1);
        return { cost: plus(ownCost, sum(costs)), result };
      }
      default: {
        const special = this.equality(node, overload);
        const ownCost = special ? { cost: special } : (overload.cost?.estimate(args) ?? { cost: one });
        return { ...ownCost, cost: plus(ownCost.cost, sum(costs)) };
      }
    }
  }

  /** Returns the cost of comparing values of library types, which takes one step. */
  private equality(node: Call, { id }: Overload): Range | undefined {
    const type = id === 'equals' && node.args[0] ? this.checked.types.get(node.args[0]) : undefined;
    if (type?.kind !== 'opaque') return undefined;
    return type.name === 'kubernetes.NamedFormat' ? { min: 1, max: 7 } : one;
  }

  private sized(node: Expr): Sized {
    const type = this.checked.types.get(node);
    const size = this.sizes.size(node) ?? unknownSize;
    if (node.kind === 'literal') return { size, constant: node.value };
    if (type?.kind !== 'list') return { size };
    const max = this.sizes.itemsMax(node);
    const itemSize = max === undefined ? unknownSize : { min: 0, max };
    return { size, itemSize, ofTexts: type.item.kind === 'string' || type.item.kind === 'bytes' };
  }

  private binding(node: FoldNode): Range {
    const before = plus(this.cost(node.range), this.cost(node.init));
    this.sizes.pushAccumulator(node.accu, node.init);
    const result = this.cost(node.result);
    this.sizes.pop(node.accu);
    this.sizes.copy(node, node.result);
    return plus(before, result);
  }

  private fold(node: FoldNode): Range {
    const before = plus(this.cost(node.range), this.cost(node.init));
    this.sizes.pushAccumulator(node.accu, node.init);
    this.sizes.pushVariables(node);
    const each = plus(this.cost(node.condition), this.cost(node.step));
    this.sizes.pop(node.iter);
    if (node.iter2 !== undefined) this.sizes.pop(node.iter2);
    const result = this.cost(node.result);
    this.sizes.pop(node.accu);
    const count = this.sizes.size(node.range) ?? unknownSize;
    if (node.init.kind === 'literal') this.sizes.setSize(node, this.sizes.size(node.init));
    else if (node.init.kind === 'list' || node.init.kind === 'map') {
      this.sizes.setSize(node, count);
      this.sizes.setEntry(node, this.sizes.entry(node.step));
    }
    return plus(plus(before, result), times(count, each));
  }
}

/** Returns the range of an expression's cost. */
export function estimateCost(node: Expr, checked: Checked, variables: (name: string) => Sizes | undefined): Range {
  return new Estimator(checked, new NodeSizes(checked, variables)).cost(node);
}
