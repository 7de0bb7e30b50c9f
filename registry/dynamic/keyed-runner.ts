import { setTimeout as pause } from 'node:timers/promises';

interface KeyedRunnerOptions {
  /** Called with the error of a failed run, which is retried. */
  readonly onError: (error: unknown, name: string) => void;
  /** Milliseconds until the retry. The default is a second. */
  readonly retryMs?: number;
  /** After its abort no run starts. */
  readonly signal: AbortSignal;
}

export interface KeyedRunner {
  /** Runs the work for a name; if it is running already, once more after that. */
  readonly run: (name: string) => void;
  /** Resolves when nothing is running any more. */
  readonly idle: () => Promise<void>;
}

const defaultRetryMs = 1000;

/** Runs the work for each name at most once at a time, and retries it if it fails. */
export function createKeyedRunner(work: (name: string) => Promise<void>, options: KeyedRunnerOptions): KeyedRunner {
  const { onError, retryMs = defaultRetryMs, signal } = options;
  /** Names of current runs, and whether they have to be repeated. */
  const current = new Map<string, { again: boolean }>();
  const runs = new Set<Promise<void>>();

  function run(name: string): void {
    if (signal.aborted) return;
    const running = current.get(name);
    if (running) {
      running.again = true;
      return;
    }
    const state = { again: false };
    current.set(name, state);
    const ended = work(name)
      .catch((error: unknown) => {
        onError(error, name);
        retry(name);
      })
      .finally(() => {
        current.delete(name);
        runs.delete(ended);
        if (state.again) run(name);
      });
    runs.add(ended);
  }

  function retry(name: string): void {
    // The pause rejects only if the signal aborts.
    pause(retryMs, undefined, { signal, ref: false }).then(
      () => run(name),
      () => undefined,
    );
  }

  return { run, idle: async () => void (await Promise.all(runs)) };
}
