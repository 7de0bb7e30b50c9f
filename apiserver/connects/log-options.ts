/** Reads what a request for the log of a Pod asks for. */
import type { Fault } from '../../apimachinery/interface.js';
import { forbiddenField, invalidValue } from '../../apimachinery/errors/faults.js';
import type { Int64 } from '../../lib/json/json.js';
import { badRequest, invalid } from '../../apimachinery/errors/status.js';
import { readTime } from '../../lib/go/time.js';
import { parseInteger } from '../handlers/options.js';
import type { Query } from '../interface.js';

const atLeast = (path: string, value: Int64 | undefined, least: number, text: string): Fault[] =>
  value !== undefined && value < least ? [invalidValue(path, value, text)] : [];

/** The time of which it wants what came after; undefined: all, or that of seconds. */
function sinceTime(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (text === '' || text === 'null') return text;
  const read = readTime(text);
  if ('error' in read) throw badRequest(read.error);
  return text;
}

/** The name of a container, '' for the only one. Throws for options that are wrong. */
// as pkg/apis/core/validation ValidatePodLogOptions
export function logContainer(query: Query, pod: string): string {
  const limitBytes = parseInteger(query.get('limitBytes'));
  const sinceSeconds = parseInteger(query.get('sinceSeconds'));
  const tailLines = parseInteger(query.get('tailLines'));
  const since = sinceTime(query.get('sinceTime'));
  const faults = [
    ...atLeast('tailLines', tailLines, 0, 'must be greater than or equal to 0'),
    ...atLeast('limitBytes', limitBytes, 1, 'must be greater than 0'),
    ...(sinceSeconds !== undefined && since !== undefined
      ? [forbiddenField('', 'at most one of `sinceTime` or `sinceSeconds` may be specified')]
      : atLeast('sinceSeconds', sinceSeconds, 1, 'must be greater than 0')),
    ...(query.get('stream') === undefined ? [] : [forbiddenField('stream', 'may not be specified')]),
  ];
  if (faults.length > 0) throw invalid({ group: '', kind: 'PodLogOptions' }, pod, faults);
  return query.get('container') ?? '';
}
