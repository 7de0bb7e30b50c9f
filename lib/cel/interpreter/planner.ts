/** Compiles expressions to functions, which count their cost while they run. as cel-go interpreter/planner.go, runtimecost.go */
import { type FoldNode, type ListNode, type MapNode, type Expr, type StructNode, isBinding } from '../parser/ast.js';
import type { Checked } from '../checker/check.js';
import { listCost, mapCost, objectCost } from '../cost-model.js';
import type { Overload } from '../function.js';
import { LazyValue, type Run, allOf, valueOrError, freeFrame, isTrue, visit } from './frame.js';
import { candidateOf, firstMatch, noOverload } from './candidate.js';
import { folding } from './fold.js';
import {
  constantMembership,
  equality,
  isKeyLike,
  logical,
  membership,
  notStrictlyFalse,
  otherwise,
} from './operators.js';
import { findMember } from '../qualify.js';
import { type Type, dyn, typeText } from '../types.js';
import { type AttributePath, type PathStep, evaluatePath } from './attribute-path.js';
import { isOf, sizeOf, typeOfValue } from '../measure.js';
import {
  CelError,
  List,
  Optional,
  TypeValue,
  Uint,
  type Value,
  withEntry,
  listOf,
  celMapOf,
  structOf,
} from '../values.js';

type Call = Extract<Expr, { kind: 'call' }>;

interface Plan {
  readonly run: Run;
  readonly path?: AttributePath;
  /** The value of a constant, which costs nothing. */
  readonly constant?: Value;
}

/** Steps counted for a list and for a map. */
const listSteps = 8;
const mapSteps = 32;

const constantPlan = (constant: Value): Plan => ({ run: () => constant, constant });

/** Functions that convert types; conversions of constants are evaluated once. */
const conversions: ReadonlySet<string> = new Set('bool bytes double duration dyn int string timestamp uint'.split(' '));

function pathPlan(path: AttributePath): Plan {
  const { cost } = path;
  const run: Run = frame => {
    frame.spend(cost);
    return evaluatePath(frame, path);
  };
  return { run, path };
}

const literalValue = (value: Extract<Expr, { kind: 'literal' }>['value']): Value =>
  value !== null && typeof value === 'object' && 'uint' in value ? new Uint(value.uint) : value;

/** The slots of a comprehension's variables. */
interface Scope {
  readonly slots: ReadonlyMap<string, number>;
  readonly depth: number;
}

class Planner {
  private readonly checked: Checked;
  /** Variables that are types. */
  private readonly types: ReadonlyMap<string, Type>;
  private readonly plans = new Map<Expr, Plan>();
  private scope: Scope = { slots: new Map(), depth: 0 };

  constructor(checked: Checked, types: ReadonlyMap<string, Type>) {
    this.checked = checked;
    this.types = types;
  }

  run(node: Expr): Run {
    return this.plan(node).run;
  }

  /** Returns the plan of a node. Macros put some nodes into two places of the same scope, so they are planned once. */
  private plan(node: Expr): Plan {
    const known = this.plans.get(node);
    if (known) return known;
    const plan = this.planOf(node);
    this.plans.set(node, plan);
    return plan;
  }

  private planOf(node: Expr): Plan {
    switch (node.kind) {
      case 'literal':
        return constantPlan(literalValue(node.value));
      case 'ident':
        return this.named(node.name);
      case 'select': {
        const name = this.checked.names.get(node);
        if (name !== undefined) return this.named(name);
        if (node.test) return { run: this.test(node.operand, node.field) };
        return this.extend(node.operand, { key: () => node.field, optional: false });
      }
      case 'call':
        return this.call(node);
      case 'list':
        return this.list(node);
      case 'map':
        return this.map(node);
      case 'struct':
        return { run: this.struct(node) };
      case 'fold':
        return { run: isBinding(node) ? this.binding(node) : this.fold(node) };
    }
  }

  private named(name: string): Plan {
    const type = this.scope.slots.has(name) ? undefined : this.types.get(name);
    return type ? constantPlan(new TypeValue(type)) : pathPlan({ start: this.variable(name), steps: [], cost: 1 });
  }

  private variable(name: string): Run {
    const slot = this.scope.slots.get(name);
    if (slot === undefined)
      return frame => {
        const value = frame.variables(name);
        if (value === undefined) throw new CelError(`no such attribute(s): ${name}`);
        return value;
      };
    return frame => {
      let local = frame.locals[slot];
      if (local instanceof LazyValue) local = frame.locals[slot] = valueOrError(frame, local.run);
      if (local instanceof CelError) throw local;
      return local as Value;
    };
  }

