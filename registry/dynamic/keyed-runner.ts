import { setTimeout as pause } from 'node:timers/promises';

export interface KeyedRunnerOptions {
  /** Told what failed and will be tried again. */
  readonly onError: (error: unknown, name: string) => void;
  /** Milliseconds until then. */
  readonly retryMs?: number;
  /** Nothing begins after it. */
  readonly signal: AbortSignal;
}

export interface KeyedRunner {
  /** Works on what has the name; where that is being done, once more after it. */
  run(name: string): void;
  /** Resolves when nothing is under way any more. */
  idle(): Promise<void>;
}

const defaultRetryMs = 1000;

/** Does the work once at a time for each name; what fails is tried again. */
export function createKeyedRunner(work: (name: string) => Promise<void>, options: KeyedRunnerOptions): KeyedRunner {
  const { onError, retryMs = defaultRetryMs, signal } = options;
  /** Names that are worked on, and whether that is to be done again. */
  const going = new Map<string, { again: boolean }>();
  const running = new Set<Promise<void>>();

  function run(name: string): void {
    if (signal.aborted) return;
    const state = going.get(name);
    if (state) {
      state.again = true;
      return;
    }
    const own = { again: false };
    going.set(name, own);
    const ended = work(name)
      .catch((error: unknown) => {
        onError(error, name);
        later(name);
      })
      .finally(() => {
        going.delete(name);
        running.delete(ended);
        if (own.again) run(name);
      });
    running.add(ended);
  }

  function later(name: string): void {
    // Rejected is only what the signal ends.
    pause(retryMs, undefined, { signal, ref: false }).then(
      () => run(name),
      () => undefined,
    );
  }

  return { run, idle: async () => void (await Promise.all(running)) };
}
