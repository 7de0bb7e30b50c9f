import { slownessNow, slownessOfFaults } from '../stalls/slowness.js';
import { ThreadUsage } from '../stalls/thread-usage.js';

/**
 * Returns the longest time, in milliseconds, for which the event loop of this thread was blocked during `work`: CPU time as on the machine on which the
 * limits were set, without what page faults take longer here. Other processes change little of it.
 */
export async function longestStall(work: () => Promise<void>): Promise<number> {
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
  const slowness = slownessNow(cpuMs);
  usage.close();
  return longest / slowness;
}
