/** Variables of a policy: expressions that others refer to, run when they are first asked for. */
// as apiserver/pkg/admission/plugin/cel composition.go
import { goQuote } from '../../../openapi/meta/go-text.js';
import { type Type, dyn } from '../../../openapi/schema/cel/types.js';
import { CelError, CelObject, type Value } from '../../../openapi/schema/cel/values.js';
import type { Variable } from '../../kinds/types/admissionregistration.js';
import type { Scope } from '../expressions/compile.js';
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

export interface Composed {
  readonly variables: Variables;
  /** What they have cost since it was last asked. */
  spent(): number;
}

/** With `variables` besides what there is. */
export function composed({ expressions }: Composition, outer: Variables): Composed {
  let spent = 0;
  const made = new Map<string, Value | CelError>();

  function run(name: string, expression: Readied): Value | CelError {
    if ('error' in expression)
      return new CelError(`composited variable ${goQuote(name)} fails to compile: ${expression.error}`);
    const { value, error, cost } = expression.compiled.run(variables);
    spent += cost;
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
