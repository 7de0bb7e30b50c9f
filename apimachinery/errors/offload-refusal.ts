import { OffloadError } from '../../lib/offload/error.js';
import { tooLarge, tooManyRequests } from './status.js';

/** The texts for the client whose task has no result. */
interface RefusalTexts {
  /** The text of the 429 when too much work waits, or the server stops. */
  readonly busy: string;
  /** The text of the 413, after `Request entity too large: `, when the task takes too long. */
  readonly late: string;
  /** The text of the 413 when the task takes too much memory. */
  readonly memory: string;
}

/**
 * Returns the error for the client whose task in another thread was rejected with `error`. The error of a task that failed, which is a bug, and those of
 * other origins are returned as they are. as apiserver/pkg/util/flowcontrol: a 429 may be retried
 */
export function offloadRefusal(error: unknown, { busy, late, memory }: RefusalTexts): unknown {
  if (!(error instanceof OffloadError)) return error;
  switch (error.reason) {
    case 'full':
    case 'closed':
      return tooManyRequests(busy, 1);
    case 'late':
      return tooLarge(late);
    case 'memory':
      return tooLarge(memory);
    case 'failed':
      return error;
  }
}
