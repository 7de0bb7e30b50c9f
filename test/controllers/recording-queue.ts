import type { WorkQueue } from '../../client/runtime/interface.js';

/** Returns a work queue that only records the keys that are added at once, oldest first. */
export function recordingQueue(): { readonly queue: WorkQueue; readonly added: string[] } {
  const added: string[] = [];
  const ignore = (): void => undefined;
  const queue: WorkQueue = {
    add: key => void added.push(key),
    ...{ addLow: ignore, addAfter: ignore, addRateLimited: ignore },
    ...{ forget: ignore, answered: ignore, resume: ignore },
    length: 0,
  };
  return { queue, added };
}
