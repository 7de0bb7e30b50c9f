/** Variables of a policy: expressions that others refer to, run when they are first asked for. */
// as apiserver/pkg/admission/plugin/cel composition.go
import { goQuote } from '../../lib/go/go-text.js';
import { type Type, dyn } from '../../lib/cel/types.js';
import type { Pace } from '../../lib/cel/pace.js';
import { Paused, Progress } from '../../lib/cel/progress.js';
import { CelError, CelObject, type Value } from '../../lib/cel/values.js';
import type { Variable } from '../../api/kubernetes/admissionregistration.js';
import type { Scope } from '../../kinds/kubernetes/admissionregistration/expressions/compile.js';
import { type Readied, readied } from '../expressions/conditions.js';
import type { Variables } from '../expressions/evaluate.js';

export interface Composition {
  readonly expressions: ReadonlyMap<string, Readied>;
  /** Their types: what other expressions are compiled with. */
  readonly types: ReadonlyMap<string, Type>;
}

/** Each may refer to those before it. */
export function compositionOf(variables: readonly Variable[] | undefined, params: boolean): Composition {
  const types = new Map<string, Type>();
  const expressions = new Map<string, Readied>();
  for (const { name = '', expression = '' } of variables ?? []) {
    // Compiling does not outlast the turn: those that come later are not seen.
    const scope: Scope = { params, authorizer: true, variables: types };
    const made = readied(expression, scope, []);
    expressions.set(name, made);
    types.set(name, 'compiled' in made ? made.compiled.type : dyn);
  }
  return { expressions, types };
}

/** The steps of all variables together: what they make is kept as long as the policy is asked. */
const maxSteps = 8_000_000;

export interface Composed {
  readonly variables: Variables;
  /** What they have cost since it was last asked. */
  spent(): number;
}

/** With `variables` besides what there is. They run within an expression that asks for them, take its time, and pause with it. */
export function composed({ expressions }: Composition, outer: Variables, pace: Pace): Composed {
  let spent = 0;
  let steps = maxSteps;
  const made = new Map<string, Value | CelError>();
  const begun = new Map<string, Progress>();

  function run(name: string, expression: Readied): Value | CelError {
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
    let found = made.get(name);
    if (found === undefined) {
      found = run(name, expression);
      made.set(name, found);
    }
    if (found instanceof CelError) throw found;
    return found;
  };
  const own = new CelObject(get, {}, () => undefined);
  const variables: Variables = name => (name === 'variables' ? own : outer(name));
  return {
    variables,
    spent() {
      const all = spent;
      spent = 0;
      return all;
    },
  };
}
