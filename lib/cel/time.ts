/** Timestamps and durations, and their fields. as cel-go common/types timestamp.go, duration.go */
import { readDuration } from '../go/duration.js';
import { goQuote } from '../go/go-text.js';
import type { Steps } from '../steps.js';
import { readTime } from '../go/time.js';
import { type Library, countedMethod, method } from './function.js';
import * as t from './types.js';
import { CelError, Duration, Timestamp } from './values.js';

const second = 1_000_000_000n;

const two = (n: number): string => String(n).padStart(2, '0');

/** Returns RFC 3339, `2024-01-31T12:00:00.5Z`, with as many digits as needed, in the zone in which it was written. */
export function timestampText(at: Timestamp): string {
  const { zone } = at;
  const nanos = ((at.nanos % second) + second) % second;
  const text = new Date(Number((at.nanos - nanos) / 1_000_000n) + zone * 60000).toISOString().slice(0, -5);
  const fraction = nanos.toString().padStart(9, '0').replace(/0+$/, '');
  const minutes = Math.abs(zone);
  const suffix = zone === 0 ? 'Z' : `${zone < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
  return `${text}${fraction === '' ? '' : `.${fraction}`}${suffix}`;
}

/** Returns seconds: `1.5s`. */
export function durationText(d: Duration): string {
  const negative = d.nanos < 0n;
  const nanos = negative ? -d.nanos : d.nanos;
  const fraction = (nanos % second).toString().padStart(9, '0').replace(/0+$/, '');
  return `${negative ? '-' : ''}${nanos / second}${fraction === '' ? '' : `.${fraction}`}s`;
}

/** The seconds of the years 1 to 9999. */
const firstSecond = -62135596800n;
const lastSecond = 253402300799n;

/**
 * Returns the timestamp of an RFC 3339 text. Throws CelError for another text, and outside of the years 1 to 9999. as cel-go common/types/string.go:
 * a time in a zone may be outside of the allowed years, too
 */
export function parseTimestamp(text: string): Timestamp {
  const at = readTimestamp(text);
  const seconds = (at.nanos - (((at.nanos % second) + second) % second)) / second;
  if (seconds < firstSecond || seconds > lastSecond) throw new CelError('timestamp overflow');
  return at;
}

/** Parses a timestamp of any year. Throws CelError. */
export function readTimestamp(text: string): Timestamp {
  const found = readTime(text);
  if ('error' in found) throw new CelError("type conversion error from 'string' to 'google.protobuf.Timestamp'");
  const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)$/.exec(text) ?? [];
  const zone = sign === undefined ? 0 : (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
  return new Timestamp(BigInt(Math.floor(found.ms / 1000)) * second + BigInt(found.nanos), zone);
}

/** Parses a duration in Go's form. Throws CelError. */
export function parseDuration(text: string): Duration {
  const found = readDuration(text);
  if (typeof found === 'bigint') return new Duration(found);
  throw new CelError("type conversion error from 'string' to 'google.protobuf.Duration'");
}

/** Returns a date with these UTC fields; unlike Date.UTC it takes years before 100 literally. */
function utcDate(year: number, month: number, day: number, time: number): Date {
  const date = new Date(0);
  date.setUTCFullYear(year, month, day);
  return new Date(date.getTime() + time);
}

const formats = new Map<string, Intl.DateTimeFormat>();
/** More than the number of zones, since names may differ in case. */
const maxFormats = 1000;

function formatIn(zone: string, steps: Steps): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  // Creating a format takes a hundred microseconds.
  steps.take(10_000);
  let made: Intl.DateTimeFormat;
  try {
    made = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    throw new CelError(`unknown time zone ${zone.slice(0, 100)}`);
  }
  if (formats.size >= maxFormats) formats.clear();
  formats.set(zone, made);
  return made;
}

/** Parses an integer. as Go's strconv.Atoi */
function atoi(text: string): number {
  const number = Number(text);
  if (/^[+-]?[0-9]+$/.test(text) && Number.isSafeInteger(number)) return number;
  throw new CelError(`strconv.Atoi: parsing ${goQuote(text.slice(0, 100))}: invalid syntax`);
}

// as cel-go common/types/timestamp.go timeZone: a zone with a colon is hours and minutes, with any number of digits
function minutesEast(zone: string, colon: number): number {
  const [hours, minutes] = [atoi(zone.slice(0, colon)), atoi(zone.slice(colon + 1))];
  return hours * 60 + (zone.startsWith('-') ? -minutes : minutes);
}

/** Returns a date whose UTC fields are those of a zone: `+01:00`, `5:30`, `Europe/Berlin`. */
function inZone(at: Timestamp, zone: string, steps: Steps): Date {
  const ms = Number((at.nanos - (((at.nanos % 1_000_000n) + 1_000_000n) % 1_000_000n)) / 1_000_000n);
  if (zone === '' || zone === 'UTC') return new Date(ms);
  const colon = zone.indexOf(':');
  if (colon >= 0) {
    const date = new Date(ms + minutesEast(zone, colon) * 60000);
    return Number.isNaN(date.getTime()) ? fail('timestamp overflow') : date;
  }
  steps.take(300);
  const parts = new Map(
    formatIn(zone, steps)
      .formatToParts(new Date(ms))
      .map(({ type, value }) => [type, value]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.get(type));
  const year = parts.get('era') === 'BC' ? 1 - part('year') : part('year');
  const time = ((part('hour') * 60 + part('minute')) * 60 + part('second')) * 1000 + (((ms % 1000) + 1000) % 1000);
  return utcDate(year, part('month') - 1, part('day'), time);
}

const fail = (text: string): never => {
  throw new CelError(text);
};

/** Returns a date whose UTC fields are those of the zone in which the timestamp was written. */
const inOwnZone = ({ nanos, zone }: Timestamp): Date =>
  new Date(Number((nanos - (((nanos % 1_000_000n) + 1_000_000n) % 1_000_000n)) / 1_000_000n) + zone * 60000);

const dayOfYear = (d: Date): number =>
  Math.floor((d.getTime() - utcDate(d.getUTCFullYear(), 0, 1, 0).getTime()) / 86400000);

const parts: readonly (readonly [name: string, id: string, part: (d: Date) => number])[] = [
  ['getFullYear', 'year', d => d.getUTCFullYear()],
  ['getMonth', 'month', d => d.getUTCMonth()],
  ['getDayOfYear', 'day_of_year', dayOfYear],
  ['getDayOfMonth', 'day_of_month', d => d.getUTCDate() - 1],
  ['getDate', 'day_of_month_1_based', d => d.getUTCDate()],
  ['getDayOfWeek', 'day_of_week', d => d.getUTCDay()],
  ['getHours', 'hours', d => d.getUTCHours()],
  ['getMinutes', 'minutes', d => d.getUTCMinutes()],
  ['getSeconds', 'seconds', d => d.getUTCSeconds()],
  ['getMilliseconds', 'milliseconds', d => d.getUTCMilliseconds()],
];

const durationParts: Readonly<Record<string, (nanos: bigint) => bigint>> = {
  getHours: n => n / (3600n * second),
  getMinutes: n => n / (60n * second),
  getSeconds: n => n / second,
  getMilliseconds: n => n / 1_000_000n,
};

export const timeLibrary: Library = parts.flatMap(([name, id, part]) => {
  const whole = durationParts[name];
  return [
    method(`timestamp_to_${id}`, name, [t.timestamp], t.int, (at: Timestamp) => BigInt(part(inOwnZone(at)))),
    countedMethod(
      `timestamp_to_${id}_with_tz`,
      name,
      [t.timestamp, t.string],
      t.int,
      (steps: Steps, at: Timestamp, zone: string) => BigInt(part(inZone(at, zone, steps))),
    ),
    ...(whole ? [method(`duration_to_${id}`, name, [t.duration], t.int, (d: Duration) => whole(d.nanos))] : []),
  ];
});
