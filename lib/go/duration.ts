/** Go's durations (`1h30m0s`), and ages as kubectl shows them. */
import { goQuote } from './go-text.js';
import type { Int64 } from '../json/json.js';
import { ownValue } from '../collections/own-value.js';

const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1000n,
  µs: 1000n, // U+00B5
  μs: 1000n, // U+03BC
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const maxNanos = 2n ** 63n;
/** differs: upstream accepts any number of terms. */
const maxTerms = 1000;
/** Digits of a number that fits into nanoseconds. */
const maxDigits = 19;

/** Parses a duration like `-1.5h`. Returns nanoseconds, or the text of Go's error. as Go's time.ParseDuration */
export function readDuration(text: string): bigint | { readonly error: string } {
  const invalid = { error: `time: invalid duration ${goQuote(text)}` };
  const [, sign = '', body = ''] = /^([+-]?)(.*)$/s.exec(text) ?? [];
  if (body === '0') return 0n;
  if (body === '') return invalid;
  let total = 0n;
  let terms = 0;
  for (let rest = body; rest !== '';) {
    if (++terms > maxTerms) return invalid;
    const [found = '', whole = '', fraction = '', unit = ''] = /^(\d*)(?:\.(\d*))?([^.\d]*)/s.exec(rest) ?? [];
    if (whole === '' && fraction === '') return invalid;
    if (unit === '') return { error: `time: missing unit in duration ${goQuote(text)}` };
    const size = ownValue(units, unit);
    if (size === undefined) return { error: `time: unknown unit ${goQuote(unit)} in duration ${goQuote(text)}` };
    // Insignificant digits are ignored: parsing a million digits would be slow.
    const [number, part] = [whole.replace(/^0+/, ''), fraction.slice(0, maxDigits)];
    if (number.length > maxDigits) return invalid;
    total += BigInt(number) * size + (BigInt(part) * size) / 10n ** BigInt(part.length);
    if (total > maxNanos) return invalid;
    rest = rest.slice(found.length);
  }
  if (sign === '-') return -total;
  return total === maxNanos ? invalid : total;
}

/** Parses a duration like `1m30s`. Returns milliseconds. Throws a plain Error with Go's text. */
export function durationMs(text: string): number {
  const found = readDuration(text);
  if (typeof found === 'object') throw new Error(found.error);
  return Number(found) / 1e6;
}

/** Returns `value / 10^digits` without trailing zeros. */
function decimal(value: bigint, digits: number): string {
  const text = value.toString().padStart(digits + 1, '0');
  const fraction = text.slice(text.length - digits).replace(/0+$/, '');
  return text.slice(0, text.length - digits) + (fraction === '' ? '' : `.${fraction}`);
}

/** Formats nanoseconds as Go prints a duration: `1h0m0s`, `1.5s`, `100ms`. as Go's time.Duration.String */
export function formatDuration(nanos: bigint): string {
  if (nanos === 0n) return '0s';
  if (nanos < 0n) return `-${formatDuration(-nanos)}`;
  if (nanos < 1000n) return `${nanos}ns`;
  if (nanos < 1_000_000n) return `${decimal(nanos, 3)}µs`;
  if (nanos < 1_000_000_000n) return `${decimal(nanos, 6)}ms`;
  const minutes = nanos / 60_000_000_000n;
  const seconds = `${decimal(nanos % 60_000_000_000n, 9)}s`;
  if (minutes === 0n) return seconds;
  return minutes < 60n ? `${minutes}m${seconds}` : `${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

/** Converts seconds to milliseconds. Values beyond the 292 years of a Go duration wrap around. */
export function secondsMs(seconds: Int64): number {
  if (typeof seconds === 'number' && Math.abs(seconds) < 9e9) return seconds * 1000;
  return Number(BigInt.asIntN(64, BigInt(seconds) * 1_000_000_000n)) / 1e6;
}

const pair = (big: number, bigUnit: string, small: number, smallUnit: string): string =>
  small === 0 ? `${big}${bigUnit}` : `${big}${bigUnit}${small}${smallUnit}`;

/** Formats an age in two or three digits: `5m30s`, `7d`, `2y100d`. as apimachinery/pkg/util/duration HumanDuration */
export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return pair(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return pair(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (days < 8) return pair(days, 'd', hours % 24, 'h');
  if (days < 730) return `${days}d`;
  const years = Math.floor(days / 365);
  return days < 365 * 8 ? pair(years, 'y', days % 365, 'd') : `${years}y`;
}

/** Returns the AGE at `now` of an object created at `created` (RFC 3339). */
export function age(created: string | undefined | null, now: number): string {
  const at = created ? Date.parse(created) : NaN;
  return Number.isNaN(at) ? '<unknown>' : humanDuration(now - at);
}
