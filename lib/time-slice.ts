/**
 * Divides the event loop between long work and everything else: all long work together holds the loop for one time slice per turn, plus the
 * last step that began in it. The rest waits for later turns, first come first served. Work asks for its turn before each step, the first one
 * included: of a hundred pieces of work that begin in one turn, each would otherwise take a step of it.
 */
import { performance } from 'node:perf_hooks';
import type { Maybe } from './maybe.js';

/** Milliseconds of one turn that long requests together may take. */
const requestMs = 8;
/** Milliseconds for which a walk works before it lets other work go first. */
const walkMs = 1;
/** Milliseconds of one turn after which background work lets requests go first. */
const backgroundMs = 4;

/** Measures how much of the current turn of the event loop long work has had. */
class CurrentTurn {
  #began: number | undefined;

  /** Returns when the work of this turn began, by `performance.now()`: now, if none has. */
  began(): number {
    if (this.#began === undefined) {
      this.#began = performance.now();
      // Immediates run in their order, so this comes before all that waits for the next turn.
      setImmediate(this.#end);
    }
    return this.#began;
  }

  /** Runs `resume` in the first turn that has time left, after earlier calls. */
  readonly resumeLater = (resume: () => void): void => {
    setImmediate(this.#enter, resume);
  };

  readonly #enter = (resume: () => void): void => {
    if (performance.now() - this.began() >= requestMs) this.resumeLater(resume);
    else resume();
  };

  readonly #end = (): void => {
    this.#began = undefined;
  };
}

/** A thread has one event loop. */
const turn = new CurrentTurn();

/** Resolves in a later turn of the event loop. */
export const nextTurn = (): Promise<void> => new Promise(turn.resumeLater);

/** A stretch of time for which a piece of work may hold the event loop. It is shorter, or over, if other work has used a part of the turn. */
export class TimeSlice {
  readonly #milliseconds: number;
  #began = turn.began();

  constructor(milliseconds: number = requestMs) {
    this.#milliseconds = milliseconds;
  }

  /**
   * To be called before each step, the first one included. Returns a later turn of the event loop, to be awaited, when the slice is over; undefined
   * before. The step that follows the turn needs no further call.
   */
  pause(): Promise<void> | undefined {
    return performance.now() - this.#began < this.#milliseconds ? undefined : this.#nextTurn();
  }

  async #nextTurn(): Promise<void> {
    await nextTurn();
    this.#began = turn.began();
  }
}

/**
 * A computation that may be interrupted where it yields. A `yield` returns true if all steps run at once (`atOnce`): then there is no use in dividing
 * the rest into steps.
 */
export type InSteps<T> = Generator<undefined, T, unknown>;

/**
 * Runs steps to their end in time slices: at once where the rest of this turn's slice is enough. An error of a step is thrown, or rejects the
 * promise.
 */
export function inTimeSlices<T>(steps: InSteps<T>, milliseconds = requestMs): Maybe<T> {
  const slice = new TimeSlice(milliseconds);
  for (;;) {
    // Before the first step, too: much work may begin in one turn.
    const pause = slice.pause();
    if (pause) return continueInSlices(steps, slice, pause);
    const { done, value } = steps.next();
    if (done) return value;
  }
}

async function continueInSlices<T>(steps: InSteps<T>, slice: TimeSlice, first: Promise<void>): Promise<T> {
  await first;
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    const pause = slice.pause();
    if (pause) await pause;
  }
}

/** Runs steps to their end in this turn of the event loop. hot: most values are small, and their steps are run in this way. */
export function atOnce<T>(steps: InSteps<T>): T {
  let step = steps.next(true);
  while (step.done !== true) step = steps.next(true);
  return step.value;
}

/** Divides work on many small items into steps: a step between any two items would cost more than the items. */
export class Strides {
  readonly #length: number;
  #left: number;

  /** `length` is the number of items between two steps. */
  constructor(length = 32) {
    this.#length = length;
    this.#left = length;
  }

  /** To be called after each item. Returns whether a step is over. */
  get isOver(): boolean {
    if (--this.#left > 0) return false;
    this.#left = this.#length;
    return true;
  }
}

/**
 * Returns a later turn of the event loop, to be awaited, once background work has held this one for a few milliseconds; undefined before. Work
 * in process completes in microtasks, so a queue that is never empty would otherwise never let sockets and timers run.
 */
export function yieldToEventLoop(): Promise<void> | undefined {
  return performance.now() - turn.began() < backgroundMs ? undefined : nextTurn();
}

/**
 * Divides a walk over many items that mostly take microseconds. `yieldToEventLoop` between any two of them would take a turn of the event loop each
 * while other work fills the turns. Walks that begin in one turn share its time.
 */
export class WalkPauses {
  #resumed = turn.began();

  /**
   * To be called before or after each item. Returns a later turn of the event loop, to be awaited, once the walk has worked for a millisecond, or others
   * have before it began.
   */
  next(): Promise<void> | undefined {
    const now = performance.now();
    if (now - this.#resumed < walkMs) return undefined;
    const pause = yieldToEventLoop();
    if (pause) return this.#resumeAfter(pause);
    this.#resumed = now;
    return undefined;
  }

  async #resumeAfter(pause: Promise<void>): Promise<void> {
    await pause;
    this.#resumed = performance.now();
  }
}

/**
 * Calls `act` for each item, and lets sockets and timers run before and in between. Only `act` may change the collection meanwhile. The walk is
 * background work, unless a request waits for it and passes its slice.
 */
export async function eachInTurns<T>(
  items: Iterable<T>,
  act: (item: T) => void,
  slice = new TimeSlice(backgroundMs),
): Promise<void> {
  // An item may be made by the iterator, so the first turn comes before the first item is read.
  const begin = slice.pause();
  if (begin) await begin;
  for (const item of items) {
    act(item);
    const pause = slice.pause();
    if (pause) await pause;
  }
}
