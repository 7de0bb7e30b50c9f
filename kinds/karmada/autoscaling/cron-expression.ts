/** Checks the schedules of CronFederatedHPAs: five fields, optionally with seconds before and years after them, or a single word. */
// as github.com/adhocore/gronx IsValid; differs: its result for lists depends on the time of day.
import { months, weekdays } from '../../shared/schedule/cron-fields.js';

const words = [
  ...['yearly', 'annually', 'monthly', 'weekly', 'daily', 'hourly', 'always'],
  ...['everysecond', '5minutes', '10minutes', '15minutes', '30minutes'],
];
const numbers = new Map([
  ...weekdays.map((day, i) => [day.toUpperCase(), String(i)] as const),
  ...months.map((month, i) => [month.toUpperCase(), String(i + 1)] as const),
]);
const names = new RegExp([...numbers.keys()].join('|'), 'g');

interface Field {
  readonly min: number;
  readonly max: number;
  /** Other values that the field may have. */
  readonly special?: RegExp;
}

const fields: readonly Field[] = [
  { min: 0, max: 59 },
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31, special: /^(?:L|\d+W)$/ },
  { min: 1, max: 12 },
  { min: 0, max: 7, special: /^\d+(?:L|#\d+)$/ },
  { min: 1, max: 9999 },
];

function isRange(text: string, { min, max }: Field): boolean {
  const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(text) ?? [];
  return first !== undefined && Number(first) >= min && Number(last) <= max && Number(first) <= Number(last);
}

function isItem(text: string, field: Field): boolean {
  if (text === '*' || text === '?' || text === '0' || field.special?.test(text)) return true;
  const [base = '', step, ...more] = text.split('/');
  if (step === undefined) return isRange(base.replace(/^7-/, field.max === 7 ? '0-' : '7-'), field);
  if (more.length > 0 || !/^\d+$/.test(step) || Number(step) === 0) return false;
  return base === '*' || base === '0' || isRange(base, field);
}

/** Characters of a schedule: all values of all fields but the years, written as lists, have less than 1,000. differs: upstream has no such limit. */
const maxLength = 4096;

/** Reports whether a text is a cron expression of five fields, or a word such as `@daily`. as robfig/cron ParseStandard */
export function isCronExpression(text: string): boolean {
  if (text.length > maxLength) return false;
  const trimmed = text.trim();
  if (trimmed.startsWith('@')) return words.includes(trimmed.slice(1).toLowerCase());
  const parts = trimmed
    .toUpperCase()
    .replace(names, name => numbers.get(name) ?? name)
    .split(/\s+/);
  if (parts.length < 5 || parts.length > 7) return false;
  const withoutSeconds = parts.length === 5 || (parts.length === 6 && /\d{4}/.test(parts[5] ?? ''));
  if (withoutSeconds) parts.unshift('0');
  return parts.every((part, i) => {
    const field = fields[i];
    return field !== undefined && part.split(',').every(item => isItem(item, field));
  });
}
