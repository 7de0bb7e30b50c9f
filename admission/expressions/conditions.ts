/** Match conditions of webhooks and policies. */
// as apiserver/pkg/admission/plugin/webhook/matchconditions
import type { InSteps } from '../../lib/time-slice.js';
import { aggregate } from '../../apimachinery/errors/aggregate.js';
import { bool } from '../../lib/cel/types.js';
import type { Pace } from '../../lib/cel/interpreter/pace.js';
import type { MatchCondition } from '../../api/kubernetes/admissionregistration.js';
import { compileExpression } from '../../kinds/kubernetes/admissionregistration/expressions/compile.js';
import {
  type ExpressionBudget,
  type Expression,
  OutOfExpressionBudget,
  type Variables,
  conditionsBudget,
  evaluate,
} from './evaluate.js';

/** A compiled expression, or the error of its compilation. */
export type CompileResult = Expression | { readonly source: string; readonly error: string };

/** Compiles an expression; an error of the compilation is a value, which is reported when the expression is evaluated. */
export const tryCompile = (
  source: string,
  scope: Parameters<typeof compileExpression>[1],
  resultTypes: Parameters<typeof compileExpression>[2],
): CompileResult => {
  const compiled = compileExpression(source, scope, resultTypes);
  return 'error' in compiled ? { source, error: compiled.error } : { source, compiled };
};

/** Compiles match conditions. `params`: they may refer to parameters. */
export const matchConditionsOf = (
  conditions: readonly MatchCondition[] | undefined,
  params: boolean,
): readonly CompileResult[] =>
  (conditions ?? []).map(({ expression = '' }) => tryCompile(expression.trim(), { params, authorizer: true }, [bool]));

/** Metrics of an evaluation of conditions: failed ones, and seconds. */
export interface ConditionTally {
  failed: number;
  seconds: number;
}

/** Returns the tally of the conditions of one request before any is evaluated. */
export const newTally = (): ConditionTally => ({ failed: 0, seconds: 0 });

/** Evaluates conditions: false if one is false, else an error if one fails. Yields at the end of a time slice. */
export function* holds(
  conditions: readonly CompileResult[],
  variables: Variables,
  pace: Pace,
  tally: ConditionTally = newTally(),
): InSteps<ConditionsResult> {
  const started = performance.now();
  tally.failed = 0;
  try {
    return yield* outcome(conditions, variables, pace, tally);
  } finally {
    tally.seconds = (performance.now() - started) / 1000;
  }
}

/** Whether conditions hold, or the error of their evaluation. */
type ConditionsResult = boolean | { readonly error: string };

function* outcome(
  conditions: readonly CompileResult[],
  variables: Variables,
  pace: Pace,
  tally: ConditionTally,
): InSteps<ConditionsResult> {
  const budget: ExpressionBudget = { left: conditionsBudget };
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
    if (error instanceof OutOfExpressionBudget) return { error: error.message };
    throw error;
  }
  return errors.length === 0 || { error: aggregate(errors) };
}
