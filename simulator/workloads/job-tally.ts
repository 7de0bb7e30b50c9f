/** Derives the state of a Job from its Pods: pure functions of the Job, its Pods and the time. */
import type { Job, JobCondition } from '../../openapi/gen/batch-v1.js';
import { isConditionTrue } from '../../apimachinery/meta/conditions.js';
import { secondsMs } from '../../lib/go/duration.js';
import { isActive, isFinished, isTerminating, isReady, type Pod } from '../pods/state.js';

export const completionIndex = 'batch.kubernetes.io/job-completion-index';

/** The delay before a failed Pod is replaced; it doubles with each failure in a row. as pkg/controller/job DefaultJobPodFailureBackOff */
const firstBackoffMs = 10_000;
const lastBackoffMs = 600_000;

export interface Tally {
  readonly active: readonly Pod[];
  readonly ready: number;
  /** Pods that are being deleted and have not ended. */
  readonly terminating: number;
  readonly succeeded: number;
  readonly failed: number;
  /** Succeeded indexes of an Indexed Job. */
  readonly completed: ReadonlySet<number>;
  /** Indexes that failed too often, for a Job with backoffLimitPerIndex. */
  readonly failedIndexes: ReadonlySet<number>;
}

/** Reports whether each of a Job's Pods has an index of its own. as pkg/controller/job isIndexedJob */
export const isIndexed = ({ spec }: Job): boolean => spec?.completionMode === 'Indexed';

/** Returns the completion index of a Pod; -1 without one, NaN for an annotation that is no number. */
export function indexOf({ metadata }: Pod): number {
  const text = metadata.annotations?.[completionIndex];
  return text === undefined ? -1 : Number(text);
}

/** Parses `1,3-5` into 1, 3, 4, 5. */
export function parseIndexes(text = ''): Set<number> {
  const found = new Set<number>();
  for (const part of text === '' ? [] : text.split(',')) {
    const [from = '', to = from] = part.split('-');
    for (let index = Number(from); index <= Number(to); index++) found.add(index);
  }
  return found;
}

/** Formats 1, 3, 4, 5 as `1,3-5`; two in a row are listed: `1,2`. as pkg/controller/job orderedIntervals String */
export function indexesText(indexes: ReadonlySet<number>): string {
  const parts: { first: number; last: number }[] = [];
  for (const index of [...indexes].sort((a, b) => a - b)) {
    const before = parts.at(-1);
    if (before && before.last === index - 1) before.last = index;
    else parts.push({ first: index, last: index });
  }
  return parts
    .map(({ first, last }) => (last > first ? `${first}${last > first + 1 ? '-' : ','}${last}` : `${first}`))
    .join(',');
}

const hasPhase =
  (phase: string) =>
  ({ status }: Pod): boolean =>
    status?.phase === phase;

/**
 * Counts the Pods of a Job. Counters never decrease: Pods that ended and were deleted later stay counted.
 *
 * differs: without the finalizer `batch.kubernetes.io/job-tracking`, a Pod that ends and is deleted before it is seen is not counted
 */
export function tallyOf(job: Job, owned: readonly Pod[]): Tally {
  const { spec, status } = job;
  const active = owned.filter(isActive);
  const ended = owned.filter(hasPhase('Succeeded'));
  const failed = owned.filter(hasPhase('Failed'));
  const completed = isIndexed(job) ? parseIndexes(status?.completedIndexes) : new Set<number>();
  for (const pod of isIndexed(job) ? ended : []) completed.add(indexOf(pod));
  for (const index of completed) if (index < 0 || index >= (spec?.completions ?? 0)) completed.delete(index);
  const failedIndexes = parseIndexes(status?.failedIndexes);
  const perIndex = spec?.backoffLimitPerIndex;
  if (perIndex !== undefined)
    for (const [index, pods] of byIndex(failed))
      if (pods.length > perIndex && !completed.has(index)) failedIndexes.add(index);
  return {
    active,
    ready: active.filter(isReady).length,
    terminating: owned.filter(pod => isTerminating(pod) && !isFinished(pod)).length,
    succeeded: isIndexed(job) ? completed.size : Math.max(status?.succeeded ?? 0, ended.length),
    failed: Math.max(status?.failed ?? 0, failed.length),
    completed,
    failedIndexes,
  };
}

