/** Measures how long a function holds the event loop. */
import { workClock } from '../lib/cel/interpreter/pace.js';
import { slownessNow } from './stalls/slowness.js';
import { undisturbed } from './undisturbed.js';

interface Turns {
  /** Number of turns of the event loop. */
  readonly count: number;
  /**
   * The longest time between two turns, in milliseconds of CPU time of this process, as on the machine on which the limits were set.
   */
  readonly longest: number;
}

/**
 * Runs a function, and measures the turns of the event loop until its promise resolves. The function runs again, a few times, while the longest turn
 * takes `limit` milliseconds or more.
 */
export const turnsDuring = (limit: number, run: () => unknown): Promise<Turns> =>
  undisturbed(
    ({ longest }) => longest < limit,
    () => measure(limit, run),
  );

async function measure(limit: number, run: () => unknown): Promise<Turns> {
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
  turn(); // What has run since the last turn is a part of the next one.
  seen.over = true;
  const { count, longest } = seen;
  return { count, longest: longest < limit ? longest : longest / slownessNow(now) };
}