  /** Returns the attribute path of a node; a path that starts at its value when it has none. */
  private path(node: Expr): AttributePath {
    const { run, path } = this.plan(node);
    return path ?? { start: run, steps: [], cost: 1 };
  }

  private extend(operand: Expr, step: PathStep): Plan {
    const path = this.path(operand);
    return pathPlan({ ...path, steps: [...path.steps, step] });
  }

  private test(operand: Expr, field: string): Run {
    const path = this.path(operand);
    return frame => {
      let value = evaluatePath(frame, path);
      frame.spend(1);
      if (value instanceof Optional) {
        if (value.value === undefined) return false;
        ({ value } = value);
      }
      return findMember(value, field) !== undefined;
    };
  }

  private call(node: Call): Plan {
    const [a, b, c] = node.args as [Expr, Expr, Expr];
    switch (node.name) {
      case '_&&_':
      case '_||_':
        return { run: logical(this.run(a), this.run(b), node.name === '_||_') };
      case '_?_:_':
        return this.conditional(a, b, c);
      case '_==_':
      case '_!=_':
        return { run: this.equality(node, a, b) };
      case '@in':
        return { run: this.membership(node, a, b) };
      case '_[_]':
        return this.extend(a, { key: this.index(b), optional: false });
      case '_[?_]':
      case '_?._':
        return this.extend(a, { key: this.index(b), optional: true });
      case '@not_strictly_false':
        return { run: notStrictlyFalse(this.run(a)) };
      default:
        return this.other(node);
    }
  }

  private other(node: Call): Plan {
    const { target, args } = node;
    const [a] = args;
    if (
      target &&
      a &&
      (node.name === 'or' || node.name === 'orValue') &&
      this.overload(node)?.id.startsWith('optional_')
    )
      return { run: otherwise(this.run(target), this.run(a), node.name === 'or') };
    if (a && args.length === 1 && !target && conversions.has(node.name)) {
      const { constant } = this.plan(a);
      if (constant !== undefined) return constantPlan(this.convert(node, constant));
    }
    return { run: this.apply(node) };
  }

  private overload(node: Call): Overload | undefined {
    return this.checked.overloads.get(node)?.[0];
  }

  private convert(node: Call, constant: Value): Value {
    const overload = this.checked.overloads.get(node)?.find(o => isOf(constant, o.params[0] ?? dyn));
    if (!overload?.call) throw new CelError(`no such overload: ${node.name}`);
    return overload.call(constant);
  }

  /** Returns the value of an index: an attribute path costs only its steps; the step into the list costs 1. */
  private index(node: Expr): Run {
    const { run, path } = this.plan(node);
    return path ? frame => evaluatePath(frame, path) : run;
  }

  private conditional(condition: Expr, yes: Expr, no: Expr): Plan {
    const test = this.run(condition);
    const [whenTrue, whenFalse] = [this.index(yes), this.index(no)];
    return pathPlan({ start: frame => (isTrue(test(frame)) ? whenTrue(frame) : whenFalse(frame)), steps: [], cost: 0 });
  }

  private equality(node: Call, a: Expr, b: Expr): Run {
    const cost = this.overload(node)?.cost?.actual;
    return equality(this.run(a), this.run(b), node.name === '_==_', cost);
  }

  private membership(node: Call, a: Expr, b: Expr): Run {
    const left = this.run(a);
    const { run: right, constant } = this.plan(b);
    const inList = this.checked.overloads.get(node)?.length === 1;
    if (inList && constant instanceof List) {
      const items = constant.toArray(freeFrame());
      if (items.every(isKeyLike)) return constantMembership(left, items);
    }
    return membership(left, right, inList);
  }

  private apply(node: Call): Run {
    const name = this.checked.names.get(node) ?? node.name;
    const all = this.checked.overloads.get(node) ?? [];
    const namespaced = this.checked.names.has(node) || !node.target;
    const args = [...(namespaced ? [] : [node.target]), ...node.args].map(arg => this.run(arg));
    const operator = /^[_@!-]/.test(name);
    const candidates = all.map(overload => candidateOf(overload, operator && all.length > 1));
    return frame => {
      const values = allOf(frame, args);
      const found = firstMatch(candidates, values);
      if (!found) {
        frame.spend(1);
        throw noOverload(name, values, all);
      }
      for (let i = 0; i < values.length; i++) visit(frame, values[i] as Value);
      const { cost } = found;
      if (!cost) {
        frame.spend(1);
        return found.call(frame, values);
      }
      if (!cost.late) frame.spend(cost.actual(values, false, sizeOf, frame));
      const result = found.call(frame, values);
      if (cost.late) frame.spend(cost.actual(values, result, sizeOf, frame));
      return result;
    };
  }

