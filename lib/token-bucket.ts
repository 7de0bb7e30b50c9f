export interface TokenRate {
  readonly perSecond: number;
  /** The number of tokens that may be taken at once after a time without use. */
  readonly burst: number;
}

/** A token bucket that lends tokens: those who come too early get a time to wait, in the order in which they come. */
export class TokenBucket {
  readonly #rate: TokenRate;
  readonly #now: () => number;
  #tokens: number;
  #refilledAt: number;

  /** `now` returns milliseconds. */
  constructor(rate: TokenRate, now: () => number) {
    this.#rate = rate;
    this.#now = now;
    this.#tokens = rate.burst;
    this.#refilledAt = now();
  }

  /** Takes a token, possibly in advance. Returns the milliseconds until it is available. */
  take(): number {
    const { burst, perSecond } = this.#rate;
    const now = this.#now();
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#refilledAt) / 1000) * perSecond) - 1;
    this.#refilledAt = now;
    return this.#tokens >= 0 ? 0 : (-this.#tokens / perSecond) * 1000;
  }
}
