/** The origins and sizes of an expression's parts, for the estimate of its cost. */
import type { FoldNode, Expr } from '../parser/ast.js';
import type { Checked } from './check.js';
import { type Range, fixedRange, union, unlimited } from '../cost-model.js';
import type { Type } from '../types.js';

/** The sizes of a type's values. */
export interface Sizes {
  /** Characters, bytes, items or entries. */
  readonly max: number;
  /** The sizes of a list's items, or of a map's values. */
  readonly items?: Sizes;
  readonly keys?: Sizes;
  readonly field?: (name: string) => Sizes | undefined;
}

/** The sizes of keys (or indexes) and items. */
interface Entry {
  readonly container: 'list' | 'map';
  readonly key: Range;
  readonly value: Range;
}

/**
 * The origin of a value: its sizes; `lost` when they are unknown; undefined for a value made by the expression. Quirk: a selection from the
 * latter has the sizes of the variable, since the first part of every path stands for it.
 */
type Path = Sizes | 'lost' | undefined;

interface Local {
  readonly path: Path;
  readonly size: Range | undefined;
  readonly entry: Entry | undefined;
}

const one = fixedRange(1);

function sizeOfLiteral(value: Extract<Expr, { kind: 'literal' }>['value']): number {
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

/** Returns the union of the entries of a value that is one or the other. */
export const unite = (a: Entry | undefined, b: Entry | undefined): Entry | undefined =>
  a && b && { container: a.container, key: union(a.key, b.key), value: union(a.value, b.value) };

/** Filled bottom-up while the cost of an expression is estimated. */
export class NodeSizes {
  private readonly checked: Checked;
  private readonly variables: (name: string) => Sizes | undefined;
  private readonly paths = new Map<Expr, Path>();
  private readonly sizes = new Map<Expr, Range>();
  private readonly entries = new Map<Expr, Entry>();
  private readonly locals = new Map<string, Local[]>();

  constructor(checked: Checked, variables: (name: string) => Sizes | undefined) {
    this.checked = checked;
    this.variables = variables;
  }

  /** Records that the node is a reference to a name. */
  named(node: Expr, name: string): void {
    const local = this.local(name);
    this.paths.set(node, local ? local.path : (this.variables(name) ?? 'lost'));
  }

  /** Records that the node is one step below another node. */
  step(node: Expr, from: Expr, step: (sizes: Sizes) => Sizes | undefined): void {
    this.paths.set(node, this.below(this.path(from), step));
  }

  /** Returns the largest size of a list's items, if it is known. */
  itemsMax(list: Expr): number | undefined {
    const path = this.path(list);
    return typeof path === 'object' ? path.items?.max : undefined;
  }

  /** Begins the scope of an accumulator, which has the sizes of its initial value. */
  pushAccumulator(name: string, init: Expr): void {
    this.push(name, { path: this.path(init), size: this.size(init), entry: this.entry(init) });
  }

  /** Begins the scope of a comprehension's variables, which have the sizes of the range's parts. */
  pushVariables(node: FoldNode): void {
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

  /** Ends the innermost scope of a name. */
  pop(name: string): void {
    this.locals.set(name, this.locals.get(name)?.slice(0, -1) ?? []);
  }

  setSize(node: Expr, size: Range | undefined): void {
    if (size) this.sizes.set(node, size);
  }

  setEntry(node: Expr, entry: Entry | undefined): void {
    if (entry) this.entries.set(node, entry);
  }

  /** Records that a node has the size and the entries of another. */
  copy(to: Expr, from: Expr): void {
    this.setSize(to, this.size(from));
    this.setEntry(to, this.entry(from));
  }

  size(node: Expr): Range | undefined {
    const known = this.sizes.get(node);
    if (known) return known;
    if (node.kind === 'literal') return fixedRange(sizeOfLiteral(node.value));
    if (node.kind === 'list') return fixedRange(node.items.length);
    if (node.kind === 'map') return fixedRange(node.entries.length);
    const path = this.path(node);
    if (typeof path === 'object') {
      const size = { min: 0, max: Math.min(path.max, unlimited) };
      this.sizes.set(node, size);
      return size;
    }
    const typeSize = sizeOfType(this.checked.types.get(node));
    return typeSize ?? (node.kind === 'ident' ? this.local(node.name)?.size : undefined);
  }

  entry(node: Expr): Entry | undefined {
    return this.entries.get(node) ?? (node.kind === 'ident' ? this.local(node.name)?.entry : undefined);
  }

  private push(name: string, local: Local): void {
    const stack = this.locals.get(name) ?? [];
    this.locals.set(name, [...stack, local]);
  }

  private local(name: string): Local | undefined {
    return this.locals.get(name)?.at(-1);
  }

  private path(node: Expr): Path {
    const local = node.kind === 'ident' ? this.local(node.name) : undefined;
    return local ? local.path : this.paths.get(node);
  }

  private below(path: Path, step: (sizes: Sizes) => Sizes | undefined): Path {
    if (path === undefined) return this.variables('self') ?? 'lost';
    return (path !== 'lost' && step(path)) || 'lost';
  }
}
