import { ExpectedError } from '../../lib/logging/cause.js';
import { type CronTimes, parseSchedule } from '../../kinds/shared/schedule/cron-schedule.js';
import { timeZone, type WallTime, type Zone } from './time-zone.js';

export interface Schedule {
  /** Returns the first time after `instant` in the schedule, in milliseconds; undefined if there is none in the next five years. */
  next(instant: number): number | undefined;
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
  const parsed = parseSchedule(text);
  if ('error' in parsed) throw new ExpectedError(parsed.error);
  return 'every' in parsed ? everyInterval(parsed.every) : timesIn(parsed, timeZone(parsed.zone ?? zoneName));
}

/** Returns the schedule of `@every DURATION`, in whole seconds. */
function everyInterval(nanoseconds: bigint): Schedule {
  const intervalMs = Math.max(1, Number(nanoseconds / 1_000_000_000n)) * 1000;
  return { next: instant => Math.floor((instant + intervalMs) / 1000) * 1000 };
}

/** Reports whether the date matches. If both day of month and weekday are restricted, one of them must match, as in cron. */
function isDay({ day, month, weekday }: CronTimes, wall: Date): boolean {
  if (!month.has(wall.getUTCMonth() + 1)) return false;
  const byDate = day.has(wall.getUTCDate());
  const byWeekday = weekday.has(wall.getUTCDay());
  return day.any || weekday.any ? byDate && byWeekday : byDate || byWeekday;
}

function timesIn(times: CronTimes, zone: Zone): Schedule {
  /** Returns the first matching day after the day of `wall`. A month without such days is one step. */
  function nextDay(wall: WallTime): WallTime | undefined {
    const today = Math.floor(wall / dayMs) * dayMs;
    for (let day = today + dayMs; day <= today + maxDays * dayMs;) {
      const date = new Date(day);
      if (isDay(times, date)) return day;
      const isInMonth = times.month.has(date.getUTCMonth() + 1);
      day = isInMonth ? day + dayMs : Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
    }
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
        } else if (!times.hour.has(clock.getUTCHours())) at += (60 - clock.getUTCMinutes()) * minuteMs;
        else if (!times.minute.has(clock.getUTCMinutes())) at += minuteMs;
        else return at;
      }
    },
  };
}
