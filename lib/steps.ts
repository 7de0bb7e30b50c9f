/** Counts the steps of work whose length depends on its input, so that it ends at a bound. A step takes some ten nanoseconds. */
export interface Steps {
  /** Counts steps before they are taken. Throws when the bound is reached. */
  take(count: number): void;
}

/** The bound of a StepLimit is reached. */
export class OutOfSteps extends Error {
  constructor() {
    super('the work takes more steps than it may');
  }
}

/** A number of steps to take. `take` throws OutOfSteps when there are no more. */
export class StepLimit implements Steps {
  private left: number;

  constructor(steps: number) {
    this.left = steps;
  }

  take(count: number): void {
    this.left -= count;
    if (this.left < 0) throw new OutOfSteps();
  }
}
