/** Match conditions of webhooks and policies: further reasons to leave a request alone. */
// as apiserver/pkg/admission/plugin/webhook/matchconditions
import type { InSteps } from '../../lib/time-slice.js';
import { aggregate } from '../../apimachinery/errors/aggregate.js';
import { bool } from '../../lib/cel/types.js';
import type { Pace } from '../../lib/cel/pace.js';
import type { MatchCondition } from '../../api/kubernetes/admissionregistration.js';
import { compileExpression } from '../../kinds/kubernetes/admissionregistration/expressions/compile.js';
import { type Budget, type Expression, OutOfBudget, type Variables, conditionsBudget, evaluate } from './evaluate.js';

/** An expression, or why it does not compile. */
export type Readied = Expression | { readonly source: string; readonly error: string };

export const readied = (
  source: string,
  scope: Parameters<typeof compileExpression>[1],
  wanted: Parameters<typeof compileExpression>[2],
): Readied => {
  const compiled = compileExpression(source, scope, wanted);
  return 'error' in compiled ? { source, error: compiled.error } : { source, compiled };
};

/** `params`: may they refer to parameters? */
export const conditionsOf = (conditions: readonly MatchCondition[] | undefined, params: boolean): readonly Readied[] =>
  (conditions ?? []).map(({ expression = '' }) => readied(expression.trim(), { params, authorizer: true }, [bool]));

/** What became of conditions, for those who count. */
export interface Tally {
  failed: number;
  seconds: number;
}

export const newTally = (): Tally => ({ failed: 0, seconds: 0 });

/** One that is false decides; otherwise one that fails is an error. Gives what went wrong as text. Yields where others may get their turn. */
export function* holds(
  conditions: readonly Readied[],
  variables: Variables,
  pace: Pace,
  tally: Tally = newTally(),
): InSteps<Held> {
  const started = performance.now();
  tally.failed = 0;
  try {
    return yield* outcome(conditions, variables, pace, tally);
  } finally {
    tally.seconds = (performance.now() - started) / 1000;
  }
}

/** Whether conditions hold, or why that is not known. */
export type Held = boolean | { readonly error: string };

function* outcome(conditions: readonly Readied[], variables: Variables, pace: Pace, tally: Tally): InSteps<Held> {
  const budget: Budget = { left: conditionsBudget };
  const errors: string[] = [];
  try {
    for (const condition of conditions) {
      const found =
        'error' in condition
          ? { error: `compilation error: ${condition.error}` }
          : yield* evaluate(condition, { variables, budget, pace });
      if ('error' in found) {
        tally.failed++;
        errors.push(found.error);
      } else if (found.value === false) return false;
    }
  } catch (error) {
    if (error instanceof OutOfBudget) return { error: error.message };
    throw error;
  }
  return errors.length === 0 || { error: aggregate(errors) };
}
