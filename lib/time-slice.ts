/** Long work that lets others have the event loop. */
import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';

/** A stretch of time for which work may hold the event loop. */
export class TimeSlice {
  readonly #milliseconds: number;
  #began = performance.now();

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  /** To be called between steps. Returns the next turn of the event loop, to be awaited, when the time is over; undefined before. */
  pause(): Promise<void> | undefined {
    return performance.now() - this.#began < this.#milliseconds ? undefined : this.#nextTurn();
  }

  async #nextTurn(): Promise<void> {
    await setImmediate();
    this.#began = performance.now();
  }
}

/** Runs steps to their end, in time slices. */
export async function inTimeSlices<T>(steps: Iterator<unknown, T>, milliseconds = 8): Promise<T> {
  const slice = new TimeSlice(milliseconds);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    const turn = slice.pause();
    if (turn) await turn;
  }
}

/** Runs steps to their end in this turn of the event loop. */
export function atOnce<T>(steps: Iterator<unknown, T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}
