import { timerMs } from '../../openapi/meta/timer.js';
import type { Key, QueueSeries, WorkQueue } from './interface.js';

export interface RateLimits {
  /** First wait of a failing key, doubled with every failure up to `maxMs`. */
  readonly baseMs: number;
  readonly maxMs: number;
  /** All failing keys together: so many retries a second, after a burst. */
  readonly perSecond: number;
  readonly burst: number;
}

/** The limits of Karmada's controllers (`--rate-limiter-*`). */
const defaultRateLimits: RateLimits = { baseMs: 5, maxMs: 1_000_000, perSecond: 10, burst: 100 };

/** The worker's side of a queue. */
export interface Queue extends WorkQueue {
  /** The next key, handed to one worker at a time until `done`; undefined when the queue has been closed. */
  take(): Promise<Key | undefined>;
  done(key: Key): void;
  close(): void;
}

/**
 * A set of keys in order of arrival. A key that is added while a worker has it comes back when the worker is done;
 * a key that waits for its time (`addAfter`) keeps the earliest of its times.
 */
export function createQueue(
  limits: RateLimits = defaultRateLimits,
  now: () => number = Date.now,
  observe?: (depth: () => number) => QueueSeries,
): Queue {
  const ready = new Set<Key>();
  const working = new Set<Key>();
  const again = new Set<Key>();
  const waiting = new Map<Key, { at: number; timer: NodeJS.Timeout }>();
  const failures = new Map<Key, number>();
  const idle: ((key: Key | undefined) => void)[] = [];
  let closed = false;
  let tokens = limits.burst;
  let refilled = now();
  const series = observe?.(() => ready.size);

  function add(key: Key): void {
    if (closed || ready.has(key) || again.has(key)) return;
    series?.added(key);
    if (working.has(key)) again.add(key);
    else enqueue(key);
  }

  function enqueue(key: Key): void {
    const worker = idle.shift();
    if (!worker) {
      ready.add(key);
      return;
    }
    begin(key);
    worker(key);
  }

  function begin(key: Key): void {
    working.add(key);
    series?.taken(key);
  }

  function addAfter(key: Key, milliseconds: number): void {
    if (closed) return;
    if (milliseconds <= 0) return add(key);
    const at = now() + milliseconds;
    const earlier = waiting.get(key);
    if (earlier) {
      if (earlier.at <= at) return;
      clearTimeout(earlier.timer);
    }
    const timer = setTimeout(() => {
      waiting.delete(key);
      add(key);
    }, timerMs(milliseconds));
    waiting.set(key, { at, timer });
  }

  /** Takes a token, possibly of the future; the wait until it is there. */
  function reserve(): number {
    const t = now();
    tokens = Math.min(limits.burst, tokens + ((t - refilled) / 1000) * limits.perSecond) - 1;
    refilled = t;
    return tokens >= 0 ? 0 : (-tokens / limits.perSecond) * 1000;
  }

  return {
    add,
    addAfter,
    addRateLimited(key) {
      const failed = failures.get(key) ?? 0;
      failures.set(key, failed + 1);
      series?.retried();
      addAfter(key, Math.max(Math.min(limits.baseMs * 2 ** failed, limits.maxMs), reserve()));
    },
    forget: key => void failures.delete(key),
    get length() {
      return ready.size;
    },
    take() {
      if (closed) return Promise.resolve(undefined);
      for (const key of ready) {
        ready.delete(key);
        begin(key);
        return Promise.resolve(key);
      }
      return new Promise(resolve => idle.push(resolve));
    },
    done(key) {
      working.delete(key);
      series?.done(key);
      if (again.delete(key) && !closed) enqueue(key);
    },
    close() {
      closed = true;
      for (const { timer } of waiting.values()) clearTimeout(timer);
      waiting.clear();
      ready.clear();
      for (const worker of idle.splice(0)) worker(undefined);
    },
  };
}
