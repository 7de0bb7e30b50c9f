import { OffloadError } from './error.js';
import { FairQueue, type QueueLimits } from './fair-queue.js';
import type { Offload, OffloadOptions } from './interface.js';
import { Job } from './job.js';
import { Thread, type ThreadOptions } from './thread.js';

export interface ThreadPoolOptions extends ThreadOptions {
  /** The most threads at once. */
  readonly threads: number;
  /** Milliseconds of real time that a task without a limit of its own may run. */
  readonly limit: number;
  readonly queue: QueueLimits;
}

/**
 * Threads for tasks. None is there before the first task; a thread that is idle for some time ends, and one that is ended because its task
 * ran for too long, was aborted or took too much memory is replaced when a task needs it.
 */
export class ThreadPool implements Offload {
  readonly #options: ThreadPoolOptions;
  readonly #queue: FairQueue;
  /** Those that have not ended: a thread that is about to end counts, so that there are never more than the most. */
  readonly #threads = new Set<Thread>();
  #isClosed = false;

  constructor(options: ThreadPoolOptions) {
    this.#options = options;
    this.#queue = new FairQueue(options.queue);
  }

  /** Threads that exist. */
  get size(): number {
    return this.#threads.size;
  }

  /** Tasks that wait for a thread. */
  get waiting(): number {
    return this.#queue.length;
  }

  async run(task: string, input: Uint8Array, options: OffloadOptions = {}): Promise<Uint8Array> {
    options.signal?.throwIfAborted();
    if (this.#isClosed) throw new OffloadError('closed', 'no more tasks are taken: the pool is closed');
    const job = new Job(task, input, { limit: this.#options.limit, ...options }, aborted => this.#abort(aborted));
    if (!this.#queue.push(job)) job.reject(new OffloadError('full', 'too many tasks are waiting'));
    this.#dispatch();
    return job.output;
  }

  /** Rejects all tasks and ends all threads; resolves when they have ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const closed = new OffloadError('closed', 'the pool was closed');
    for (let job = this.#queue.shift(); job; job = this.#queue.shift()) job.reject(closed);
    const threads = [...this.#threads];
    for (const thread of threads) thread.end(closed);
    await Promise.all(threads.map(({ ended }) => ended));
  }

  #dispatch(): void {
    while (this.#queue.length > 0) {
      const thread = this.#freeThread();
      if (!thread) return;
      const job = this.#queue.shift();
      if (job) thread.run(job);
    }
  }

  #freeThread(): Thread | undefined {
    for (const thread of this.#threads) if (thread.isFree) return thread;
    if (this.#isClosed || this.#threads.size >= this.#options.threads) return undefined;
    const thread = new Thread(this.#options, () => {
      if (thread.isEnding) this.#threads.delete(thread);
      this.#dispatch();
    });
    this.#threads.add(thread);
    return thread;
  }

  #abort(job: Job): void {
    if (this.#queue.remove(job)) return;
    for (const thread of this.#threads)
      if (thread.has(job)) thread.end(new OffloadError('closed', 'the task was aborted'));
  }
}
