/** Measures how much a function computes, on a machine of any speed. */
import { workClock } from '../lib/cel/pace.js';
import { slownessNow } from './stalls/slowness.js';

/** Returns the milliseconds of CPU time that a function takes, as on the machine on which the limits were set. */
export function cpuCost(work: () => void): number {
  const now = workClock();
  const before = now();
  work();
  const took = now() - before;
  return took / slownessNow(now);
}
