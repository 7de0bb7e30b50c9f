/** Times and durations of expressions, and their parts. as cel-go common/types timestamp.go, duration.go */
import { readDuration } from '../../meta/duration.js';
import { readTime } from '../../meta/time.js';
import { type Library, method } from './function.js';
import * as t from './types.js';
import { CelError, Duration, Timestamp } from './values.js';

const second = 1_000_000_000n;

const two = (n: number): string => String(n).padStart(2, '0');

/** `2024-01-31T12:00:00.5Z`: RFC 3339 with as many digits as are needed, in the zone in which it was written. */
export function timestampText(at: Timestamp): string {
  const { zone } = at;
  const nanos = ((at.nanos % second) + second) % second;
  const text = new Date(Number((at.nanos - nanos) / 1_000_000n) + zone * 60000).toISOString().slice(0, -5);
  const fraction = nanos.toString().padStart(9, '0').replace(/0+$/, '');
  const minutes = Math.abs(zone);
  const suffix = zone === 0 ? 'Z' : `${zone < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
  return `${text}${fraction === '' ? '' : `.${fraction}`}${suffix}`;
}

/** `1.5s`. */
export function durationText(d: Duration): string {
  const negative = d.nanos < 0n;
  const nanos = negative ? -d.nanos : d.nanos;
  const fraction = (nanos % second).toString().padStart(9, '0').replace(/0+$/, '');
  return `${negative ? '-' : ''}${nanos / second}${fraction === '' ? '' : `.${fraction}`}s`;
}

export function parseTimestamp(text: string): Timestamp {
  const found = readTime(text);
  if ('error' in found) throw new CelError("type conversion error from 'string' to 'google.protobuf.Timestamp'");
  const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)$/.exec(text) ?? [];
  const zone = sign === undefined ? 0 : (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
  return new Timestamp(BigInt(Math.floor(found.ms / 1000)) * second + BigInt(found.nanos), zone);
}

export function parseDuration(text: string): Duration {
  const found = readDuration(text);
  if (typeof found === 'bigint') return new Duration(found);
  throw new CelError("type conversion error from 'string' to 'google.protobuf.Duration'");
}

/** A time as a date whose UTC fields are those of the zone: `+01:00`, `Europe/Berlin`. */
function inZone(at: Timestamp, zone: string): Date {
  const ms = Number((at.nanos - (((at.nanos % 1_000_000n) + 1_000_000n) % 1_000_000n)) / 1_000_000n);
  const offset = /^([+-]?)(\d\d):(\d\d)$/.exec(zone);
  if (offset) {
    const minutes = Number(offset[2]) * 60 + Number(offset[3]);
    return new Date(ms + (offset[1] === '-' ? -minutes : minutes) * 60000);
  }
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone === '' ? 'UTC' : zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    throw new CelError(`unknown time zone ${zone}`);
  }
  const parts = Object.fromEntries(format.formatToParts(new Date(ms)).map(p => [p.type, Number(p.value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second: sec = 0 } = parts;
  return new Date(Date.UTC(year, month - 1, day, hour, minute, sec, ((ms % 1000) + 1000) % 1000));
}

const dayOfYear = (d: Date): number =>
  Math.floor(
    (Date.UTC(d.getUTCFullYear(), d.getUTCMonth(), d.getUTCDate()) - Date.UTC(d.getUTCFullYear(), 0, 1)) / 86400000,
  );

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
    method(`timestamp_to_${id}`, name, [t.timestamp], t.int, (at: Timestamp) => BigInt(part(inZone(at, '')))),
    method(`timestamp_to_${id}_with_tz`, name, [t.timestamp, t.string], t.int, (at: Timestamp, zone: string) =>
      BigInt(part(inZone(at, zone))),
    ),
    ...(whole ? [method(`duration_to_${id}`, name, [t.duration], t.int, (d: Duration) => whole(d.nanos))] : []),
  ];
});
