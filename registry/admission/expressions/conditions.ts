/** Match conditions of webhooks and policies: further reasons to leave a request alone. */
// as apiserver/pkg/admission/plugin/webhook/matchconditions
import { aggregate } from '../../../openapi/meta/aggregate.js';
import { bool } from '../../../openapi/schema/cel/types.js';
import type { MatchCondition } from '../../kinds/types/admissionregistration.js';
import { compileExpression } from './compile.js';
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

/** One that is false decides; otherwise one that fails is an error. Gives what went wrong as text. */
export function holds(
  conditions: readonly Readied[],
  variables: Variables,
  tally: Tally = newTally(),
): boolean | { readonly error: string } {
  const started = performance.now();
  tally.failed = 0;
  try {
    return outcomeOf(conditions, variables, tally);
  } finally {
    tally.seconds = (performance.now() - started) / 1000;
  }
}

function outcomeOf(conditions: readonly Readied[], variables: Variables, tally: Tally): ReturnType<typeof holds> {
  const budget: Budget = { left: conditionsBudget };
  const errors: string[] = [];
  try {
    for (const condition of conditions) {
      const outcome =
        'error' in condition
          ? { error: `compilation error: ${condition.error}` }
          : evaluate(condition, variables, budget);
      if ('error' in outcome) {
        tally.failed++;
        errors.push(outcome.error);
      } else if (outcome.value === false) return false;
    }
  } catch (error) {
    if (error instanceof OutOfBudget) return { error: error.message };
    throw error;
  }
  return errors.length === 0 || { error: aggregate(errors) };
}
