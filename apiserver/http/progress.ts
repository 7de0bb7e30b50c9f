import { performance } from 'node:perf_hooks';

/** A time in which nothing was noted. */
export interface Step<W> {
  readonly milliseconds: number;
  /** What was noted last before it, and first after it: one of the two, most likely, took the time. */
  readonly before: W | undefined;
  readonly after: W | undefined;
}

/** Milliseconds. Shorter steps are not kept. */
const minStep = 10;
const maxSteps = 3;

/** Records what the event loop worked on, so that a stall can be attributed. The code that works on something notes it each time the work continues. */
export class Progress<W extends object> {
  #last: W | undefined;
  #at = performance.now();
  #steps: Step<W>[] = [];

  /** hot: at each turn of a request. */
  note(work: W): void {
    const now = performance.now();
    if (now - this.#at >= minStep) this.#keep(now, work);
    this.#last = work;
    this.#at = now;
  }

  /** Whether something was noted since `take` was called last. */
  get isActive(): boolean {
    return this.#last !== undefined;
  }

  /** The longest steps since this was called last, longest first. From then on no reference to any work is held. */
  take(): readonly Step<W>[] {
    const now = performance.now();
    if (now - this.#at >= minStep) this.#keep(now, undefined);
    this.#last = undefined;
    this.#at = now;
    if (this.#steps.length === 0) return none;
    const steps = this.#steps;
    this.#steps = [];
    return steps;
  }

  #keep(now: number, after: W | undefined): void {
    if (this.#last === undefined && after === undefined) return;
    this.#steps.push({ milliseconds: now - this.#at, before: this.#last, after });
    this.#steps.sort((a, b) => b.milliseconds - a.milliseconds);
    this.#steps.length = Math.min(this.#steps.length, maxSteps);
  }
}

const none: readonly never[] = [];
