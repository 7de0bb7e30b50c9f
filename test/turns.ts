/** Measures how long a function holds the event loop. */
import { workClock } from '../lib/cel/pace.js';
import { slownessNow } from './stalls/slowness.js';

interface Turns {
  /** Number of turns of the event loop. */
  readonly count: number;
  /**
   * The longest time between two turns, in milliseconds of CPU time of this process, as on the machine on which the limits were set.
   */
  readonly longest: number;
}

/** Runs a function, and measures the turns of the event loop until its promise resolves. */
export async function turnsDuring(run: () => unknown): Promise<Turns> {
  const now = workClock();
  const seen = { count: 0, longest: 0, last: 0, over: false };
  const turn = (): void => {
    const at = now();
    seen.longest = Math.max(seen.longest, at - seen.last);
    seen.last = at;
    seen.count++;
    if (!seen.over) setImmediate(turn);
  };
  await new Promise(resolve => {
    setImmediate(resolve);
  });
  seen.last = now();
  setImmediate(turn);
  await run();
  seen.over = true;
  return { count: seen.count, longest: seen.longest / slownessNow(now) };
}
