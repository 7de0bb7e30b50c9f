/** Evaluations that let others have their turn. */
import type { InSteps } from '../../lib/time-slice.js';
import type { Compiled } from './environment.js';
import type { Outcome } from '../../lib/cel/evaluate.js';
import type { Pace } from '../../lib/cel/pace.js';
import { Progress } from '../../lib/cel/progress.js';
import type { Value } from '../../lib/cel/values.js';

/** The outcome of an expression. Yields where the expression makes a pause: the variables have to be the same after it. */
export function* outcomeOf(
  { run }: Compiled,
  variables: (name: string) => Value | undefined,
  pace: Pace,
): InSteps<Outcome> {
  const progress = new Progress();
  for (;;) {
    const outcome = run(variables, { pace, progress });
    if (!outcome.paused) return outcome;
    yield;
  }
}

/** Runs work that yields wherever others may get their turn: at once, or as a promise where its turn is over before it is done. */
export function inTurns<T>(work: InSteps<T>, pace: Pace): T | Promise<T> {
  for (let next = work.next(); ; next = work.next()) {
    if (next.done) return next.value;
    if (pace.isTurnOver) return restInTurns(work, pace);
  }
}

async function restInTurns<T>(work: InSteps<T>, pace: Pace): Promise<T> {
  for (;;) {
    await pace.nextTurn();
    let next = work.next();
    while (!next.done && !pace.isTurnOver) next = work.next();
    if (next.done) return next.value;
  }
}
