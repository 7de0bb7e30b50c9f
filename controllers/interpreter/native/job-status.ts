import type { JsonObject } from '../../../apimachinery/interface.js';
import { isConditionTrue } from '../../../apimachinery/meta/conditions.js';
import { endOf } from '../../../kinds/kubernetes/batch/job-end.js';
import { type Aggregate, collected, withStatus } from './aggregate-workloads.js';
import { isMap } from '../../../lib/json/is-map.js';
import { numberAt, statusMapOf, textAt } from './object.js';

const conditionsOf = (status: JsonObject): JsonObject[] =>
  Array.isArray(status['conditions']) ? status['conditions'].filter(isMap) : [];

/** Returns `Complete` or `Failed`; undefined while the Job runs. */
const finishedType = (status: JsonObject): unknown => endOf(conditionsOf(status))?.['type'];

/**
 * Aggregates Jobs: complete if complete in all clusters, failed if failed in any. The status of a finished template does not change.
 * as pkg/resourceinterpreter/default/native aggregateJobStatus
 */
export const aggregateJob: Aggregate = (object, items) => {
  const before = statusMapOf(object) ?? {};
  if (finishedType(before) !== undefined) return object;
  const reports = collected(items);
  const statuses = reports.map(({ status }) => status);
  const everywhere = (predicate: (status: JsonObject) => boolean): boolean =>
    statuses.filter(predicate).length === items.length && items.length > 0;
  const sum = (field: string): number => statuses.reduce((n, status) => n + (numberAt(status, field) ?? 0), 0);
  const failed = reports.filter(({ status }) => finishedType(status) === 'Failed').map(({ cluster }) => cluster);
  const conditions: JsonObject[] = [];
  if (failed.length > 0)
    conditions.push(condition('Failed', 'JobFailed', `Job executed failed in member clusters ${failed.join(',')}`));
  if (everywhere(status => finishedType(status) === 'Complete')) {
    conditions.push(condition('Complete', 'Completed', 'Job completed'));
    if (everywhere(status => isConditionTrue(conditionsOf(status), 'SuccessCriteriaMet')))
      conditions.push(
        condition('SuccessCriteriaMet', 'CompletionsReached', 'All member clusters have met success criteria'),
      );
  }
  const start =
    textAt(before, 'startTime') ??
    (everywhere(s => s['startTime'] != null) ? extremeTime(statuses, 'startTime', 'first') : undefined);
  const end = everywhere(s => s['completionTime'] != null)
    ? extremeTime(statuses, 'completionTime', 'last')
    : undefined;
  const next: JsonObject = {
    ...(conditions.length > 0 ? { conditions } : {}),
    ...(start === undefined ? {} : { startTime: start }),
    ...(end === undefined ? {} : { completionTime: end }),
    ...nonZero({ active: sum('active'), succeeded: sum('succeeded'), failed: sum('failed') }),
  };
  return withStatus(object, next);
};

const nonZero = (counts: Record<string, number>): JsonObject =>
  Object.fromEntries(Object.entries(counts).filter(([, n]) => n !== 0));

function condition(type: string, reason: string, message: string): JsonObject {
  const now = `${new Date().toISOString().slice(0, 19)}Z`;
  return { type, status: 'True', lastProbeTime: now, lastTransitionTime: now, reason, message };
}

function extremeTime(statuses: readonly JsonObject[], field: string, which: 'first' | 'last'): string | undefined {
  const times = statuses.map(status => textAt(status, field)).filter(time => time !== undefined);
  const sorted = times.sort((a, b) => Date.parse(a) - Date.parse(b));
  return which === 'first' ? sorted[0] : sorted.at(-1);
}
