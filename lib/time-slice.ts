import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';

/** Lets others have the event loop in the midst of long work. */
export class TimeSlice {
  readonly #milliseconds: number;
  #began = performance.now();

  /** How long the work may hold the loop before it lets go of it. */
  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  /** To be called between steps: waits for the next turn of the loop when the time is over. */
  async pause(): Promise<void> {
    if (performance.now() - this.#began < this.#milliseconds) return;
    await setImmediate();
    this.#began = performance.now();
  }
}
