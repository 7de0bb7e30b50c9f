import { performance } from 'node:perf_hooks';

/** A period without a call of `note`. */
export interface LoopPeriod<W> {
  readonly milliseconds: number;
  /** The last work that was noted before it, and the first one after it: most likely one of the two took the time. */
  readonly before: W | undefined;
  readonly after: W | undefined;
}

/** Milliseconds. Shorter steps are not recorded. */
const minStep = 10;
const maxSteps = 3;

/** Records what the event loop worked on, so that a stall can be attributed. The code that works on something notes it each time the work continues. */
export class LoopProgress<W extends object> {
  #last: W | undefined;
  #at = performance.now();
  #steps: LoopPeriod<W>[] = [];

  /** hot: called at each turn of a request. */
  note(work: W): void {
    const now = performance.now();
    if (now - this.#at >= minStep) this.#record(now, work);
    this.#last = work;
    this.#at = now;
  }

  /** Whether work was noted since the last call of `take`. */
  get isActive(): boolean {
    return this.#last !== undefined;
  }

  /** Returns the longest steps since the last call, longest first. No reference to any work is held afterwards. */
  take(): readonly LoopPeriod<W>[] {
    const now = performance.now();
    if (now - this.#at >= minStep) this.#record(now, undefined);
    this.#last = undefined;
    this.#at = now;
    if (this.#steps.length === 0) return noSteps;
    const steps = this.#steps;
    this.#steps = [];
    return steps;
  }

  #record(now: number, after: W | undefined): void {
    if (this.#last === undefined && after === undefined) return;
    this.#steps.push({ milliseconds: now - this.#at, before: this.#last, after });
    this.#steps.sort((a, b) => b.milliseconds - a.milliseconds);
    this.#steps.length = Math.min(this.#steps.length, maxSteps);
  }
}

const noSteps: readonly never[] = [];
