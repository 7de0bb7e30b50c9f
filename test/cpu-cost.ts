/** Measures how much functions compute, on a machine of any speed that other processes use, too. */
import { workClock } from '../lib/cel/interpreter/pace.js';
import { slownessNow } from './stalls/slowness.js';
import { undisturbed } from './undisturbed.js';

/** Returns the milliseconds of CPU time that a function takes on this machine. */
export function cpuMs(work: () => unknown): number {
  const now = workClock();
  const before = now();
  work();
  return now() - before;
}

/**
 * Returns the milliseconds of CPU time that a function takes, as on the machine on which the limits were set. It runs again, a few times, while it
 * takes `limit` or more.
 */
export const cpuCost = (limit: number, work: () => unknown): Promise<number> =>
  undisturbed(
    ms => ms < limit,
    () => {
      const ms = cpuMs(work);
      return ms < limit ? ms : ms / slownessNow(workClock());
    },
  );

/**
 * Returns the milliseconds of CPU time that the same work takes on a short and on a long input, on this machine. The long one runs again, a few times,
 * while it takes `limitOf` the short one or more.
 */
export async function cpuCosts(
  short: () => unknown,
  long: () => unknown,
  limitOf: (short: number) => number,
): Promise<readonly [short: number, long: number]> {
  const least = Math.min(cpuMs(short), cpuMs(short), cpuMs(short));
  const limit = limitOf(least);
  return [
    least,
    await undisturbed(
      ms => ms < limit,
      () => cpuMs(long),
    ),
  ];
}