  private list(node: ListNode): Plan {
    const plans = node.items.map(item => this.plan(item));
    const constants = plans.map(plan => plan.constant).filter(value => value !== undefined);
    if (node.optional.size === 0 && constants.length === plans.length) return constantPlan(listOf(constants));
    const run: Run = frame => {
      const out: Value[] = [];
      for (const [i, item] of plans.entries()) {
        const value = item.run(frame);
        if (!node.optional.has(i)) out.push(value);
        else out.push(...present(value, 'list element'));
      }
      frame.take(listSteps + plans.length);
      frame.spend(listCost);
      return listOf(out);
    };
    return { run };
  }

  private map(node: MapNode): Plan {
    const entries = node.entries.map(({ key, value, optional }) => ({
      key: this.plan(key),
      value: this.plan(value),
      optional,
    }));
    const run: Run = frame => {
      let out = celMapOf([]);
      for (const { key, value, optional } of entries) {
        const [k, v] = [key.run(frame), value.run(frame)];
        const given = optional ? present(v, 'entry') : [v];
        visit(frame, k);
        for (const one of given) out = withEntry(out, k, one, frame);
      }
      frame.take(mapSteps);
      frame.spend(mapCost);
      return out;
    };
    const fixed = entries.every(e => !e.optional && e.key.constant !== undefined && e.value.constant !== undefined);
    return fixed ? constantPlan(run(freeFrame())) : { run };
  }

  private struct(node: StructNode): Run {
    const fields = node.fields.map(({ name, value, optional }) => ({ name, run: this.run(value), optional }));
    return frame => {
      const given = new Map<string, Value>();
      for (const { name, run, optional } of fields) {
        const value = run(frame);
        for (const one of optional ? present(value, 'field') : [value]) given.set(name, one);
      }
      frame.spend(objectCost);
      return structOf(node.name, given);
    };
  }

  /** Plans in a scope with additional variables. */
  private within<T>(names: readonly string[], make: (slots: readonly number[]) => T): T {
    const outer = this.scope;
    const slots = names.map((_, i) => outer.depth + i);
    this.scope = {
      slots: new Map([...outer.slots, ...names.map((name, i) => [name, outer.depth + i] as const)]),
      depth: outer.depth + names.length,
    };
    const made = make(slots);
    this.scope = outer;
    return made;
  }

  /** Plans a `cel.bind`: a variable that is evaluated on first use. */
  private binding(node: FoldNode): Run {
    const value = new LazyValue(this.run(node.init));
    return this.within([node.accu], ([slot]) => {
      const result = this.run(node.result);
      return frame => {
        frame.locals[slot as number] = value;
        return result(frame);
      };
    });
  }

  private fold(node: FoldNode): Run {
    const [range, init] = [this.run(node.range), this.run(node.init)];
    return this.within([node.accu], ([accuSlot]) => {
      const accu = accuSlot as number;
      const result = this.run(node.result);
      const names = node.iter2 === undefined ? [node.iter] : [node.iter, node.iter2];
      return this.within(names, ([first, second]) => {
        const [condition, step] = [this.run(node.condition), this.run(node.step)];
        return folding({ range, init, accu, first: first as number, second, condition, step, result });
      });
    });
  }
}

/** Returns the value of an optional part of a literal, in a list; an empty list for none. */
function present(value: Value, what: string): readonly Value[] {
  if (!(value instanceof Optional)) {
    const text = typeof value === 'object' ? typeText(typeOfValue(value)) : String(value);
    throw new CelError(`cannot initialize optional ${what} from non-optional value ${text}`);
  }
  return value.value === undefined ? [] : [value.value];
}

/** Compiles a checked expression. `types` are the variables that are types. Throws CelError when a constant cannot be converted. */
export const planRun = (node: Expr, checked: Checked, types: ReadonlyMap<string, Type>): Run =>
  new Planner(checked, types).run(node);
