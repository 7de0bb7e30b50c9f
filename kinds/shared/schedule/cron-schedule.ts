import { readDuration } from '../../../lib/go/duration.js';
import { goQuote } from '../../../lib/go/go-text.js';
import { ownValue } from '../../../lib/collections/own-value.js';
import { type CronField, cronDescriptors, cronFields, everyPrefix } from './cron-fields.js';
import { rangeEnd } from './cron-range.js';
import { isZoneName } from './zone-names.js';

const comma = 0x2c;
const parts: readonly CronField[] = Object.values(cronFields);

/** Returns the text about an invalid cron schedule, as the parser that Kubernetes uses; undefined for a valid one. */
// as github.com/robfig/cron/v3 ParseStandard
export function scheduleError(schedule: string): string | undefined {
  if (schedule === '') return 'empty spec string';
  const zoned = /^(?:CRON_)?TZ=/.exec(schedule);
  if (!zoned) return timesError(schedule);
  const space = schedule.indexOf(' ');
  if (space < 0) return 'invalid schedule format: runtime error: slice bounds out of range [:-1]';
  const zone = schedule.slice(zoned[0].length, space);
  const error = timeZoneError(zone);
  return error === undefined ? timesError(schedule.slice(space).trim()) : `provided bad location ${zone}: ${error}`;
}

function timesError(times: string): string | undefined {
  if (times.startsWith('@')) return descriptorError(times);
  const fields = times.split(/\s+/).filter(field => field !== '');
  if (fields.length !== parts.length)
    return `expected exactly ${parts.length} fields, found ${fields.length}: [${fields.join(' ')}]`;
  for (const [i, bounds] of parts.entries()) {
    const error = fieldError(fields[i] ?? '', bounds);
    if (error !== undefined) return error;
  }
  return undefined;
}

/** Returns the text about the first invalid range of a field. hot: a field may be megabytes of ranges; no strings are made for valid ones. */
function fieldError(field: string, bounds: CronField): string | undefined {
  for (let at = 0; at < field.length; at++) {
    if (field.charCodeAt(at) === comma) continue;
    const next = field.indexOf(',', at);
    const end = next < 0 ? field.length : next;
    if (rangeEnd(field, at, bounds) !== end) {
      const error = rangeError(field.slice(at, end), bounds);
      if (error !== undefined) return error;
    }
    at = end;
  }
  return undefined;
}

function descriptorError(text: string): string | undefined {
  if (ownValue(cronDescriptors, text) !== undefined) return undefined;
  if (!text.startsWith(everyPrefix)) return `unrecognized descriptor: ${text}`;
  const duration = readDuration(text.slice(everyPrefix.length));
  return typeof duration === 'object' ? `failed to parse duration ${text}: ${duration.error}` : undefined;
}

function numberOf(
  text: string,
  names: readonly string[] | undefined,
  min: number,
): number | { readonly error: string } {
  const named = names?.indexOf(text.toLowerCase()) ?? -1;
  if (named >= 0) return named + min;
  if (!/^[+-]?\d+$/.test(text))
    return { error: `failed to parse int from ${text}: strconv.Atoi: parsing ${goQuote(text)}: invalid syntax` };
  const number = Number(text);
  return number < 0 ? { error: `negative number (${number}) not allowed: ${text}` } : number;
}

/** Returns the text about an invalid range of a field: `*`, `1`, `1-5`, each with `/2` or without. */
function rangeError(range: string, { min, max, names }: CronField): string | undefined {
  const [span = '', stepText, ...moreSteps] = range.split('/');
  const [low = '', high, ...moreHyphens] = span.split('-');
  let start: number | { readonly error: string } = min;
  let end: number | { readonly error: string } = max;
  if (low !== '*' && low !== '?') {
    start = numberOf(low, names, min);
    if (typeof start === 'object') return start.error;
    if (moreHyphens.length > 0) return `too many hyphens: ${range}`;
    end = high === undefined ? start : numberOf(high, names, min);
    if (typeof end === 'object') return end.error;
  }
  if (moreSteps.length > 0) return `too many slashes: ${range}`;
  const step = stepText === undefined ? 1 : numberOf(stepText, undefined, 0);
  if (typeof step === 'object') return step.error;
  if (stepText !== undefined && high === undefined) end = max;
  if (start < min) return `beginning of range (${start}) below minimum (${min}): ${range}`;
  if (end > max) return `end of range (${end}) above maximum (${max}): ${range}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${range}`;
  return step === 0 ? `step of range should be a positive number: ${range}` : undefined;
}

/** Returns Go's text about a time zone that it cannot load; undefined for one that it can. */
// as Go time.LoadLocation
export function timeZoneError(zone: string): string | undefined {
  if (zone === '' || zone === 'UTC' || zone === 'Local') return undefined;
  if (zone.includes('..') || /^[/\\]/.test(zone)) return 'time: invalid location name';
  return isZoneName(zone) ? undefined : `unknown time zone ${zone}`;
}
