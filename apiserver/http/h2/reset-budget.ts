/** Streams that may be reset at once, and per second. as nghttp2 (stream reset rate limit) */
const burst = 1000;
const perSecond = 33;

/**
 * Limits how often a client may cause resets of streams, by its own RST_STREAM or by a violation on the stream: a request whose answer is not wanted
 * costs the server its work and the client nothing (CVE-2023-44487, CVE-2025-8671).
 */
export class ResetBudget {
  readonly #clock: () => number;
  #left = burst;
  #since: number;

  /** `clock`: milliseconds. */
  constructor(clock: () => number) {
    this.#clock = clock;
    this.#since = clock();
  }

  /** Counts one reset. Returns false when the budget is used up. */
  spend(): boolean {
    const now = this.#clock();
    this.#left = Math.min(burst, this.#left + ((now - this.#since) / 1000) * perSecond) - 1;
    this.#since = now;
    return this.#left >= 0;
  }
}
