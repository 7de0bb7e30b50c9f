/** How long the event loop is held by one piece of work, while something else runs. */
import { workClock } from '../lib/cel/pace.js';

export interface Turns {
  /** How often the event loop had its turn. */
  readonly count: number;
  /** The longest time, in milliseconds of this process's work, between two turns. */
  readonly longest: number;
}

/** Runs something, and watches the turns of the event loop until it is done. */
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
  return seen;
}
