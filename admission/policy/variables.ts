/** Variables of a policy: expressions that others refer to, evaluated on first use. */
// as apiserver/pkg/admission/plugin/cel composition.go
import { goQuote } from '../../lib/go/go-text.js';
import { type Type, dyn } from '../../lib/cel/types.js';
import type { Pace } from '../../lib/cel/interpreter/pace.js';
import { Paused, Progress } from '../../lib/cel/interpreter/progress.js';
import { CelError, CelObject, type Value } from '../../lib/cel/values.js';
import type { Variable } from '../../api/kubernetes/admissionregistration.js';
import type { Scope } from '../../kinds/kubernetes/admissionregistration/expressions/compile.js';
import { type CompileResult, tryCompile } from '../expressions/conditions.js';
import type { Variables } from '../expressions/evaluate.js';

export interface Composition {
  readonly expressions: ReadonlyMap<string, CompileResult>;
  /** Types of the variables, for the compilation of other expressions. */
  readonly types: ReadonlyMap<string, Type>;
}

/** Compiles variables; each may refer to those before it. */
export function compositionOf(variables: readonly Variable[] | undefined, params: boolean): Composition {
  const types = new Map<string, Type>();
  const expressions = new Map<string, CompileResult>();
  for (const { name = '', expression = '' } of variables ?? []) {
    // Compilation is synchronous, so it does not see variables that are added to the map later.
    const scope: Scope = { params, authorizer: true, variables: types };
    const made = tryCompile(expression, scope, []);
    expressions.set(name, made);
    types.set(name, 'compiled' in made ? made.compiled.type : dyn);
  }
  return { expressions, types };
}

/** Maximum steps of all variables together, since their values are in memory during the evaluation of the policy. */
const maxSteps = 8_000_000;

interface Composed {
  readonly variables: Variables;
  /** Returns the cost since the last call. */
  readonly spent: () => number;
}

/** Adds `variables` to the outer ones. Each is evaluated within the expression that uses it, in its time slice, and pauses with it. */
export function composed({ expressions }: Composition, outer: Variables, pace: Pace): Composed {
  let spent = 0;
  let steps = maxSteps;
  const values = new Map<string, Value | CelError>();
  const begun = new Map<string, Progress>();

  function run(name: string, expression: CompileResult): Value | CelError {
    if ('error' in expression)
      return new CelError(`composited variable ${goQuote(name)} fails to compile: ${expression.error}`);
    const progress = begun.get(name) ?? new Progress();
    begun.set(name, progress);
    const { value, error, cost, steps: taken, paused } = expression.compiled.run(variables, { pace, steps, progress });
    if (paused) throw new Paused();
    spent += cost;
    steps -= taken;
    if (error === undefined) return value as Value;
    return new CelError(`composited variable ${goQuote(name)} fails to evaluate: ${error}`);
  }

  const get = (name: string): Value | undefined => {
    const expression = expressions.get(name);
    if (!expression) return undefined;
    let found = values.get(name);
    if (found === undefined) {
      found = run(name, expression);
      values.set(name, found);
    }
    if (found instanceof CelError) throw found;
    return found;
  };
  const variablesObject = new CelObject(get, {}, () => undefined);
  const variables: Variables = name => (name === 'variables' ? variablesObject : outer(name));
  return {
    variables,
    spent() {
      const all = spent;
      spent = 0;
      return all;
    },
  };
}
