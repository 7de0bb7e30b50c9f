/** Type-checks an expression, and resolves its function calls. as cel-go checker/checker.go */
import type { FoldNode, Issue, ListNode, MapNode, Expr, SelectNode, StructNode } from '../parser/ast.js';
import type { Overload } from '../function.js';
import * as t from '../types.js';

type Call = Extract<Expr, { kind: 'call' }>;

/** The variables, functions and types that an expression may refer to. */
interface Declarations {
  readonly variables: ReadonlyMap<string, t.Type>;
  readonly functions: ReadonlyMap<string, readonly Overload[]>;
  /** Returns the type of a struct literal; absent: there are no such types. */
  readonly structs?: (name: string) => t.Type | undefined;
}

export interface Checked {
  readonly type: t.Type;
  readonly types: ReadonlyMap<Expr, t.Type>;
  /** The overloads that a call may have; the values decide at run time. */
  readonly overloads: ReadonlyMap<Expr, readonly Overload[]>;
  /** The qualified variable that a chain of fields refers to, or the function that a member call refers to. */
  readonly names: ReadonlyMap<Expr, string>;
  /** Variables that the expression refers to. */
  readonly references: ReadonlySet<string>;
}

/** Returns `a.b.c` when a node consists of names only. */
function dotted(node: Expr): string | undefined {
  if (node.kind === 'ident') return node.name;
  if (node.kind !== 'select' || node.test) return undefined;
  const operand = dotted(node.operand);
  return operand === undefined ? undefined : `${operand}.${node.field}`;
}

function typeOfLiteral(value: Extract<Expr, { kind: 'literal' }>['value']): t.Type {
  if (value === null) return t.nullType;
  if (typeof value === 'bigint') return t.int;
  if (typeof value === 'number') return t.double;
  if (typeof value === 'string') return t.string;
  if (typeof value === 'boolean') return t.bool;
  return value instanceof Uint8Array ? t.bytes : t.uint;
}

/** The largest number of parts of a value's type. */
const maxTypeSize = 1000;

class Checker {
  readonly issues: Issue[] = [];
  readonly types = new Map<Expr, t.Type>();
  readonly overloads = new Map<Expr, readonly Overload[]>();
  readonly names = new Map<Expr, string>();
  readonly references = new Set<string>();
  private readonly functions: Declarations['functions'];
  private readonly structs: NonNullable<Declarations['structs']>;
  private readonly known = new t.Bindings();
  private readonly variables: Declarations['variables'];
  /** The variables of comprehensions by name, the innermost last. */
  private readonly locals = new Map<string, t.Type[]>();
  private fresh = 0;

  constructor({ variables, functions, structs = () => undefined }: Declarations) {
    this.functions = functions;
    this.structs = structs;
    this.variables = variables;
  }

  /** Returns the type of a node. Macros put some nodes into two places of the same scope, so their type is computed once. */
  check(node: Expr): t.Type {
    const known = this.types.get(node);
    if (known) return known;
    const type = this.typeOf(node);
    if (t.sizeOfType(type) > maxTypeSize) throw new t.TypesTooLarge();
    this.types.set(node, type);
    return type;
  }

  /** Resolves the types of all nodes; unknown types become dyn. */
  settle(): void {
    for (const [node, type] of this.types) this.types.set(node, t.substitute(type, this.known, t.dyn));
  }

  private issue(node: Expr, text: string): t.Type {
    this.issues.push({ at: node.at, text });
    return t.error;
  }

  private variable(): t.Type {
    return t.param(`_var${this.fresh++}`);
  }

  private resolve(type: t.Type): t.Type {
    return t.substitute(type, this.known);
  }

  private text(type: t.Type): string {
    return t.typeText(type);
  }

  private find(name: string): t.Type | undefined {
    const local = this.locals.get(name)?.at(-1);
    if (local) return local;
    const type = this.variables.get(name);
    if (type) this.references.add(name);
    return type;
  }

  /** Runs with additional variables. */
  private within<T>(variables: readonly (readonly [name: string, type: t.Type])[], run: () => T): T {
    for (const [name, type] of variables) {
      const stack = this.locals.get(name);
      if (stack) stack.push(type);
      else this.locals.set(name, [type]);
    }
    const result = run();
    for (const [name] of variables) this.locals.get(name)?.pop();
    return result;
  }

