/** Reads and writes metav1.Time and MicroTime: RFC 3339 in UTC, with seconds or microseconds. */
import { goQuote } from './go-text.js';

interface Instant {
  /** Milliseconds since 1970. */
  readonly ms: number;
  /** Nanoseconds within the second. */
  readonly nanos: number;
}

/** Formats seconds as metav1.Time does: `2024-01-31T12:00:00Z`. The argument is a Date or milliseconds since 1970. */
export function formatTime(at: Date | number): string {
  const second = Math.floor(Number(at) / 1000);
  if (second !== latest.second) latest = { second, text: `${isoText(at).slice(0, -5)}Z` };
  return latest.text;
}

/** The last result. hot: every write formats the current time several times. */
let latest = { second: NaN, text: '' };

/** Formats microseconds as metav1.MicroTime does: `2024-01-31T12:00:00.000000Z`. */
export function formatMicroTime(at: Date | number, nanos?: number): string {
  const fraction = nanos === undefined ? `${isoText(at).slice(-4, -1)}000` : String(Math.floor(nanos / 1000));
  return `${isoText(at).slice(0, -5)}.${fraction.padStart(6, '0')}Z`;
}

const isoText = (at: Date | number): string => (typeof at === 'number' ? new Date(at) : at).toISOString();

// --- parsing --------------------------------------------------------------------------------------------------

const secondsLayout = '2006-01-02T15:04:05Z07:00';
const microLayout = '2006-01-02T15:04:05.000000Z07:00';

interface Field {
  /** The element of the layout, as in errors. */
  readonly layout: string;
  readonly pattern: RegExp;
  readonly name?: string;
  readonly min?: number;
  readonly max?: number;
}

const dash: Field = { layout: '-', pattern: /^-/ };
const colon: Field = { layout: ':', pattern: /^:/ };
const fields: readonly Field[] = [
  { layout: '2006', pattern: /^\d{4}/ },
  dash,
  { layout: '01', pattern: /^\d\d/, name: 'month', min: 1, max: 12 },
  dash,
  { layout: '02', pattern: /^\d\d/ },
  { layout: 'T', pattern: /^T/ },
  { layout: '15', pattern: /^\d\d?/, name: 'hour', min: 0, max: 23 },
  colon,
  { layout: '04', pattern: /^\d\d/, name: 'minute', min: 0, max: 59 },
  colon,
  { layout: '05', pattern: /^\d\d/, name: 'second', min: 0, max: 59 },
];

type Parsed = Instant | { readonly error: string };

const daysIn = (year: number, month: number): number => new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();

/** Parses a time with one of the two layouts. as Go's time.Parse */
function parse(text: string, layout: string): Parsed {
  const fail = (at: number, element: string): Parsed => ({
    error: `parsing time ${goQuote(text)} as ${goQuote(layout)}: cannot parse ${goQuote(text.slice(at))} as ${goQuote(element)}`,
  });
  const range = (what: string): Parsed => ({ error: `parsing time ${goQuote(text)}: ${what} out of range` });
  const numbers: number[] = [];
  let at = 0;
  for (const field of fields) {
    const found = field.pattern.exec(text.slice(at))?.[0];
    if (found === undefined) return fail(at, field.layout);
    at += found.length;
    if (!/\d/.test(found)) continue;
    const value = Number(found);
    if (field.name !== undefined && (value < (field.min ?? 0) || value > (field.max ?? 0))) return range(field.name);
    numbers.push(value);
  }
  const micro = layout === microLayout;
  const fraction = (micro ? /^\.\d{6}/ : /^[.,]\d+/).exec(text.slice(at))?.[0] ?? '';
  if (micro && fraction === '') return fail(at, '.000000');
  at += fraction.length;
  const zone = /^(?:Z|([+-])(\d\d):(\d\d))/.exec(text.slice(at));
  if (!zone) return fail(at, 'Z07:00');
  const [hours, minutes] = [Number(zone[2] ?? 0), Number(zone[3] ?? 0)];
  if (hours > 24) return range('time zone offset hour');
  if (minutes > 60) return range('time zone offset minute');
  const extra = text.slice(at + zone[0].length);
  if (extra !== '') return { error: `parsing time ${goQuote(text)}: extra text: ${goQuote(extra)}` };
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = numbers;
  if (day < 1 || day > daysIn(year, month)) return range('day');
  const nanos = Number(fraction.slice(1, 10).padEnd(9, '0'));
  const offset = (hours * 60 + minutes) * 60000 * (zone[1] === '-' ? 1 : -1);
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second, Math.floor(nanos / 1e6));
  return { ms: date.getTime() + offset, nanos };
}

/** Parses a time with any fraction and offset. Returns the text of Go's error for an invalid one. */
export function readTime(text: string): Parsed {
  return parse(text, secondsLayout);
}

/** Parses a time with exactly six digits of fraction. Returns the text of Go's error for an invalid one. */
export function readMicroTime(text: string): Parsed {
  return parse(text, microLayout);
}

/** A date of the calendar. The 29th of February is left to the parser. */
const calendarDate =
  /\d{4}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)/.source;
const timeOfDay = /(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d/.source;
const canonicalSeconds = new RegExp(`^${calendarDate}T${timeOfDay}Z$`);
const canonicalMicro = new RegExp(`^${calendarDate}T${timeOfDay}\\.\\d{6}Z$`);

/** Go's zero time, which is written as null. */
const zeroMs = new Date(0).setUTCFullYear(1, 0, 1);

/** Returns the canonical text, null for Go's zero time, or the text of Go's error. hot: every time in an object that is written. */
export function normalizeTime(text: string): string | null | { readonly error: string } {
  if (canonicalSeconds.test(text) && !text.startsWith('000')) return text;
  const found = readTime(text);
  if ('error' in found) return found;
  return found.ms === zeroMs ? null : formatTime(found.ms);
}

/** As normalizeTime, for MicroTime. */
export function normalizeMicroTime(text: string): string | null | { readonly error: string } {
  if (canonicalMicro.test(text) && !text.startsWith('000')) return text;
  const found = readMicroTime(text);
  if ('error' in found) return found;
  return found.ms === zeroMs ? null : formatMicroTime(found.ms, found.nanos);
}

/** Returns the milliseconds since 1970 of a stored time; NaN when it is invalid. */
export function timeMs(text: string): number {
  return Date.parse(text);
}
