import { setTimeout as pause } from 'node:timers/promises';
import { durationMs, readDuration } from '../../lib/go/duration.js';
import { invalidFlag, UsageError } from '../flags/flags.js';

/** Returns the milliseconds of `--wait`. A number without a unit means seconds. Throws UsageError. */
export function waitMs(text: string): number {
  const duration = /^\d+$/.test(text) ? `${text}s` : text;
  const nanos = readDuration(duration);
  if (typeof nanos !== 'bigint') throw invalidFlag('wait', text, nanos.error);
  if (nanos <= 0n) throw new UsageError(`--wait ${text} must be a positive duration, e.g. 1m0s`);
  return durationMs(duration);
}

/** Resolves with whether the condition holds before the deadline, in milliseconds since the epoch. */
export async function holdsBefore(deadline: number, condition: () => Promise<boolean>): Promise<boolean> {
  while (!(await condition())) {
    if (Date.now() > deadline) return false;
    await pause(200);
  }
  return true;
}
