import { durationMs } from '../lib/go/duration.js';
import { UsageError } from './flags.js';

/** Parses a flag's duration in Go's form (`1m30s`). Returns milliseconds. Throws UsageError. */
export function parseDuration(flag: string, text: string): number {
  const wrong = (why: string): UsageError => new UsageError(`invalid value "${text}" for --${flag}: ${why}`);
  try {
    const ms = durationMs(text);
    if (ms < 0) throw wrong('must not be negative');
    return ms;
  } catch (error) {
    throw error instanceof UsageError ? error : wrong('want a duration like 1m30s');
  }
}
