import type { ControllerContext, Key } from '../../client/runtime/interface.js';
import { RateLimiter, type RateLimits } from '../../client/runtime/rate-limiter.js';
import { type Ready, readyKeys } from './ready-keys.js';

interface Waiting extends Ready {
  attempts: number;
}

/** When a binding is tried again. 'backoff': after 1 s, doubling to 10 s; 'unschedulable': after 5 min, or when it is pushed. */
export type Again = 'no' | 'backoff' | 'unschedulable';

export interface SchedulingQueue {
  /** Queues a key that has changed, even if it waits for a retry. */
  push(key: Key, priority: number): void;
  /** Returns the next key by priority, then by age; undefined when closed. Only one worker at a time has a key. */
  take(): Promise<Key | undefined>;
  /** Reports the end of the attempt. */
  done(key: Key, again: Again): void;
  close(): void;
  readonly length: number;
  /** Returns the number of waiting keys by the reason for which they wait. */
  pending(): Readonly<Record<'active' | 'backoff' | 'unschedulable', number>>;
}

const firstBackoffMs = 1_000;
const lastBackoffMs = 10_000;
const unschedulableMs = 300_000;

interface Delayed {
  readonly entry: Waiting;
  readonly again: Again;
  /** Ends the wait early. */
  readonly awake: AbortController;
}

/** Decides how long a key waits after a failure. */
interface Retries {
  delayOf(key: Key, attempts: number, again: Again): number;
  /** Forgets the failures of a key that has not failed now. */
  forget(key: Key): void;
}

const byOutcome: Retries = {
  delayOf: (_, attempts, again) =>
    again === 'backoff' ? Math.min(firstBackoffMs * 2 ** (attempts - 1), lastBackoffMs) : unschedulableMs,
  forget: () => undefined,
};

/** All failures are alike: the delay doubles with every failure of a key, and all retries share a rate. */
class CommonRate implements Retries {
  readonly #limiter: RateLimiter;

  constructor(limits: RateLimits, now: () => number) {
    this.#limiter = new RateLimiter(limits, now);
  }

  delayOf(key: Key): number {
    return this.#limiter.backoff(key);
  }

  forget(key: Key): void {
    this.#limiter.forget(key);
  }
}

/**
 * The scheduler's queue: active bindings by priority, and failed ones that wait for their retry. Each waiting key has its own timer, so
 * nothing is polled. as pkg/scheduler/internal/queue
 */
class PriorityQueue implements SchedulingQueue {
  readonly #clock: ControllerContext['clock'];
  readonly #retries: Retries;
  readonly #active = readyKeys<Waiting>();
  readonly #delayed = new Map<Key, Delayed>();
  readonly #working = new Map<Key, Waiting>();
  /** The priorities of keys that were pushed while a worker has them. */
  readonly #repushed = new Map<Key, number>();
  /** Workers that wait for a key. */
  readonly #idle: ((key: Key | undefined) => void)[] = [];
  #closed = false;

  constructor(clock: ControllerContext['clock'], retries: Retries) {
    this.#clock = clock;
    this.#retries = retries;
  }

  get length(): number {
    return this.#active.size;
  }

  pending(): Readonly<Record<'active' | 'backoff' | 'unschedulable', number>> {
    let unschedulable = 0;
    for (const { again } of this.#delayed.values()) if (again === 'unschedulable') unschedulable++;
    return { active: this.#active.size, backoff: this.#delayed.size - unschedulable, unschedulable };
  }

  push(key: Key, priority: number): void {
    if (this.#closed) return;
    if (this.#working.has(key)) {
      this.#repushed.set(key, priority);
      return;
    }
    const waiting = this.#delayed.get(key);
    if (waiting) {
      this.#delayed.delete(key);
      waiting.awake.abort();
    }
    const present = this.#active.find(key);
    if (present?.priority === priority) return;
    if (present) this.#active.remove(present);
    const attempts = waiting?.entry.attempts ?? 0;
    this.#activate({ key, priority, attempts });
  }

  take(): Promise<Key | undefined> {
    if (this.#closed) return Promise.resolve(undefined);
    const entry = this.#active.take();
    if (!entry) return new Promise(resolve => this.#idle.push(resolve));
    this.#working.set(entry.key, entry);
    return Promise.resolve(entry.key);
  }

  done(key: Key, again: Again): void {
    const entry = this.#working.get(key);
    this.#working.delete(key);
    if (!entry || this.#closed) return;
    if (again === 'no') this.#retries.forget(key);
    const pushed = this.#repushed.get(key);
    this.#repushed.delete(key);
    if (pushed !== undefined) return this.push(key, pushed);
    if (again === 'no') return;
    entry.attempts++;
    this.#delay(entry, again);
  }

  close(): void {
    this.#closed = true;
    const waiting = [...this.#delayed.values()];
    this.#delayed.clear();
    for (const { awake } of waiting) awake.abort();
    for (const worker of this.#idle.splice(0)) worker(undefined);
  }

  /** Gives the key to an idle worker, or lets it wait for one. */
  #activate(entry: Waiting): void {
    const worker = this.#idle.shift();
    if (worker) {
      this.#working.set(entry.key, entry);
      worker(entry.key);
      return;
    }
    this.#active.add(entry);
  }

  #delay(entry: Waiting, again: Again): void {
    const { key } = entry;
    const awake = new AbortController();
    this.#delayed.set(key, { entry, again, awake });
    const milliseconds = this.#retries.delayOf(key, entry.attempts, again);
    void this.#clock.sleep(milliseconds, awake.signal).then(() => {
      // The key was activated early, and may wait again.
      if (this.#delayed.get(key)?.awake !== awake) return;
      this.#delayed.delete(key);
      this.#activate(entry);
    });
  }
}

/** Creates the queue. With `limits`, all keys are of one priority, and retried alike (gate PriorityBasedScheduling is off). */
export const createSchedulingQueue = (clock: ControllerContext['clock'], limits?: RateLimits): SchedulingQueue =>
  new PriorityQueue(clock, limits ? new CommonRate(limits, () => clock.now()) : byOutcome);
