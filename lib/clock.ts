/** Time as the storage layer sees it; a parameter so that tests can step it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after so many milliseconds; early, without error, when the signal aborts. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** The longest delay a timer of the platform takes; longer ones would fire at once. */
const longestTimer = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (milliseconds, signal) =>
    new Promise(resolve => {
      if (signal?.aborted) return resolve();
      const done = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, Math.min(Math.max(milliseconds, 0), longestTimer));
      signal?.addEventListener('abort', done, { once: true });
    }),
};
