import { ExpectedError } from '../../lib/logging/cause.js';
import { readDuration } from '../../lib/go/duration.js';
import { type CronField, cronDescriptors, cronFields, everyPrefix } from '../../kinds/shared/schedule/cron-fields.js';
import { scheduleError } from '../../kinds/shared/schedule/cron-schedule.js';
import { timeZone, type WallTime, type Zone } from './time-zone.js';
import { ownValue } from '../../lib/collections/own-value.js';

export interface Schedule {
  /** Returns the first time after `instant` in the schedule, in milliseconds; undefined if there is none in the next five years. */
  next(instant: number): number | undefined;
}

interface Field {
  readonly values: ReadonlySet<number>;
  /** The field is `*` or `?`: any value matches. */
  readonly any: boolean;
}

interface Times {
  readonly minute: Field;
  readonly hour: Field;
  readonly day: Field;
  readonly month: Field;
  readonly weekday: Field;
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const maxDays = 5 * 366;

/**
 * Parses a cron schedule: five fields, a descriptor or `@every DURATION`, optionally prefixed by `TZ=ZONE`, which overrides `zoneName`.
 * An instant matches if the local time of the zone matches: a local time that is skipped by a change of the clocks does not match, one
 * that is repeated matches twice. Throws ExpectedError with the parser's text. as github.com/robfig/cron/v3 ParseStandard
 */
export function parseCron(text: string, zoneName: string | undefined): Schedule {
  const error = scheduleError(text);
  if (error !== undefined) throw new ExpectedError(error);
  const [, named, rest = text] = /^(?:CRON_)?TZ=(\S*)\s+(.*)$/s.exec(text) ?? [];
  const times = rest.trim();
  if (times.startsWith(everyPrefix)) return everyDuration(times.slice(everyPrefix.length));
  return schedule(parseTimes(ownValue(cronDescriptors, times) ?? times), timeZone(named ?? zoneName));
}

/** Returns the schedule of `@every DURATION`, in whole seconds. */
function everyDuration(duration: string): Schedule {
  const nanos = readDuration(duration);
  if (typeof nanos === 'object') throw new ExpectedError(nanos.error);
  const intervalMs = Math.max(1, Number(nanos / 1_000_000_000n)) * 1000;
  return { next: instant => Math.floor((instant + intervalMs) / 1000) * 1000 };
}

function parseTimes(text: string): Times {
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = text.split(/\s+/);
  return {
    minute: parseField(minute, cronFields.minute),
    hour: parseField(hour, cronFields.hour),
    day: parseField(day, cronFields.day),
    month: parseField(month, cronFields.month),
    weekday: parseField(weekday, cronFields.weekday),
  };
}

function parseField(text: string, { min, max, names = [] }: CronField): Field {
  const number = (word: string): number => {
    const named = names.indexOf(word.toLowerCase());
    return named < 0 ? Number(word) : named + min;
  };
  const values = new Set<number>();
  let any = false;
  for (const range of text.split(',').filter(part => part !== '')) {
    const [span = '', step] = range.split('/');
    const [low = '', high] = span.split('-');
    const all = low === '*' || low === '?';
    // With a step of more than one, `*` restricts the values like any other range.
    if (all && (step === undefined || Number(step) === 1)) any = true;
    const first = all ? min : number(low);
    const last = all ? max : high !== undefined ? number(high) : step !== undefined ? max : first;
    for (let value = first; value <= last; value += step === undefined ? 1 : Number(step)) values.add(value);
  }
  return { values, any };
}

/** Reports whether the date matches. If both day of month and weekday are restricted, one of them must match, as in cron. */
function isDay({ day, month, weekday }: Times, wall: Date): boolean {
  if (!month.values.has(wall.getUTCMonth() + 1)) return false;
  const byDate = day.values.has(wall.getUTCDate());
  const byWeekday = weekday.values.has(wall.getUTCDay());
  return day.any || weekday.any ? byDate && byWeekday : byDate || byWeekday;
}

function schedule(times: Times, zone: Zone): Schedule {
  /** Returns the first matching day after the day of `wall`. */
  function nextDay(wall: WallTime): WallTime | undefined {
    let day = Math.floor(wall / dayMs) * dayMs;
    for (let tries = 0; tries < maxDays; tries++) if (isDay(times, new Date((day += dayMs)))) return day;
    return undefined;
  }
  return {
    next(instant) {
      let at = (Math.floor(instant / minuteMs) + 1) * minuteMs;
      for (;;) {
        const wall = zone.wallAt(at);
        const clock = new Date(wall);
        if (!isDay(times, clock)) {
          const day = nextDay(wall);
          if (day === undefined) return undefined;
          at = zone.firstInstant(day);
        } else if (!times.hour.values.has(clock.getUTCHours())) at += (60 - clock.getUTCMinutes()) * minuteMs;
        else if (!times.minute.values.has(clock.getUTCMinutes())) at += minuteMs;
        else return at;
      }
    },
  };
}
