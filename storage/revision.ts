import type { Revision } from './interface.js';

/** Returns a number as a revision. Only this function makes revisions of numbers. */
export function toRevision(value: number): Revision {
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(`not a revision: ${value}`);
  return value as Revision;
}

/** No revision: before everything that was ever written. */
export const noRevision = toRevision(0);
