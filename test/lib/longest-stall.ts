import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';

/** Milliseconds that the main thread has waited for a CPU. They are subtracted, since other processes cause them. */
const waited = (): number =>
  Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;

/** Returns the longest time, in milliseconds, for which the event loop of this thread was blocked during `work`. */
export async function longestStall(work: () => Promise<void>): Promise<number> {
  let longest = 0;
  let last = performance.now() - waited();
  const timer = setInterval(() => {
    const now = performance.now() - waited();
    longest = Math.max(longest, now - last);
    last = now;
  }, 1);
  try {
    await work();
    await new Promise(setImmediate);
  } finally {
    clearInterval(timer);
  }
  return longest;
}
