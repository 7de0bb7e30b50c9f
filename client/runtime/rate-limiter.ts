import type { Key } from './interface.js';

export interface RateLimits {
  /** First wait of a failing key, doubled with every failure up to `maxMs`. */
  readonly baseMs: number;
  readonly maxMs: number;
  /** All failing keys together: so many retries a second, after a burst. */
  readonly perSecond: number;
  readonly burst: number;
}

/** The limits of Karmada's controllers (`--rate-limiter-*`). */
export const defaultRateLimits: RateLimits = { baseMs: 5, maxMs: 1_000_000, perSecond: 10, burst: 100 };

export interface RateLimiter {
  /** Milliseconds that a key has to wait which has failed, the longer the more often it has. */
  waitOf(key: Key): number;
  /** It has not failed at all. */
  forget(key: Key): void;
}

/** `now`: milliseconds. */
export function createRateLimiter(limits: RateLimits, now: () => number): RateLimiter {
  const failures = new Map<Key, number>();
  let tokens = limits.burst;
  let refilled = now();

  /** Takes a token, possibly of the future; the wait until it is there. */
  function reserve(): number {
    const t = now();
    tokens = Math.min(limits.burst, tokens + ((t - refilled) / 1000) * limits.perSecond) - 1;
    refilled = t;
    return tokens >= 0 ? 0 : (-tokens / limits.perSecond) * 1000;
  }

  return {
    waitOf(key) {
      const failed = failures.get(key) ?? 0;
      failures.set(key, failed + 1);
      return Math.max(Math.min(limits.baseMs * 2 ** failed, limits.maxMs), reserve());
    },
    forget: key => void failures.delete(key),
  };
}
