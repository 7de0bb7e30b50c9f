import { timerMs } from '../../lib/timer.js';
import type { Key, KeyGrouping, QueueSeries, WorkQueue } from './interface.js';
import { KeyGroups } from './key-groups.js';
import { defaultRateLimits, type RateLimits } from './rate-limiter.js';

/**
 * A queue of unique keys in order of arrival, with the workers' side. Groups of keys take turns, so that none waits for another. A key that is
 * added while a worker processes it is queued again after `done`; of several delays of a key (`addAfter`) the earliest time counts.
 */
export class KeyQueue implements WorkQueue {
  readonly #now: () => number;
  readonly #series: QueueSeries | undefined;
  readonly #ready: KeyGroups;
  readonly #working = new Set<Key>();
  /** Keys that were added while a worker processes them. */
  readonly #again = new Set<Key>();
  /** Keys that were added with low priority while a worker processes them, and not with the usual one. */
  readonly #againLow = new Set<Key>();
  readonly #waiting = new Map<Key, { at: number; timer: NodeJS.Timeout }>();
  /** Workers that wait for a key. */
  readonly #idle: ((key: Key | undefined) => void)[] = [];
  #isClosed = false;
  #isStarting = false;

  /** `now` returns milliseconds. `observe` creates the metrics of the queue. Without `grouping`, all keys are one group without a limit. */
  constructor(
    limits: RateLimits = defaultRateLimits,
    now: () => number = Date.now,
    observe?: (depth: () => number) => QueueSeries,
    grouping?: KeyGrouping,
  ) {
    this.#now = now;
    this.#ready = new KeyGroups(grouping, { limits, now }, () => this.#serve());
    this.#series = observe?.(() => this.#ready.size);
  }

  get length(): number {
    return this.#ready.size;
  }

  /** The number of ready keys that show how far the workers are behind, as in `KeyGroups`. */
  get backlog(): number {
    return this.#ready.backlog;
  }

  /** Gives keys that are added until `endStart` low priority: they come from first lists, and what changes then comes before them. */
  beginStart(): void {
    this.#isStarting = true;
  }

  endStart(): void {
    this.#isStarting = false;
  }

  add(key: Key): void {
    if (this.#isStarting) return this.addLow(key);
    if (this.#isClosed || this.#ready.has(key) || this.#again.has(key)) return;
    if (!this.#hasLow(key)) this.#series?.added(key);
    if (this.#working.has(key)) {
      this.#again.add(key);
      if (this.#againLow.size > 0) this.#againLow.delete(key);
    } else this.#enqueue(key);
  }

  addLow(key: Key): void {
    if (this.#isClosed || this.#ready.has(key) || this.#again.has(key) || this.#hasLow(key)) return;
    this.#series?.added(key);
    if (this.#working.has(key)) this.#againLow.add(key);
    else {
      this.#ready.addLow(key);
      this.#serve();
    }
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

  /** Adds a key, and drops the delay that it has. */
  addNow(key: Key): void {
    clearTimeout(this.#waiting.get(key)?.timer);
    this.#waiting.delete(key);
    this.add(key);
  }

  addRateLimited(key: Key, minMs = 0): void {
    this.#series?.retried();
    this.addAfter(key, Math.max(minMs, this.#ready.backoff(key)));
  }

  forget(key: Key): void {
    this.#ready.worked(key);
  }

  /** Records that the group of the key failed as a whole: it pauses, for `minMs` at least, and then one key at a time is tried. */
  failGroup(key: Key, minMs = 0): void {
    if (!this.#isClosed) this.#ready.failed(key, minMs);
  }

  answered(group: string): void {
    this.#ready.answered(group);
    this.#serve();
  }

  /** Reports whether the group of the key is slow, as recorded by `setSlow`. */
  isSlow(key: Key): boolean {
    return this.#ready.isSlow(key);
  }

  setSlow(key: Key, isSlow: boolean): void {
    this.#ready.setSlow(key, isSlow);
  }

  /** The number of keys of slow groups that may be processed at once. */
  get maxSlowKeys(): number {
    return this.#ready.maxSlowKeys;
  }

  resume(group: string): void {
    for (const key of this.#ready.resume(group)) this.addNow(key);
  }

  /** Resolves with the next key, which no other worker gets until `done`; with undefined if the queue is closed. */
  take(): Promise<Key | undefined> {
    if (this.#isClosed) return Promise.resolve(undefined);
    const key = this.#ready.next();
    if (key !== undefined) {
      this.#begin(key);
      return Promise.resolve(key);
    }
    return new Promise(resolve => this.#idle.push(resolve));
  }

  done(key: Key): void {
    this.#working.delete(key);
    this.#series?.done(key);
    if (this.#isClosed) return;
    this.#ready.done(key);
    if (this.#again.delete(key)) this.#ready.add(key);
    else if (this.#againLow.size > 0 && this.#againLow.delete(key)) this.#ready.addLow(key);
    this.#serve();
  }

  close(): void {
    this.#isClosed = true;
    for (const { timer } of this.#waiting.values()) clearTimeout(timer);
    this.#waiting.clear();
    this.#ready.clear();
    for (const worker of this.#idle.splice(0)) worker(undefined);
  }

  /** Reports whether the key was added with low priority, and waits for a worker or for `done`. */
  #hasLow(key: Key): boolean {
    return this.#againLow.has(key) || this.#ready.hasLow(key);
  }

  #enqueue(key: Key): void {
    this.#ready.add(key);
    this.#serve();
  }

  /** Gives ready keys to waiting workers. */
  #serve(): void {
    while (this.#idle.length > 0) {
      const key = this.#ready.next();
      if (key === undefined) return;
      this.#begin(key);
      this.#idle.shift()?.(key);
    }
  }

  #begin(key: Key): void {
    this.#working.add(key);
    this.#series?.taken(key);
  }
}
