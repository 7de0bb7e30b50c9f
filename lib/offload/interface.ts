/** Runs work that would hold the event loop in another thread: bytes in, bytes out. */

/** A task: a pure function. It may not keep state between calls. */
export type Task = (input: Uint8Array) => Uint8Array;

/** The tasks of a program by name, on which the thread and its callers agree. */
export type Tasks = Readonly<Record<string, Task>>;

export interface OffloadOptions {
  /**
   * The owner of the work: a user, a namespace. Keys take turns, and one key can fill only a part of the queue. When the queue is full, a task takes
   * the place of the newest one of the key with the most, which rejects. Default: ''.
   */
  readonly key?: string;
  /**
   * Milliseconds that the task may run on a CPU, from its assignment to a thread on; the start of a thread does not count. A task ends in any
   * case after ten times that in real time, and after the limit itself where the system does not report the time of a thread. Default: the
   * pool's limit.
   */
  readonly limit?: number;
  /** When it aborts, the call rejects with its reason; a running task is ended with its thread. */
  readonly signal?: AbortSignal;
}

/** A large input, which takes no memory before a thread is free for its task. */
export interface DeferredInput {
  /** The number of its bytes, which counts for the limits of the queue. */
  readonly byteLength: number;
  /** Returns the bytes. Their buffer belongs to the thread afterwards. The task rejects if this does. */
  readonly make: () => Promise<Uint8Array>;
}

export interface Offload {
  /**
   * Runs the named task on `input` in a thread. The bytes are copied at once when a thread begins the task, and must not change until the promise
   * settles; a deferred input is made then, and not copied. The caller owns the result. Rejects with an `OffloadError`, or with the signal's reason.
   */
  run(task: string, input: Uint8Array | DeferredInput, options?: OffloadOptions): Promise<Uint8Array>;
}
