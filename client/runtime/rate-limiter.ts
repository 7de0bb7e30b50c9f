import type { Key } from './interface.js';

export interface RateLimits {
  /** First delay of a failing key, doubled with every failure up to `maxMs`. */
  readonly baseMs: number;
  readonly maxMs: number;
  /** Rate of retries per second for all keys together, after a burst. */
  readonly perSecond: number;
  readonly burst: number;
}

/** The limits of Karmada's controllers (`--rate-limiter-*`). */
export const defaultRateLimits: RateLimits = { baseMs: 5, maxMs: 1_000_000, perSecond: 10, burst: 100 };

export interface RateLimiter {
  /** Records a failure and returns the delay until the next retry in milliseconds. */
  backoff(key: Key): number;
  /** Resets the failures of a key. */
  forget(key: Key): void;
}

/** Creates a rate limiter: exponential backoff per key, and a token bucket for all. `now` returns milliseconds. */
export function createRateLimiter(limits: RateLimits, now: () => number): RateLimiter {
  const failures = new Map<Key, number>();
  let tokens = limits.burst;
  let refilled = now();

  /** Takes a token, possibly in advance. Returns the milliseconds until it is available. */
  function reserve(): number {
    const t = now();
    tokens = Math.min(limits.burst, tokens + ((t - refilled) / 1000) * limits.perSecond) - 1;
    refilled = t;
    return tokens >= 0 ? 0 : (-tokens / limits.perSecond) * 1000;
  }

  return {
    backoff(key) {
      const failed = failures.get(key) ?? 0;
      failures.set(key, failed + 1);
      return Math.max(Math.min(limits.baseMs * 2 ** failed, limits.maxMs), reserve());
    },
    forget: key => void failures.delete(key),
  };
}
