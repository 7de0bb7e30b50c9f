import type { ControllerContext, Key } from '../../client/runtime/interface.js';
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
}

const firstBackoffMs = 1_000;
const lastBackoffMs = 10_000;
const unschedulableMs = 300_000;

interface Delayed {
  readonly entry: Waiting;
  /** Ends the wait early. */
  readonly awake: AbortController;
}

/**
 * The scheduler's queue: active bindings by priority, and failed ones that wait for their retry. Each waiting key has its own timer, so
 * nothing is polled. as pkg/scheduler/internal/queue
 */
class PriorityQueue implements SchedulingQueue {
  readonly #clock: ControllerContext['clock'];
  readonly #active = readyKeys<Waiting>();
  readonly #delayed = new Map<Key, Delayed>();
  readonly #working = new Map<Key, Waiting>();
  /** The priorities of keys that were pushed while a worker has them. */
  readonly #repushed = new Map<Key, number>();
  /** Workers that wait for a key. */
  readonly #idle: ((key: Key | undefined) => void)[] = [];
  #closed = false;

  constructor(clock: ControllerContext['clock']) {
    this.#clock = clock;
  }

  get length(): number {
    return this.#active.size;
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
    const pushed = this.#repushed.get(key);
    this.#repushed.delete(key);
    if (pushed !== undefined) return this.push(key, pushed);
    if (again === 'no') return;
    entry.attempts++;
    const backoff = Math.min(firstBackoffMs * 2 ** (entry.attempts - 1), lastBackoffMs);
    this.#delay(entry, again === 'backoff' ? backoff : unschedulableMs);
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

  #delay(entry: Waiting, milliseconds: number): void {
    const { key } = entry;
    const awake = new AbortController();
    this.#delayed.set(key, { entry, awake });
    void this.#clock.sleep(milliseconds, awake.signal).then(() => {
      // The key was activated early, and may wait again.
      if (this.#delayed.get(key)?.awake !== awake) return;
      this.#delayed.delete(key);
      this.#activate(entry);
    });
  }
}

export const createSchedulingQueue = (clock: ControllerContext['clock']): SchedulingQueue => new PriorityQueue(clock);
