export interface TokenRate {
  readonly perSecond: number;
  /** The number of tokens that may be taken at once after a time without use. */
  readonly burst: number;
}

/** A token bucket that may be overdrawn: a caller for whom it has no token gets the time until there is one, in the order of the calls. */
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
    this.#refill();
    this.#tokens--;
    return this.#tokens >= 0 ? 0 : (-this.#tokens / this.#rate.perSecond) * 1000;
  }

  /** Gives back a token that was taken and not used. Callers that wait already are not served earlier. */
  giveBack(): void {
    this.#refill();
    this.#tokens = Math.min(this.#rate.burst, this.#tokens + 1);
  }

  #refill(): void {
    const { burst, perSecond } = this.#rate;
    const now = this.#now();
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#refilledAt) / 1000) * perSecond);
    this.#refilledAt = now;
  }
}
