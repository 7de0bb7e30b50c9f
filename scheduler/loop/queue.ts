import type { ControllerContext, Key } from '../../client/runtime/interface.js';
import { type Ready, readyKeys } from './ready-keys.js';

interface Waiting extends Ready {
  attempts: number;
}

/** Is a binding to be tried again? 'backoff': after 1 s, doubling to 10 s; 'unschedulable': after 5 min, or when pushed. */
export type Again = 'no' | 'backoff' | 'unschedulable';

export interface SchedulingQueue {
  /** Something changed: try now, whatever it waits for. */
  push(key: Key, priority: number): void;
  /** The next by priority, then by age; undefined when closed. A key is with one worker at a time. */
  take(): Promise<Key | undefined>;
  /** The attempt is over. */
  done(key: Key, again: Again): void;
  close(): void;
  readonly length: number;
}

const firstBackoffMs = 1_000;
const lastBackoffMs = 10_000;
const unschedulableMs = 300_000;

/**
 * Creates the scheduler's queue: active bindings by priority; those that failed wait aside. Each key sleeps by itself, so nothing is
 * polled. as pkg/scheduler/internal/queue
 */
export function createSchedulingQueue(clock: ControllerContext['clock']): SchedulingQueue {
  const active = readyKeys<Waiting>();
  const aside = new Map<Key, { readonly entry: Waiting; readonly awake: AbortController }>();
  const working = new Map<Key, Waiting>();
  const again = new Map<Key, number>(); // pushed while a worker has it: its priority
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
      again.set(key, priority);
      return;
    }
    const waiting = aside.get(key);
    if (waiting) {
      aside.delete(key);
      waiting.awake.abort();
    }
    const present = active.find(key);
    if (present?.priority === priority) return;
    if (present) active.remove(present);
    const attempts = waiting?.entry.attempts ?? 0;
    activate({ key, priority, attempts });
  }

  function setAside(entry: Waiting, milliseconds: number): void {
    const { key } = entry;
    const awake = new AbortController();
    aside.set(key, { entry, awake });
    void clock.sleep(milliseconds, awake.signal).then(() => {
      // Whoever was woken early is no longer aside, or again.
      if (aside.get(key)?.awake !== awake) return;
      aside.delete(key);
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
      const pushed = again.get(key);
      again.delete(key);
      if (pushed !== undefined) return push(key, pushed);
      if (outcome === 'no') return;
      entry.attempts++;
      const backoff = Math.min(firstBackoffMs * 2 ** (entry.attempts - 1), lastBackoffMs);
      setAside(entry, outcome === 'backoff' ? backoff : unschedulableMs);
    },
    close() {
      closed = true;
      const waiting = [...aside.values()];
      aside.clear();
      for (const { awake } of waiting) awake.abort();
      for (const worker of idle.splice(0)) worker(undefined);
    },
    get length() {
      return active.size;
    },
  };
}