/** Groups Pods by their completion index, as `indexOf` returns it. */
export function byIndex(pods: readonly Pod[]): Map<number, Pod[]> {
  const found = new Map<number, Pod[]>();
  for (const pod of pods) {
    const known = found.get(indexOf(pod));
    if (known) known.push(pod);
    else found.set(indexOf(pod), [pod]);
  }
  return found;
}

/** The condition that ends a Job, before its Pods have ended. */
export type JobEnd = Pick<JobCondition, 'reason' | 'message'> & {
  readonly type: 'SuccessCriteriaMet' | 'FailureTarget';
};

const failure = (reason: string, message: string): JobEnd => ({ type: 'FailureTarget', reason, message });

/** Returns whether the containers of unfinished Pods restarted too often. as pkg/controller/job pastBackoffLimitOnFailure */
function restartsTooOften({ spec }: Job, owned: readonly Pod[]): boolean {
  if (spec?.template?.spec?.restartPolicy !== 'OnFailure') return false;
  const restarts = owned
    .filter(pod => !isFinished(pod))
    .flatMap(({ status }) => status?.containerStatuses ?? [])
    .reduce((sum, { restartCount = 0 }) => sum + restartCount, 0);
  const limit = spec.backoffLimit ?? 6;
  return limit === 0 ? restarts > 0 : restarts >= limit;
}

/** Returns the milliseconds until a Job has been active for too long; undefined when it has no deadline. */
export function deadlineIn({ spec, status }: Job, now: number): number | undefined {
  if (spec?.activeDeadlineSeconds === undefined || spec.suspend || !status?.startTime) return undefined;
  return Date.parse(status.startTime) + secondsMs(spec.activeDeadlineSeconds) - now;
}

/** Returns the condition with which a Job has to end; undefined while it continues. A condition in its status is final. */
// as pkg/controller/job syncJob; differs: podFailurePolicy and successPolicy are ignored
export function jobEndOf(job: Job, tally: Tally, owned: readonly Pod[], now: number): JobEnd | undefined {
  const { spec, status } = job;
  for (const type of ['SuccessCriteriaMet', 'FailureTarget'] as const) {
    const known = status?.conditions?.find(condition => condition.type === type);
    if (known && isConditionTrue([known], type))
      return { type, reason: known.reason ?? '', message: known.message ?? '' };
  }
  if (tally.failed > (spec?.backoffLimit ?? 6) || restartsTooOften(job, owned))
    return failure('BackoffLimitExceeded', 'Job has reached the specified backoff limit');
  if ((deadlineIn(job, now) ?? 1) <= 0)
    return failure('DeadlineExceeded', 'Job was active longer than specified deadline');
  const {
    failedIndexes: { size: failed },
    completed,
  } = tally;
  if (spec?.maxFailedIndexes !== undefined && failed > spec.maxFailedIndexes)
    return failure('MaxFailedIndexesExceeded', 'Job has exceeded the specified maximal number of failed indexes');
  if (failed > 0 && failed + completed.size >= (spec?.completions ?? 0))
    return failure('FailedIndexes', 'Job has failed indexes');
  return isComplete(job, tally)
    ? { type: 'SuccessCriteriaMet', reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' }
    : undefined;
}

function isComplete({ spec }: Job, { active, succeeded }: Tally): boolean {
  if (active.length > 0) return false;
  return spec?.completions === undefined ? succeeded > 0 : succeeded >= spec.completions;
}

function endTimeOf({ status }: Pod): number {
  const times = (status?.containerStatuses ?? []).map(({ state }) => Date.parse(state?.terminated?.finishedAt ?? ''));
  return Math.max(0, ...times.filter(Number.isFinite));
}

/** Returns the milliseconds until a Pod may replace those that failed since the last success. as pkg/controller/job getRemainingTime */
export function backoffLeft(pods: readonly Pod[], now: number): number {
  const lastSuccess = Math.max(0, ...pods.filter(hasPhase('Succeeded')).map(endTimeOf));
  const failures = pods
    .filter(hasPhase('Failed'))
    .map(endTimeOf)
    .filter(time => time >= lastSuccess);
  if (failures.length === 0) return 0;
  const backoff = Math.min(lastBackoffMs, firstBackoffMs * 2 ** (failures.length - 1));
  return Math.max(0, Math.max(...failures) + backoff - now);
}
