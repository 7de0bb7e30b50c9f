/** Work that would hold the event loop is done in another thread: bytes in, bytes out. */

/** What a task is: a pure function. It may not keep anything from one call to the next. */
export type Task = (input: Uint8Array) => Uint8Array;

/** The tasks of a program by name. The thread and its callers agree on the names and on nothing else. */
export type Tasks = Readonly<Record<string, Task>>;

export interface OffloadOptions {
  /** Whose work it is: a user, a namespace. Keys take turns, and one key can fill only a part of the queue. Default: ''. */
  readonly key?: string;
  /** Milliseconds of real time that the task may run, counted from when a thread is given it, so with the start of the thread. Default: that of the pool. */
  readonly limit?: number;
  /** When it aborts, the call rejects with its reason; a task that runs is ended with its thread. */
  readonly signal?: AbortSignal;
}

export interface Offload {
  /**
   * Runs the task of that name on `input` in a thread. The bytes are copied when a thread begins the task, and belong to the caller again
   * when the promise settles; until then they may not change. The result is owned by the caller.
   * Rejects with an `OffloadError`, or with the reason of the signal.
   */
  run(task: string, input: Uint8Array, options?: OffloadOptions): Promise<Uint8Array>;
}
