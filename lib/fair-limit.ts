import { FairQueue, type QueueItem, type QueueLimits } from './fair-queue.js';

/** A task was refused since too many wait. It has not begun. */
export class QueueFullError extends Error {
  constructor() {
    super('too many tasks are waiting');
  }
}

interface Waiting extends QueueItem {
  start(): void;
  refuse(error: QueueFullError): void;
}

/**
 * Runs a limited number of asynchronous tasks at a time. Others wait in a queue, in which groups take turns, and the keys (clients) of each group.
 * When the queue is full, a new task takes the place of the newest ones of the group and key with the most tasks, or the most bytes, so that no
 * client can keep others out.
 */
export class FairLimit {
  readonly #concurrency: number;
  readonly #queue: FairQueue<Waiting>;
  #running = 0;

  /** `concurrency`: tasks that may run at a time. */
  constructor(concurrency: number, limits: QueueLimits) {
    this.#concurrency = concurrency;
    this.#queue = new FairQueue(limits);
  }

  /** Number of tasks that wait. */
  get waiting(): number {
    return this.#queue.length;
  }

  /** Returns the result of a task, which waits as `item` says. Rejects with QueueFullError if it may not wait any longer. */
  run<T>(task: () => Promise<T>, item: QueueItem): Promise<T> {
    if (this.#running < this.#concurrency) return this.#run(task);
    return new Promise((resolve, reject) => {
      this.#enqueue({ ...item, start: () => resolve(this.#run(task)), refuse: reject });
    });
  }

  #enqueue(item: Waiting): void {
    for (const other of this.#queue.pushOrDisplace(item)) other.refuse(new QueueFullError());
  }

  async #run<T>(task: () => Promise<T>): Promise<T> {
    this.#running++;
    try {
      return await task();
    } finally {
      if (this.#queue.length > 0) setImmediate(this.#startNext);
      else this.#running--;
    }
  }

  /** Tasks that wait begin in later turns of the event loop, since many of them may end without a wait of their own. */
  readonly #startNext = (): void => {
    this.#running--;
    this.#queue.shift()?.start();
  };
}
