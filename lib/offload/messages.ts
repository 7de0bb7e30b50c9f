/** The messages between the pool and a thread. A thread has one task at a time. */
export interface TaskMessage {
  readonly task: string;
  readonly input: Uint8Array;
}

/** Returns the buffer to be transferred to the other thread, without copying, when the array covers all of it. */
export const ownedBuffer = (bytes: Uint8Array): ArrayBuffer[] =>
  bytes.buffer instanceof ArrayBuffer && bytes.byteLength === bytes.buffer.byteLength ? [bytes.buffer] : [];

/** Sent once, when the thread can run tasks. */
export interface ReadyMessage {
  readonly isReady: true;
  /** The file with the times of the thread on a CPU and in the queue for one (`/proc/.../schedstat`); unset if the system has none. */
  readonly times?: string;
}

export type ResultMessage =
  | { readonly output: Uint8Array }
  /** `stack`: of the error that the task threw. */
  | { readonly failure: { readonly message: string; readonly stack?: string } };
