import type { Key } from './interface.js';

export interface RateLimits {
  /** First delay of a failing key, doubled with every failure up to `maxMs`. */
  readonly baseMs: number;
  readonly maxMs: number;
  /** Rate of retries per second for all keys together, after a burst. */
  readonly perSecond: number;
  readonly burst: number;
  /** Maximum delay of a failing key, in spite of the common rate. Without it, the rate alone may delay a key for longer than `maxMs`. */
  readonly maxDelayMs?: number;
}

/** The limits of Karmada's controllers (`--rate-limiter-*`). */
export const defaultRateLimits: RateLimits = { baseMs: 5, maxMs: 1_000_000, perSecond: 10, burst: 100 };

/** Limits retries: exponential backoff per key, and a token bucket for all. */
export class RateLimiter {
  readonly #limits: RateLimits;
  readonly #now: () => number;
  /** The number of failures since the last success. */
  readonly #failures = new Map<Key, number>();
  #tokens: number;
  #refilledAt: number;

  /** `now` returns milliseconds. */
  constructor(limits: RateLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
    this.#tokens = limits.burst;
    this.#refilledAt = now();
  }

  /** Records a failure and returns the delay until the next retry in milliseconds. */
  backoff(key: Key): number {
    const { baseMs, maxMs, maxDelayMs = Infinity } = this.#limits;
    const failed = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failed + 1);
    return Math.min(Math.max(Math.min(baseMs * 2 ** failed, maxMs), this.#reserve()), maxDelayMs);
  }

  /** Resets the failures of a key. */
  forget(key: Key): void {
    this.#failures.delete(key);
  }

  /** Reports whether the key has failed since its last success. */
  hasFailed(key: Key): boolean {
    return this.#failures.has(key);
  }

  /** The keys that have failed since their last success. */
  get failed(): Iterable<Key> {
    return this.#failures.keys();
  }

  /** Whether any key has failed since its last success. */
  get hasFailures(): boolean {
    return this.#failures.size > 0;
  }

  /** Takes a token, possibly in advance. Returns the milliseconds until it is available. */
  #reserve(): number {
    const { burst, perSecond } = this.#limits;
    const now = this.#now();
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#refilledAt) / 1000) * perSecond) - 1;
    this.#refilledAt = now;
    return this.#tokens >= 0 ? 0 : (-this.#tokens / perSecond) * 1000;
  }
}
