/** What a schedule of cron may say, field by field; for whoever judges it and for whoever goes by it. */

/** The first is month 1. */
export const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'] as const;
/** The first is day 0. */
export const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;

export interface CronField {
  readonly least: number;
  readonly most: number;
  /** Instead of numbers, in any case; the first stands for `least`. */
  readonly names?: readonly string[];
}

/** In their order. */
// as github.com/robfig/cron/v3 bounds
export const cronFields = {
  minute: { least: 0, most: 59 },
  hour: { least: 0, most: 23 },
  day: { least: 1, most: 31 },
  month: { least: 1, most: 12, names: months },
  weekday: { least: 0, most: 6, names: weekdays },
} as const satisfies Readonly<Record<string, CronField>>;

/** Words, and the schedules that they stand for. */
// as github.com/robfig/cron/v3 parseDescriptor
export const cronWords: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

/** Before a duration: a distance instead of times. */
export const every = '@every ';
