/**
 * How far an expression has come that makes pauses. It runs again from its beginning after each: what it is made of gives the same values again,
 * and its outermost comprehensions, in which all its time is spent, go on where they were.
 */
import type { CelError, Value } from './values.js';

/** Ends a run at a pause. Nothing in an expression catches it. */
export class Paused extends Error {}

/** What had been spent when a comprehension came to a place. */
interface Spent {
  readonly cost: number;
  readonly steps: number;
}

/** Where a comprehension has come to: the item that is next and what is gathered, or its result. */
export type Checkpoint =
  | (Spent & { readonly type: 'within'; readonly next: number; readonly gathered: Value | CelError })
  | (Spent & { readonly type: 'done'; readonly result: Value });

/** The outermost comprehensions of one evaluation, in the order in which they are run. */
export class Progress {
  private readonly checkpoints = new Map<number, Checkpoint>();
  private count = 0;

  /** The evaluation runs again. True where it has run before. */
  restart(): boolean {
    this.count = 0;
    return this.checkpoints.size > 0;
  }

  /** The number of the comprehension that begins now. */
  enter(): number {
    return this.count++;
  }

  at(place: number): Checkpoint | undefined {
    return this.checkpoints.get(place);
  }

  set(place: number, checkpoint: Checkpoint): void {
    this.checkpoints.set(place, checkpoint);
  }
}
