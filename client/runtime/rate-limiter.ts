import { TokenBucket, type TokenRate } from '../../lib/token-bucket.js';
import type { Key } from './interface.js';

/** Limits of retries; the rate is that of all keys together. */
export interface RateLimits extends TokenRate {
  /** First delay of a failing key, doubled with every failure up to `maxMs`. */
  readonly baseMs: number;
  readonly maxMs: number;
  /** Maximum delay of a failing key, in spite of the common rate. Without it, the rate alone may delay a key for longer than `maxMs`. */
  readonly maxDelayMs?: number;
}

/** The limits of Karmada's controllers (`--rate-limiter-*`). */
export const defaultRateLimits: RateLimits = { baseMs: 5, maxMs: 1_000_000, perSecond: 10, burst: 100 };

/** Limits retries: exponential backoff per key, and a token bucket for all. */
export class RateLimiter {
  readonly #limits: RateLimits;
  readonly #bucket: TokenBucket;
  /** The number of failures since the last success. */
  readonly #failures = new Map<Key, number>();

  /** `now` returns milliseconds. */
  constructor(limits: RateLimits, now: () => number) {
    this.#limits = limits;
    this.#bucket = new TokenBucket(limits, now);
  }

  /** Records a failure and returns the delay until the next retry in milliseconds. */
  backoff(key: Key): number {
    const { baseMs, maxMs, maxDelayMs = Infinity } = this.#limits;
    const failed = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failed + 1);
    return Math.min(Math.max(Math.min(baseMs * 2 ** failed, maxMs), this.#bucket.take()), maxDelayMs);
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
}
