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

/**
 * Creates the scheduler's queue: active bindings by priority, and failed ones that wait for their retry. Each waiting key has its own timer, so
 * nothing is polled. as pkg/scheduler/internal/queue
 */
export function createSchedulingQueue(clock: ControllerContext['clock']): SchedulingQueue {
  const active = readyKeys<Waiting>();
  const delayed = new Map<Key, { readonly entry: Waiting; readonly awake: AbortController }>();
  const working = new Map<Key, Waiting>();
  const repushed = new Map<Key, number>(); // priorities of keys that were pushed while a worker has them
  const idle: ((key: Key | undefined) => void)[] = [];
  let closed = false;

  function activate(entry: Waiting): void {
    const worker = idle.shift();
    if (worker) {
      working.set(entry.key, entry);
      worker(entry.key);
      return;
    }
    active.add(entry);
  }

  function push(key: Key, priority: number): void {
    if (closed) return;
    if (working.has(key)) {
      repushed.set(key, priority);
      return;
    }
    const waiting = delayed.get(key);
    if (waiting) {
      delayed.delete(key);
      waiting.awake.abort();
    }
    const present = active.find(key);
    if (present?.priority === priority) return;
    if (present) active.remove(present);
    const attempts = waiting?.entry.attempts ?? 0;
    activate({ key, priority, attempts });
  }

  function delay(entry: Waiting, milliseconds: number): void {
    const { key } = entry;
    const awake = new AbortController();
    delayed.set(key, { entry, awake });
    void clock.sleep(milliseconds, awake.signal).then(() => {
      // The key was activated early, and may wait again.
      if (delayed.get(key)?.awake !== awake) return;
      delayed.delete(key);
      activate(entry);
    });
  }

  return {
    push,
    take() {
      if (closed) return Promise.resolve(undefined);
      const entry = active.take();
      if (!entry) return new Promise(resolve => idle.push(resolve));
      working.set(entry.key, entry);
      return Promise.resolve(entry.key);
    },
    done(key, outcome) {
      const entry = working.get(key);
      working.delete(key);
      if (!entry || closed) return;
      const pushed = repushed.get(key);
      repushed.delete(key);
      if (pushed !== undefined) return push(key, pushed);
      if (outcome === 'no') return;
      entry.attempts++;
      const backoff = Math.min(firstBackoffMs * 2 ** (entry.attempts - 1), lastBackoffMs);
      delay(entry, outcome === 'backoff' ? backoff : unschedulableMs);
    },
    close() {
      closed = true;
      const waiting = [...delayed.values()];
      delayed.clear();
      for (const { awake } of waiting) awake.abort();
      for (const worker of idle.splice(0)) worker(undefined);
    },
    get length() {
      return active.size;
    },
  };
}
