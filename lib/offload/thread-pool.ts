import { FairQueue, type QueueLimits } from '../fair-queue.js';
import { OffloadError } from './error.js';
import type { DeferredInput, Offload, OffloadOptions } from './interface.js';
import { OffloadJob } from './job.js';
import { Thread, type ThreadOptions } from './thread.js';

export interface ThreadPoolOptions extends ThreadOptions {
  /** The largest number of threads. */
  readonly threads: number;
  /** Milliseconds on a CPU for a task without a limit of its own, as `OffloadOptions.limit`. */
  readonly limit: number;
  readonly queue: QueueLimits;
}

/**
 * A pool of threads for tasks. It starts without threads; an idle thread ends after some time, and one that was ended because its task ran too
 * long, was aborted or took too much memory is replaced when a task needs it.
 */
export class ThreadPool implements Offload {
  readonly #options: ThreadPoolOptions;
  readonly #queue: FairQueue<OffloadJob>;
  /** Threads that have not ended, including those about to end, so that their number never exceeds the limit. */
  readonly #threads = new Set<Thread>();
  #isClosed = false;

  constructor(options: ThreadPoolOptions) {
    this.#options = options;
    this.#queue = new FairQueue(options.queue);
  }

  /** Number of existing threads. */
  get size(): number {
    return this.#threads.size;
  }

  /** Number of tasks that wait for a thread. */
  get waiting(): number {
    return this.#queue.length;
  }

  async run(task: string, input: Uint8Array | DeferredInput, options: OffloadOptions = {}): Promise<Uint8Array> {
    options.signal?.throwIfAborted();
    if (this.#isClosed) throw new OffloadError('closed', 'no more tasks are taken: the pool is closed');
    if (input.byteLength > this.#options.queue.bytes)
      throw new OffloadError('memory', `the input of the task ${task} is too large`);
    const job = new OffloadJob(task, input, { limit: this.#options.limit, ...options }, aborted =>
      this.#abort(aborted),
    );
    for (const other of this.#queue.pushOrDisplace(job))
      other.reject(new OffloadError('full', 'too many tasks are waiting'));
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

  #abort(job: OffloadJob): void {
    if (this.#queue.remove(job)) return;
    for (const thread of this.#threads)
      if (thread.has(job)) thread.end(new OffloadError('closed', 'the task was aborted'));
  }
}
