/** Streams that may be broken off at once, and how many more each second. as nghttp2 (stream reset rate limit) */
const burst = 1000;
const perSecond = 33;

/**
 * How often a client may have streams broken off, by a reset of its own or by what it says on them: requests whose answers nobody wants cost us
 * the work and the client nothing (CVE-2023-44487, CVE-2025-8671).
 */
export class ResetBudget {
  readonly #clock: () => number;
  #left = burst;
  #since: number;

  /** Milliseconds. */
  constructor(clock: () => number) {
    this.#clock = clock;
    this.#since = clock();
  }

  /** False: it is used up. */
  spend(): boolean {
    const now = this.#clock();
    this.#left = Math.min(burst, this.#left + ((now - this.#since) / 1000) * perSecond) - 1;
    this.#since = now;
    return this.#left >= 0;
  }
}
