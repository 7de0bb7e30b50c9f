/** Ends waits and computations when a signal aborts. */
import type { InSteps } from './time-slice.js';

/** Settles as the promise does; rejects with the reason of the signal if that aborts first. What makes the promise goes on. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    void promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Yields the steps of a computation until the signal aborts, and throws its reason then, in the computation first: it may have to clean up. */
export function* stepsUnlessAborted<T>(steps: InSteps<T>, signal: AbortSignal): InSteps<T> {
  for (;;) {
    const { done, value } = signal.aborted ? steps.throw(signal.reason) : steps.next();
    if (done) return value;
    yield;
  }
}
