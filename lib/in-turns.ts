/** Computations in steps: at once where they are short, with turns of the event loop between the steps where they are long. */

/** A computation that may be interrupted where it yields. */
export type InSteps<T> = Generator<undefined, T, undefined>;

/** The result, without interruptions. hot: */
export function atOnce<T>(steps: InSteps<T>): T {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

/** The result, after a `rest` between the steps. */
export async function inTurns<T>(steps: InSteps<T>, rest: () => Promise<void>): Promise<T> {
  let step = steps.next();
  while (step.done !== true) {
    await rest();
    step = steps.next();
  }
  return step.value;
}
