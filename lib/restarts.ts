interface RestartsOptions {
  /** Milliseconds before the first restart, and before each one after a success. */
  readonly firstMs: number;
  /** The longest delay in milliseconds. */
  readonly lastMs: number;
}

/** Starts again what has ended, after a delay that doubles until a start succeeds. */
export class Restarts {
  readonly #options: RestartsOptions;
  readonly #timers = new Set<NodeJS.Timeout>();
  #delayMs: number;

  constructor(options: RestartsOptions) {
    this.#options = options;
    this.#delayMs = options.firstMs;
  }

  /** Calls `start` after the delay, which it returns in milliseconds. */
  schedule(start: () => void): number {
    const delayMs = this.#delayMs;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      start();
    }, delayMs);
    this.#timers.add(timer);
    this.#delayMs = Math.min(2 * delayMs, this.#options.lastMs);
    return delayMs;
  }

  /** Notes a success: the next delay is the first one again. */
  succeeded(): void {
    this.#delayMs = this.#options.firstMs;
  }

  /** Cancels the starts that are scheduled. */
  cancel(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }
}
