/** Runs expressions within their limits. as cel-go cel/program.go */
import type { Expr } from '../parser/ast.js';
import { Cancelled } from '../cancelled.js';
import type { Checked } from '../checker/check.js';
import { type Allowance, ExecutionFrame } from './frame.js';
import { planRun } from './planner.js';
import { Paused } from './progress.js';
import type { Type } from '../types.js';
import { CelError, type Value } from '../values.js';

/** Units counted for a run besides its cost and steps, towards the next check of the time slice. */
const runUnits = 20;

export interface EvaluationOutcome {
  readonly cost: number;
  readonly steps: number;
  readonly value?: Value;
  /** The error in cel-go's words. */
  readonly error?: string;
  /** True when the expression exceeded its cost, its steps or its time. */
  readonly cancelled?: boolean;
  /** True when the expression is not finished: it continues when it is run again with the same progress. */
  readonly paused?: boolean;
}

export type Program = (variables: (name: string) => Value | undefined, allowance: Allowance) => EvaluationOutcome;

/** Returns the outcome of an expression that threw. Rethrows errors that are no failure of the expression. */
function failed(error: unknown, { cost, steps }: ExecutionFrame): EvaluationOutcome {
  if (error instanceof CelError) return { error: error.message, cost, steps };
  if (error instanceof Paused) return { paused: true, cost, steps };
  if (error instanceof Cancelled) return { error: error.message, cost, steps, cancelled: true };
  // Values are nested too deeply for the stack, or a string or list exceeds V8's limits.
  if (error instanceof RangeError) {
    const { message } = new Cancelled('values are too large or nested too deeply');
    return { error: message, cost, steps, cancelled: true };
  }
  throw error;
}

/** Compiles a checked expression. Throws CelError when a constant cannot be converted. */
export function planProgram(node: Expr, checked: Checked, types: ReadonlyMap<string, Type>): Program {
  const run = planRun(node, checked, types);
  return (variables, allowance) => {
    const frame = new ExecutionFrame(variables, allowance);
    const { pace } = allowance;
    pace?.begin(allowance.progress?.restart());
    try {
      const value = run(frame);
      return { value, cost: frame.cost, steps: frame.steps };
    } catch (error) {
      return failed(error, frame);
    } finally {
      pace?.end(runUnits + frame.cost + frame.steps);
    }
  };
}
