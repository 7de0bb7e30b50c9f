/** Evaluates expressions in several turns of the event loop. */
import type { InSteps } from '../../lib/time-slice.js';
import type { Compiled } from './environment.js';
import type { EvaluationOutcome } from '../../lib/cel/interpreter/program.js';
import type { Pace } from '../../lib/cel/interpreter/pace.js';
import { Progress } from '../../lib/cel/interpreter/progress.js';
import type { Value } from '../../lib/cel/values.js';
import type { Maybe } from '../../lib/maybe.js';

/** Evaluates an expression. Yields when the expression pauses; the variables must have the same values afterwards. */
export function* outcomeOf(
  { run }: Compiled,
  variables: (name: string) => Value | undefined,
  pace: Pace,
): InSteps<EvaluationOutcome> {
  const progress = new Progress();
  for (;;) {
    const outcome = run(variables, { pace, progress });
    if (!outcome.paused) return outcome;
    yield;
  }
}

/** Runs work to its end. Returns a promise only if it is not done within the current turn of the event loop. */
export function inTurns<T>(work: InSteps<T>, pace: Pace): Maybe<T> {
  for (let next = work.next(); ; next = work.next()) {
    if (next.done) return next.value;
    if (pace.isTurnOver) return continueInTurns(work, pace);
  }
}

async function continueInTurns<T>(work: InSteps<T>, pace: Pace): Promise<T> {
  for (;;) {
    await pace.nextTurn();
    let next = work.next();
    while (!next.done && !pace.isTurnOver) next = work.next();
    if (next.done) return next.value;
  }
}
