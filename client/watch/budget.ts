import { ExpectedError } from '../../lib/logging/cause.js';

/**
 * Bytes that the mirrors of one server may hold together. A server that describes more objects than fit is mirrored in part, and the
 * mirrors that are cut short report an error.
 */
export class Budget {
  readonly #limit: number;
  #held = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get held(): number {
    return this.#held;
  }

  /** Throws, and takes nothing, when there is no room. Negative: gives back. */
  take(bytes: number): void {
    if (bytes > 0 && this.#held + bytes > this.#limit)
      throw new ExpectedError(`the objects of the cluster take more than ${this.#limit / (1024 * 1024)} MiB`);
    this.#held += bytes;
  }
}
