import { timerMs } from '../../lib/timer.js';
import type { Key, QueueSeries, WorkQueue } from './interface.js';
import { createRateLimiter, defaultRateLimits, type RateLimits } from './rate-limiter.js';

/** The worker's side of a queue. */
export interface Queue extends WorkQueue {
  /** Resolves with the next key, which no other worker gets until `done`; with undefined if the queue is closed. */
  take(): Promise<Key | undefined>;
  done(key: Key): void;
  close(): void;
}

/**
 * Creates a queue of unique keys in order of arrival. A key that is added while a worker processes it is queued again after `done`;
 * of several delays of a key (`addAfter`) the earliest time counts.
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
  const retries = createRateLimiter(limits, now);
  const idle: ((key: Key | undefined) => void)[] = [];
  let closed = false;
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

  return {
    add,
    addAfter,
    addRateLimited(key) {
      series?.retried();
      addAfter(key, retries.backoff(key));
    },
    forget: retries.forget,
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