  private typeOf(node: Expr): t.Type {
    switch (node.kind) {
      case 'literal':
        return typeOfLiteral(node.value);
      case 'ident':
        return this.find(node.name) ?? this.undeclared(node, node.name);
      case 'select':
        return this.select(node);
      case 'call':
        return node.name === '_?._' ? this.optionalSelect(node) : this.call(node);
      case 'list':
        return this.list(node);
      case 'map':
        return this.map(node);
      case 'struct':
        return this.struct(node);
      case 'fold':
        return this.fold(node);
    }
  }

  private undeclared(node: Expr, name: string): t.Type {
    return this.issue(node, `undeclared reference to '${name}' (in container '')`);
  }

  private select(node: SelectNode): t.Type {
    const name = dotted(node);
    const variable = name === undefined ? undefined : this.find(name);
    if (name !== undefined && variable) {
      this.names.set(node, name);
      return variable;
    }
    const field = this.field(node, node.operand, node.field, false);
    return node.test ? t.bool : this.resolve(field);
  }

  private optionalSelect(node: Call): t.Type {
    const [operand, field] = node.args;
    if (!operand || field?.kind !== 'literal' || typeof field.value !== 'string')
      return this.issue(node, 'unsupported optional field selection');
    this.types.set(field, t.string);
    return this.resolve(this.field(node, operand, field.value, true));
  }

  /** Returns the type of a field; for a field of an optional value it is optional. */
  private field(node: Expr, operand: Expr, name: string, optional: boolean): t.Type {
    const whole = this.resolve(this.check(operand));
    const target = whole.kind === 'optional' ? whole.item : whole;
    const type = this.fieldOf(node, target, name);
    return optional || whole.kind === 'optional' ? t.optional(type) : type;
  }

  private fieldOf(node: Expr, target: t.Type, name: string): t.Type {
    switch (target.kind) {
      case 'map':
        return target.value;
      case 'object':
        return target.field(name) ?? this.issue(node, `undefined field '${name}'`);
      case 'param':
        t.fits([t.dyn], [target], this.known);
        return t.dyn;
      case 'dyn':
      case 'error':
        return t.dyn;
      default:
        this.issue(node, `type '${this.text(target)}' does not support field selection`);
        return t.dyn;
    }
  }

  private call(node: Call): t.Type {
    const { target, args } = node;
    const argTypes = args.map(arg => this.check(arg));
    if (!target) {
      const found = this.functions.get(node.name);
      return found ? this.choose(node, found, node.name, argTypes, false) : this.undeclared(node, node.name);
    }
    const prefix = dotted(target);
    const name = `${prefix}.${node.name}`;
    const namespaced = prefix === undefined ? undefined : this.functions.get(name);
    if (namespaced) {
      this.names.set(node, name);
      return this.choose(node, namespaced, name, argTypes, false);
    }
    const targetType = this.check(target);
    const found = this.functions.get(node.name);
    if (!found) return this.undeclared(node, node.name);
    return this.choose(node, found, node.name, [targetType, ...argTypes], true);
  }

  private choose(
    node: Call,
    among: readonly Overload[],
    name: string,
    types: readonly t.Type[],
    member: boolean,
  ): t.Type {
    if (name === '_&&_' || name === '_||_') return this.logical(node, among, types);
    let result: t.Type | undefined;
    const chosen: Overload[] = [];
    for (const overload of among) {
      if (overload.member !== member) continue;
      const names = new Map<string, t.Type>();
      const params = overload.params.map(param => this.instance(param, names));
      if (!t.fits(types, params, this.known)) continue;
      chosen.push(overload);
      const candidate = this.resolve(this.instance(overload.result, names));
      if (!result) result = candidate;
      else if (result.kind !== 'dyn' && !t.identical(candidate, result)) result = t.dyn;
    }
    this.overloads.set(node, chosen);
    if (result) return result;
    const [first, ...rest] = types.map(type => this.text(t.substitute(type, this.known, t.dyn)));
    const applied = member
      ? `${first}.(${rest.join(', ')})`
      : `(${[...(first === undefined ? [] : [first]), ...rest].join(', ')})`;
    return this.issue(node, `found no matching overload for '${name}' applied to '${applied}'`);
  }

  private logical(node: Call, among: readonly Overload[], types: readonly t.Type[]): t.Type {
    const wrong = node.args.filter((arg, i) => {
      const type = types[i] ?? t.dyn;
      if (t.fits([type], [t.bool], this.known)) return false;
      this.mismatch(arg, t.bool, type);
      return true;
    });
    this.overloads.set(node, among);
    return wrong.length > 0 ? t.error : t.bool;
  }

