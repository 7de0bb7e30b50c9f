/** Limits the memory of what requests hold of the lists of members, which decide themselves how long these are. */
import { internal } from '../../apimachinery/errors/status.js';
import { MirrorBudget } from '../../client/watch/budget.js';
import { ExpectedError } from '../../lib/logging/cause.js';
import { type Cached, memoryOf } from './cached.js';

/** The memory of what one request holds. */
export class HeldObjects {
  readonly #budget: MirrorBudget;
  #taken = 0;
  #isEnded = false;

  constructor(budget: MirrorBudget) {
    this.#budget = budget;
  }

  /**
   * Counts objects of a cluster, and returns their memory in bytes. Throws 500, and counts none, if the requests hold too much. Returns 0 after the
   * end of the request: a page that a member sends then is dropped, and would never be released.
   */
  take(objects: readonly Cached[], cluster: string): number {
    if (this.#isEnded) return 0;
    const bytes = objects.reduce((sum, object) => sum + memoryOf(object), 0);
    try {
      this.#budget.take(bytes);
    } catch (error) {
      if (!(error instanceof ExpectedError)) throw error;
      const limit = this.#budget.limit / (1024 * 1024);
      throw internal(`the list of cluster ${cluster} is not read on: the lists of members take more than ${limit} MiB`);
    }
    this.#taken += bytes;
    return bytes;
  }

  /** To be called when objects of this memory are not held any more. After the end of the request it does nothing. */
  release(bytes: number): void {
    if (this.#isEnded) return;
    this.#budget.take(-bytes);
    this.#taken -= bytes;
  }

  /** To be called at the end of the request. */
  releaseAll(): void {
    this.release(this.#taken);
    this.#isEnded = true;
  }
}

export class HeldLists {
  readonly #budget: MirrorBudget;

  /** `limit`: maximum memory in bytes of the lists of all requests together. */
  constructor(limit: number) {
    this.#budget = new MirrorBudget(limit);
  }

  /** Begins to count for a request. */
  request(): HeldObjects {
    return new HeldObjects(this.#budget);
  }
}
