import type { Clock } from '../../lib/clock.js';

export interface SteppedClock extends Clock {
  /** Moves the time forward and wakes the sleepers whose time has come. */
  advance(milliseconds: number): void;
  /** Number of pending sleeps. */
  readonly sleeping: number;
}

export function steppedClock(start = 1_800_000_000_000): SteppedClock {
  let now = start;
  let sleepers: { readonly until: number; wake(): void }[] = [];
  return {
    now: () => now,
    get sleeping() {
      return sleepers.length;
    },
    sleep: (milliseconds, signal) =>
      new Promise(resolve => {
        if (signal?.aborted || milliseconds <= 0) return resolve();
        const sleeper = {
          until: now + milliseconds,
          wake: () => {
            sleepers = sleepers.filter(s => s !== sleeper);
            signal?.removeEventListener('abort', sleeper.wake);
            resolve();
          },
        };
        sleepers.push(sleeper);
        signal?.addEventListener('abort', sleeper.wake, { once: true });
      }),
    advance(milliseconds) {
      now += milliseconds;
      for (const sleeper of sleepers.filter(s => s.until <= now)) sleeper.wake();
    },
  };
}
