/**
 * The reason why a task has no result.
 * - `full`: the queue has no room for it; the same call may succeed later.
 * - `late`: it ran for longer than its limit.
 * - `memory`: it needed more memory than a thread may have, or its input is larger than all that may wait.
 * - `failed`: it threw, there is no such task, or the thread could not start.
 * - `closed`: the pool is closed.
 */
export type OffloadFailure = 'full' | 'late' | 'memory' | 'failed' | 'closed';

export class OffloadError extends Error {
  readonly reason: OffloadFailure;

  constructor(reason: OffloadFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'OffloadError';
    this.reason = reason;
  }
}
