/** What was opened in order, to be closed in reverse. */
export class CloseStack {
  readonly #steps: (() => Promise<void> | void)[] = [];

  /** `close` undoes what was just opened. */
  push(close: () => Promise<void> | void): void {
    this.#steps.push(close);
  }

  /** Runs all steps, the last first, whatever fails; throws the first failure. */
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
