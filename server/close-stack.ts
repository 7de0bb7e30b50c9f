import type { Maybe } from '../lib/maybe.js';

/** Steps that close what was opened, in reverse order. */
export class CloseStack {
  readonly #steps: (() => Maybe<void>)[] = [];

  /** Adds a step. `close` undoes what was just opened. */
  push(close: () => Maybe<void>): void {
    this.#steps.push(close);
  }

  /** Runs all steps, the last one first, even when some fail; throws the first error. */
  async all(): Promise<void> {
    const failures: unknown[] = [];
    for (let step = this.#steps.pop(); step; step = this.#steps.pop()) {
      try {
        await step();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
