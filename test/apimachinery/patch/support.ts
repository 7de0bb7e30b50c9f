import { StatusError } from '../../../apimachinery/errors/status.js';

/** The same value, frozen at every depth: a function that changes its input throws. */
export function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) frozen(inner);
  }
  return value;
}

/** The StatusError that the function throws; throws itself when there is none. */
export function rejection(run: () => unknown): StatusError {
  try {
    run();
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}
