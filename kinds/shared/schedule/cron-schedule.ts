import { readDuration } from '../../../lib/go/duration.js';
import { ownValue } from '../../../lib/collections/own-value.js';
import { type CronField, cronDescriptors, cronFields, everyPrefix } from './cron-fields.js';
import { type CronRange, readRange } from './cron-range.js';
import { ValueSet } from './value-set.js';
import { isZoneName } from './zone-names.js';

const comma = 0x2c;
const bounds: readonly CronField[] = Object.values(cronFields);

/** The values of a field at which a schedule is due. */
interface CronValues {
  has(value: number): boolean;
  /** The field is `*` or `?`: any value matches. With a step of more than one, `*` restricts the values like any other range. */
  readonly any: boolean;
}

/** A schedule of local times. */
export interface CronTimes {
  readonly minute: CronValues;
  readonly hour: CronValues;
  readonly day: CronValues;
  readonly month: CronValues;
  readonly weekday: CronValues;
  /** The zone that the schedule names. */
  readonly zone?: string;
}

/** A parsed schedule: local times, or an interval in nanoseconds. */
type CronSchedule = CronTimes | { readonly every: bigint };

interface Invalid {
  /** The text of the parser that Kubernetes uses. */
  readonly error: string;
}

/** Parses a cron schedule: five fields, a descriptor or `@every DURATION`, optionally prefixed by `TZ=ZONE`. */
// as github.com/robfig/cron/v3 ParseStandard
export function parseSchedule(schedule: string): CronSchedule | Invalid {
  if (schedule === '') return { error: 'empty spec string' };
  const zoned = /^(?:CRON_)?TZ=/.exec(schedule);
  if (!zoned) return parseTimes(schedule);
  const space = schedule.indexOf(' ');
  if (space < 0) return { error: 'invalid schedule format: runtime error: slice bounds out of range [:-1]' };
  const zone = schedule.slice(zoned[0].length, space);
  const error = timeZoneError(zone);
  if (error !== undefined) return { error: `provided bad location ${zone}: ${error}` };
  const times = parseTimes(schedule.slice(space).trim());
  return 'minute' in times ? { ...times, zone } : times;
}

/** Returns the text about an invalid cron schedule; undefined for a valid one. */
export function scheduleError(schedule: string): string | undefined {
  const parsed = parseSchedule(schedule);
  return 'error' in parsed ? parsed.error : undefined;
}

function parseTimes(text: string): CronSchedule | Invalid {
  if (text.startsWith('@')) return parseDescriptor(text);
  const fields = text.split(/\s+/).filter(field => field !== '');
  if (fields.length !== bounds.length)
    return { error: `expected exactly ${bounds.length} fields, found ${fields.length}: [${fields.join(' ')}]` };
  const values: CronValues[] = [];
  for (const [i, field] of fields.entries()) {
    const parsed = parseField(field, bounds[i] as CronField);
    if (typeof parsed === 'string') return { error: parsed };
    values.push(parsed);
  }
  const [minute, hour, day, month, weekday] = values as [CronValues, CronValues, CronValues, CronValues, CronValues];
  return { minute, hour, day, month, weekday };
}

class Values extends ValueSet implements CronValues {
  any = false;
}

/** Returns the values of a field, or the text about its first invalid range. hot: a field may be megabytes of ranges; no strings are made for numbers. */
function parseField(field: string, limits: CronField): CronValues | string {
  const values = new Values();
  const range: CronRange = { start: 0, end: 0, step: 1, all: false };
  for (let at = 0; at < field.length; at++) {
    if (field.charCodeAt(at) === comma) continue;
    const next = field.indexOf(',', at);
    const end = next < 0 ? field.length : next;
    const error = readRange(field, at, end, limits, range);
    if (error !== undefined) return error;
    values.addRange(range.start, range.end, range.step);
    if (range.all && range.step === 1) values.any = true;
    at = end;
  }
  return values;
}

function parseDescriptor(text: string): CronSchedule | Invalid {
  const times = ownValue(cronDescriptors, text);
  if (times !== undefined) return parseTimes(times);
  if (!text.startsWith(everyPrefix)) return { error: `unrecognized descriptor: ${text}` };
  const duration = readDuration(text.slice(everyPrefix.length));
  if (typeof duration === 'object') return { error: `failed to parse duration ${text}: ${duration.error}` };
  return { every: duration };
}

/** Returns Go's text about a time zone that it cannot load; undefined for one that it can. */
// as Go time.LoadLocation
export function timeZoneError(zone: string): string | undefined {
  if (zone === '' || zone === 'UTC' || zone === 'Local') return undefined;
  if (zone.includes('..') || /^[/\\]/.test(zone)) return 'time: invalid location name';
  return isZoneName(zone) ? undefined : `unknown time zone ${zone}`;
}
