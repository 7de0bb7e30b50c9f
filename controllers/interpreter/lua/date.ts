/** The functions of Lua's `os` that scripts may call: only the time. as Karmada pkg/util/lifted/lua OpenSafeOs */

const months = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December']; // prettier-ignore
const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** The parts of a time in a zone. */
interface DateParts {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly min: number;
  readonly sec: number;
  /** From 1, Sunday. */
  readonly wday: number;
  /** Minutes east of UTC. */
  readonly offset: number;
}

/** Returns the parts of a time in milliseconds, in UTC or in the zone of the process. */
export function datePartsOf(ms: number, isUtc: boolean): DateParts {
  const local = new Date(ms);
  const offset = isUtc ? 0 : -local.getTimezoneOffset();
  const date = new Date(ms + offset * 60_000);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    min: date.getUTCMinutes(),
    sec: date.getUTCSeconds(),
    wday: date.getUTCDay() + 1,
    offset,
  };
}

const two = (value: number): string => String(value).padStart(2, '0');

function zoneText(offset: number, isUtc: boolean): string {
  if (isUtc || offset === 0) return 'UTC';
  return zoneOffset(offset).replace(/00$/, '');
}

const zoneOffset = (offset: number): string =>
  `${offset < 0 ? '-' : '+'}${two(Math.floor(Math.abs(offset) / 60))}${two(Math.abs(offset) % 60)}`;

/** Returns the text for a letter of a format; undefined for an unknown one. */
function partText(letter: string, parts: DateParts, isUtc: boolean): string | undefined {
  const { year, month, day, hour, min, sec, wday, offset } = parts;
  const at = (names: readonly string[], index: number): string => names[index] ?? '';
  switch (letter) {
    case 'a':
      return 'mon'; // Go knows no such layout: Karmada prints the word
    case 'A':
      return at(days, wday - 1);
    case 'b':
      return at(months, month - 1).slice(0, 3);
    case 'B':
      return at(months, month - 1);
    case 'c':
      return `${two(day)} ${at(months, month - 1).slice(0, 3)} ${two(year % 100)} ${two(hour)}:${two(min)} ${zoneText(offset, isUtc)}`;
    case 'd':
      return two(day);
    case 'F':
      return `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`;
    case 'H':
      return two(hour);
    case 'I':
      return two(hour % 12 === 0 ? 12 : hour % 12);
    case 'm':
      return two(month);
    case 'M':
      return two(min);
    case 'p':
      return hour < 12 ? 'AM' : 'PM';
    case 'P':
      return hour < 12 ? 'am' : 'pm';
    case 'S':
      return two(sec);
    case 'w':
      return String(wday - 1);
    case 'x':
      return `${two(hour)}/${two(min)}/${two(sec)}`;
    case 'X':
      return `${two(hour)}:${two(min)}:${two(sec)}`;
    case 'y':
      return two(year % 100);
    case 'Y':
      return String(year).padStart(4, '0');
    case 'z':
      return zoneOffset(offset);
    case 'Z':
      return zoneText(offset, isUtc);
    default:
      return undefined;
  }
}

/** Formats a time as `os.date`. Unknown letters stay as they are. */
export const dateText = (format: string, parts: DateParts, isUtc: boolean): string =>
  format.replace(/%(.)/gsu, (all, letter: string) => (letter === '%' ? '%' : (partText(letter, parts, isUtc) ?? all)));

/**
 * Returns the seconds since 1970 of a time in the zone of the process; NaN if a Date cannot hold it. Its parts are year, month, day, hour, minute and
 * second, and may be out of range: month 13 is January of the next year.
 */
export function localSeconds(parts: readonly number[]): number {
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = parts;
  // The constructor takes years below 100 for those of the 20th century.
  const date = new Date(2000, 0, 1);
  date.setFullYear(year, month - 1, day);
  return Math.floor(date.setHours(hour, minute, second) / 1000);
}
