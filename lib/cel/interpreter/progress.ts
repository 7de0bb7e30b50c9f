/**
 * The progress of an expression that pauses. After a pause it runs again from its beginning: its parts give the same values again, and its
 * outermost comprehensions, which take all the time, continue where they were.
 */
import type { CelError, Value } from '../values.js';

/** Thrown to pause a run. No expression can catch it. */
export class Paused extends Error {}

/** The cost and steps spent up to a point. */
interface Spent {
  readonly cost: number;
  readonly steps: number;
}

/** The state of a comprehension: its next item and the accumulated value, or its result. */
type Checkpoint =
  | (Spent & { readonly type: 'within'; readonly next: number; readonly gathered: Value | CelError })
  | (Spent & { readonly type: 'done'; readonly result: Value });

/** The outermost comprehensions of one evaluation, in the order in which they run. */
export class Progress {
  private readonly checkpoints = new Map<number, Checkpoint>();
  private count = 0;

  /** Begins another run. Returns whether the evaluation has run before. */
  restart(): boolean {
    this.count = 0;
    return this.checkpoints.size > 0;
  }

  /** Returns the number of the comprehension that begins now. */
  enter(): number {
    return this.count++;
  }

  at(index: number): Checkpoint | undefined {
    return this.checkpoints.get(index);
  }

  set(index: number, checkpoint: Checkpoint): void {
    this.checkpoints.set(index, checkpoint);
  }
}
