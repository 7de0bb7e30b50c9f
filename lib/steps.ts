/** Counts the steps of work whose length depends on its input, so that it ends at a limit. A step takes about ten nanoseconds. */
export interface Steps {
  /** Counts steps before they are taken. Throws when the limit is exceeded. */
  take(count: number): void;
}

/** Thrown when the limit of a StepLimit is exceeded. */
export class OutOfSteps extends Error {
  constructor() {
    super('the work takes more steps than it may');
  }
}

/** A limited number of steps. `take` throws OutOfSteps when they are used up. */
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
