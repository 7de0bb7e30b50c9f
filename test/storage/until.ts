import { setTimeout as pause } from 'node:timers/promises';

const minPauseMs = 2;
const maxPauseMs = 100;

/**
 * Polls a condition; resolves when it is true, rejects after a timeout, which is long since the machine may be slow. A look may be a request or a
 * process, whose CPU time the program under test needs. So a pause is a twentieth of the time waited so far, or as long as the last look took, if that
 * is more; it is 2 to 100 ms.
 */
export async function until(what: string, holds: () => boolean | Promise<boolean>, timeoutMs = 180_000): Promise<void> {
  const began = performance.now();
  for (let looked = began; !(await holds()); looked = performance.now()) {
    const now = performance.now();
    if (now - began > timeoutMs) throw new Error(`in vain: ${what}`);
    await pause(Math.min(maxPauseMs, Math.max(minPauseMs, (now - began) / 20, now - looked)));
  }
}
