import { durationMs } from '../lib/go/duration.js';
import { UsageError } from './flags.js';

const fault = (flag: string, text: string, why: string): UsageError =>
  new UsageError(`invalid value "${text}" for --${flag}: ${why}`);

/** Parses a flag's duration in Go's form (`1m30s`). Returns milliseconds. Throws UsageError. */
export function parseDurationFlag(flag: string, text: string): number {
  const ms = parseSignedDuration(flag, text);
  if (ms < 0) throw fault(flag, text, 'must not be negative');
  return ms;
}

/** The same for a flag with a meaning for negative values. */
export function parseSignedDuration(flag: string, text: string): number {
  try {
    return durationMs(text);
  } catch {
    throw fault(flag, text, 'want a duration like 1m30s');
  }
}
