import { setTimeout as pause } from 'node:timers/promises';

/** Polls a condition every few milliseconds; resolves when it is true, rejects after a timeout, which is long since the machine may be slow. */
export async function until(what: string, holds: () => boolean | Promise<boolean>, timeoutMs = 180_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`in vain: ${what}`);
    await pause(2);
  }
}
