import { slownessNow, slownessOfFaults } from '../stalls/slowness.js';
import { ThreadUsage } from '../stalls/thread-usage.js';
import { undisturbed } from '../undisturbed.js';

/**
 * Returns the longest time, in milliseconds, for which the event loop of this thread was blocked during `work`: CPU time as on the machine on which the
 * limits were set, without what page faults take longer here. Other processes change little of it. `work` is done again, a few times, while the time is
 * `limit` or more.
 */
export const longestStall = (limit: number, work: () => Promise<void>): Promise<number> =>
  undisturbed(
    stall => stall < limit,
    () => measure(limit, work),
  );

async function measure(limit: number, work: () => Promise<void>): Promise<number> {
  const usage = new ThreadUsage();
  const cpuMs = (): number => usage.read().ran;
  const extraFaultMs = slownessOfFaults(cpuMs);
  let longest = 0;
  let last = usage.read();
  const timer = setInterval(() => {
    const now = usage.read();
    longest = Math.max(longest, now.ran - last.ran - (now.faults - last.faults) * extraFaultMs);
    last = now;
  }, 1);
  try {
    await work();
    await new Promise(setImmediate);
  } finally {
    clearInterval(timer);
  }
  const slowness = longest < limit ? 1 : slownessNow(cpuMs);
  usage.close();
  return longest / slowness;
}