  /** Returns a declared type with fresh type variables in place of the declared ones. */
  private instance(type: t.Type, names: Map<string, t.Type>): t.Type {
    switch (type.kind) {
      case 'param': {
        const known = names.get(type.name) ?? this.variable();
        names.set(type.name, known);
        return known;
      }
      case 'list':
      case 'optional':
      case 'type':
        return { kind: type.kind, item: this.instance(type.item, names) };
      case 'map':
        return t.map(this.instance(type.key, names), this.instance(type.value, names));
      default:
        return type;
    }
  }

  /** Returns the common type of two items of a literal. */
  private join(before: t.Type | undefined, now: t.Type): t.Type {
    if (!before) return now;
    return t.fits([before], [now], this.known) ? t.mostGeneral(before, now) : t.dyn;
  }

  private mismatch(node: Expr, wanted: t.Type, found: t.Type): t.Type {
    return this.issue(node, `expected type '${this.text(wanted)}' but found '${this.text(found)}'`);
  }

  /** Returns the type in an optional item of a literal. */
  private unwrap(node: Expr, type: t.Type): t.Type {
    if (type.kind === 'optional') return type.item;
    if (type.kind !== 'dyn') this.mismatch(node, t.optional(type), type);
    return type;
  }

  private list(node: ListNode): t.Type {
    let item: t.Type | undefined;
    for (const [i, one] of node.items.entries()) {
      const type = this.check(one);
      item = this.join(item, node.optional.has(i) ? this.unwrap(one, type) : type);
    }
    return t.list(item ?? this.variable());
  }

  private map(node: MapNode): t.Type {
    let keyType: t.Type | undefined;
    let valueType: t.Type | undefined;
    for (const { key, value, optional } of node.entries) {
      keyType = this.join(keyType, this.check(key));
      const type = this.check(value);
      valueType = this.join(valueType, optional ? this.unwrap(value, type) : type);
    }
    return t.map(keyType ?? this.variable(), valueType ?? this.variable());
  }

  private struct(node: StructNode): t.Type {
    const type = this.structs(node.name);
    if (type?.kind !== 'object') return this.undeclared(node, node.name);
    for (const { at, name, value, optional } of node.fields) {
      const given = this.check(value);
      const found = optional ? this.unwrap(value, given) : given;
      const wanted = type.field(name);
      if (!wanted) this.issues.push({ at, text: `undefined field '${name}'` });
      else if (!t.fits([found], [wanted], this.known)) {
        const [own, other] = [this.text(wanted), this.text(found)];
        this.issues.push({ at, text: `expected type of field '${name}' is '${own}' but provided type is '${other}'` });
      }
    }
    return type;
  }

  /** Returns the types of a comprehension's variables. */
  private iterated(node: FoldNode, range: t.Type): readonly [t.Type, t.Type] {
    switch (range.kind) {
      case 'list':
        return node.iter2 === undefined ? [range.item, t.dyn] : [t.int, range.item];
      case 'map':
        return [range.key, range.value];
      case 'dyn':
      case 'error':
      case 'param':
        t.fits([t.dyn], [range], this.known);
        return [t.dyn, t.dyn];
      default: {
        const type = this.text(range);
        this.issue(
          node.range,
          `expression of type '${type}' cannot be range of a comprehension (must be list, map, or dynamic)`,
        );
        return [t.error, t.error];
      }
    }
  }

  private fold(node: FoldNode): t.Type {
    const range = this.check(node.range);
    const accu = this.check(node.init);
    const [first, second] = this.iterated(node, this.resolve(range));
    const variables: (readonly [string, t.Type])[] = [[node.iter, first]];
    if (node.iter2 !== undefined) variables.push([node.iter2, second]);
    const result = this.within([[node.accu, accu]], () => {
      this.within(variables, () => {
        this.expect(node.condition, t.bool);
        this.expect(node.step, accu);
      });
      return this.check(node.result);
    });
    return this.resolve(result);
  }

  private expect(node: Expr, wanted: t.Type): void {
    const found = this.check(node);
    if (!t.fits([wanted], [found], this.known)) this.mismatch(node, wanted, found);
  }
}

/** Returns the types of an expression, or its issues. */
export function check(node: Expr, declarations: Declarations): Checked | { readonly issues: readonly Issue[] } {
  const checker = new Checker(declarations);
  try {
    checker.check(node);
    if (checker.issues.length === 0) checker.settle();
  } catch (error) {
    if (!(error instanceof t.TypesTooLarge)) throw error;
    return { issues: [{ at: 0, text: 'the types of the expression are too large' }] };
  }
  if (checker.issues.length > 0) return { issues: checker.issues };
  const { types, overloads, names, references } = checker;
  return { type: types.get(node) ?? t.dyn, types, overloads, names, references };
}
