import { durationMs } from '../../lib/go/duration.js';
import { invalidFlag, UsageError } from './flags.js';

/** Parses a flag's duration in Go's form (`1m30s`). Returns milliseconds. Throws UsageError, also for one that is shorter than `leastMs`. */
export function parseDurationFlag(flag: string, text: string, leastMs = 0): number {
  const ms = parseSignedDuration(flag, text);
  if (ms < 0) throw invalidFlag(flag, text, 'must not be negative');
  if (ms < leastMs) throw new UsageError(`--${flag} must be at least ${leastMs}ms`);
  return ms;
}

/** As `parseDurationFlag`, for a flag with a meaning for negative values. */
export function parseSignedDuration(flag: string, text: string): number {
  try {
    return durationMs(text);
  } catch {
    throw invalidFlag(flag, text, 'want a duration like 1m30s');
  }
}
