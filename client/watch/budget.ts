import { ExpectedError } from '../../lib/logging/cause.js';

/**
 * Limit in bytes for all mirrors of one server together. If the objects do not fit, they are mirrored in part, and the incomplete
 * mirrors report an error.
 */
export class MirrorBudget {
  readonly limit: number;
  #used = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  get used(): number {
    return this.#used;
  }

  /** Takes bytes from the budget; a negative number returns them. Throws ExpectedError, and takes nothing, if they exceed the limit. */
  take(bytes: number): void {
    if (bytes > 0 && this.#used + bytes > this.limit)
      throw new ExpectedError(`the objects of the cluster take more than ${this.limit / (1024 * 1024)} MiB`);
    this.#used += bytes;
  }
}
