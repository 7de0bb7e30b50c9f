/** The fields of a cron schedule. */

/** The first is month 1. */
export const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'] as const;
/** The first is day 0. */
export const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;

export interface CronField {
  readonly min: number;
  readonly max: number;
  /** Names for the numbers from `min` on, in any case. */
  readonly names?: readonly string[];
}

/** The fields in their order in a schedule. */
// as github.com/robfig/cron/v3 bounds
export const cronFields = {
  minute: { min: 0, max: 59 },
  hour: { min: 0, max: 23 },
  day: { min: 1, max: 31 },
  month: { min: 1, max: 12, names: months },
  weekday: { min: 0, max: 6, names: weekdays },
} as const satisfies Readonly<Record<string, CronField>>;

/** The descriptors, such as `@yearly`, and their schedules. */
// as github.com/robfig/cron/v3 parseDescriptor
export const cronDescriptors: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

/** Comes before a duration, which is an interval instead of times. */
export const everyPrefix = '@every ';
