import { setTimeout as pause } from 'node:timers/promises';

/** Resolves when the condition holds, looked at every few milliseconds; rejects after a while. */
export async function until(what: string, holds: () => boolean | Promise<boolean>, patienceMs = 60_000): Promise<void> {
  const deadline = Date.now() + patienceMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`in vain: ${what}`);
    await pause(2);
  }
}
