import { timerMs } from '../../lib/timer.js';
import type { Key, QueueSeries, WorkQueue } from './interface.js';
import { defaultRateLimits, RateLimiter, type RateLimits } from './rate-limiter.js';

/**
 * A queue of unique keys in order of arrival, with the workers' side. A key that is added while a worker processes it is queued again after
 * `done`; of several delays of a key (`addAfter`) the earliest time counts.
 */
export class KeyQueue implements WorkQueue {
  readonly #now: () => number;
  readonly #series: QueueSeries | undefined;
  readonly #retries: RateLimiter;
  readonly #ready = new Set<Key>();
  readonly #working = new Set<Key>();
  /** Keys that were added while a worker processes them. */
  readonly #again = new Set<Key>();
  readonly #waiting = new Map<Key, { at: number; timer: NodeJS.Timeout }>();
  /** Workers that wait for a key. */
  readonly #idle: ((key: Key | undefined) => void)[] = [];
  #isClosed = false;

  /** `now` returns milliseconds. `observe` creates the metrics of the queue. */
  constructor(
    limits: RateLimits = defaultRateLimits,
    now: () => number = Date.now,
    observe?: (depth: () => number) => QueueSeries,
  ) {
    this.#now = now;
    this.#retries = new RateLimiter(limits, now);
    this.#series = observe?.(() => this.#ready.size);
  }

  get length(): number {
    return this.#ready.size;
  }

  add(key: Key): void {
    if (this.#isClosed || this.#ready.has(key) || this.#again.has(key)) return;
    this.#series?.added(key);
    if (this.#working.has(key)) this.#again.add(key);
    else this.#enqueue(key);
  }

  addAfter(key: Key, milliseconds: number): void {
    if (this.#isClosed) return;
    if (milliseconds <= 0) return this.add(key);
    const at = this.#now() + milliseconds;
    const earlier = this.#waiting.get(key);
    if (earlier) {
      if (earlier.at <= at) return;
      clearTimeout(earlier.timer);
    }
    const timer = setTimeout(() => {
      this.#waiting.delete(key);
      this.add(key);
    }, timerMs(milliseconds));
    this.#waiting.set(key, { at, timer });
  }

  addRateLimited(key: Key): void {
    this.#series?.retried();
    this.addAfter(key, this.#retries.backoff(key));
  }

  forget(key: Key): void {
    this.#retries.forget(key);
  }

  /** Resolves with the next key, which no other worker gets until `done`; with undefined if the queue is closed. */
  take(): Promise<Key | undefined> {
    if (this.#isClosed) return Promise.resolve(undefined);
    for (const key of this.#ready) {
      this.#ready.delete(key);
      this.#begin(key);
      return Promise.resolve(key);
    }
    return new Promise(resolve => this.#idle.push(resolve));
  }

  done(key: Key): void {
    this.#working.delete(key);
    this.#series?.done(key);
    if (this.#again.delete(key) && !this.#isClosed) this.#enqueue(key);
  }

  close(): void {
    this.#isClosed = true;
    for (const { timer } of this.#waiting.values()) clearTimeout(timer);
    this.#waiting.clear();
    this.#ready.clear();
    for (const worker of this.#idle.splice(0)) worker(undefined);
  }

  #enqueue(key: Key): void {
    const worker = this.#idle.shift();
    if (!worker) {
      this.#ready.add(key);
      return;
    }
    this.#begin(key);
    worker(key);
  }

  #begin(key: Key): void {
    this.#working.add(key);
    this.#series?.taken(key);
  }
}
