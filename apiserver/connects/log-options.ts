/** Reads and validates the options of a request for the log of a Pod. */
import type { Fault } from '../../apimachinery/interface.js';
import { forbiddenField, invalidValue } from '../../apimachinery/errors/faults.js';
import type { Int64 } from '../../lib/json/json.js';
import { badRequest, invalid } from '../../apimachinery/errors/status.js';
import { readTime } from '../../lib/go/time.js';
import { parseInteger } from '../handlers/options.js';
import type { Query } from '../interface.js';

const atLeast = (path: string, value: Int64 | undefined, min: number, text: string): Fault[] =>
  value !== undefined && value < min ? [invalidValue(path, value, text)] : [];

/** Returns the parameter sinceTime. Throws 400 for an invalid time. */
function sinceTime(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (text === '' || text === 'null') return text;
  const read = readTime(text);
  if ('error' in read) throw badRequest(read.error);
  return text;
}

/** Returns the name of the requested container, '' for the only one. Throws 400 or Invalid for wrong options. */
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
