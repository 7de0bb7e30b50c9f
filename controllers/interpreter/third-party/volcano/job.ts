import type { JsonObject, KubeObject } from '../../../../apimachinery/interface.js';
import type { AggregatedStatusItem } from '../../../../api/karmada/types.js';
import { collected } from '../../native/aggregate-workloads.js';
import { latestByKey } from '../latest-by-key.js';
import { healthyIf } from '../health.js';
import type { KindInterpreter, KindTable } from '../kind.js';
import { onlyClusterOr, withReportedStatus } from '../only-cluster.js';
import { templateRequirements } from '../pod-template.js';
import { itemsOf, numberOf, fieldAt, fieldIfAny } from '../read.js';
import { reflectFields } from '../reflect.js';
import { componentsFrom } from '../replica-result.js';
import { stamped } from '../stamped.js';
import { countOf, entriesIn, isBlank, isTruthy, toNumber } from '../values.js';
import { withoutEmpty } from '../without-empty.js';
import { isZeroOfStatus, withoutZeros } from '../without-zeros.js';

const sums = ['minAvailable', 'pending', 'running', 'succeeded', 'failed', 'terminating', 'unknown', 'retryCount'];

const healthyPhases: ReadonlySet<unknown> = new Set([
  ...['Pending', 'Aborting', 'Aborted', 'Running', 'Restarting'],
  ...['Completing', 'Completed', 'Terminating', 'Terminated'],
]);

/** Phases in the conditions of a cluster in which the Job has failed. */
const failedPhases: ReadonlySet<unknown> = new Set(['Failed', 'Aborted', 'Aborting', 'Terminated', 'Terminating']);

const secondsOf: Readonly<Record<string, number>> = { h: 3600, m: 60, s: 1 };

/** Returns a duration, such as `1m30s`, in seconds. Units other than h, m and s are not read. */
function secondsIn(duration: unknown): number {
  if (typeof duration === 'number') return duration;
  if (typeof duration !== 'string') return 0;
  let seconds = 0;
  for (const [, digits, unit = ''] of duration.matchAll(/([\d.]+)([hms]?)/g))
    if (unit !== '') seconds += numberOf(digits, 'status.runningDuration') * (secondsOf[unit] ?? 0);
  return seconds > 0 ? seconds : (toNumber(duration) ?? 0);
}

/** Returns the longest duration; `0s` if there is none. */
const longest = (durations: readonly unknown[]): unknown =>
  durations.reduce((most, duration) => (secondsIn(duration) > secondsIn(most) ? duration : most), '0s');

/** Returns for each task how many of its pods are in each phase, in all clusters. */
function taskCounts(statuses: readonly JsonObject[]): JsonObject {
  const tasks = new Map<string, Map<string, number>>();
  for (const status of statuses)
    for (const [name, task] of entriesIn(fieldAt(status, 'taskStatusCount') ?? {}, 'status.taskStatusCount')) {
      const counts = tasks.get(name) ?? new Map<string, number>();
      tasks.set(name, counts);
      for (const [phase, count] of entriesIn(fieldAt(task, 'phase') ?? {}, 'phase'))
        counts.set(phase, (counts.get(phase) ?? 0) + numberOf(count, `the number of pods in ${phase}`));
    }
  return Object.fromEntries(Array.from(tasks, ([name, counts]) => [name, { phase: Object.fromEntries(counts) }]));
}

/** Returns the conditions of the first cluster that has failed, otherwise the latest one of each phase in all clusters. */
function conditionsOf(statuses: readonly JsonObject[]): readonly unknown[] {
  const reported = statuses.map(status => fieldAt(status, 'conditions')).filter(isTruthy);
  const lists = reported.map(conditions => itemsOf(conditions, 'status.conditions'));
  const phaseOf = (condition: unknown): unknown => fieldAt(condition, 'status');
  const failed = lists.find(conditions => conditions.some(condition => failedPhases.has(phaseOf(condition))));
  return failed ?? latestByKey(lists.flat(), phaseOf, condition => fieldAt(condition, 'lastTransitionTime'));
}

/** Returns the state: failed if the Job has failed or was aborted in any cluster, completed if it is in all. */
function stateOf(object: KubeObject, items: readonly AggregatedStatusItem[], now: () => number): JsonObject {
  const phases = collected(items).map(({ cluster, status }) => ({
    cluster,
    phase: fieldIfAny(status, 'state', 'phase'),
  }));
  const failed = phases.filter(({ phase }) => phase === 'Failed' || phase === 'Aborted').map(({ cluster }) => cluster);
  const isComplete = items.length > 0 && phases.filter(({ phase }) => phase === 'Completed').length === items.length;
  const before = [fieldIfAny(object, 'status', 'state')];
  const at = (state: JsonObject): JsonObject => stamped(state, ['lastTransitionTime'], before, now);
  if (isComplete) return at({ phase: 'Completed', reason: 'Completed', message: 'Job completed successfully' });
  if (failed.length === 0) return {};
  const message = `Job failed in clusters: ${failed.join(',')}`;
  return at({ phase: 'Failed', reason: 'VolcanoJobFailed', message });
}

/** Interprets a Job of Volcano: each task is a component, of which `minAvailable` pods must run. */
const job: KindInterpreter = {
  components: object => {
    const tasks = itemsOf(fieldIfAny(object, 'spec', 'tasks') ?? [], 'spec.tasks');
    return componentsFrom(tasks, (task, i) => {
      const name = fieldAt(task, 'name');
      return {
        name: isBlank(name) ? `task-${i}` : name,
        replicas: toNumber(fieldAt(task, 'minAvailable')) ?? 1,
        replicaRequirements: templateRequirements(fieldAt(task, 'template')),
      };
    });
  },
  aggregateStatus: onlyClusterOr((object, items, now) => {
    const statuses = collected(items).map(({ status }) => status);
    const total = (field: string): number =>
      statuses.reduce((sum, status) => sum + countOf(fieldAt(status, field), `status.${field}`), 0);
    const status: JsonObject = {
      ...Object.fromEntries(sums.map(field => [field, total(field)])),
      version: Math.max(0, ...statuses.map(status => countOf(fieldAt(status, 'version'), 'status.version'))),
      runningDuration: longest(statuses.map(status => fieldAt(status, 'runningDuration'))),
      taskStatusCount: taskCounts(statuses),
      controlledResources: Object.fromEntries(
        statuses.flatMap(status =>
          entriesIn(fieldAt(status, 'controlledResources') ?? {}, 'status.controlledResources'),
        ),
      ),
      conditions: conditionsOf(statuses),
      state: stateOf(object, items, now),
    };
    return withReportedStatus(object, withoutZeros(status, isZeroOfStatus));
  }),
  reflectStatus: object => {
    const status = fieldAt(object, 'status');
    if (status === undefined) return {};
    const conditions = fieldAt(status, 'conditions');
    const copied = (field: string): JsonObject =>
      Object.fromEntries(entriesIn(fieldAt(status, field) ?? {}, `status.${field}`));
    return withoutEmpty({
      ...reflectFields([...sums, 'version', 'runningDuration', 'state'])(object),
      taskStatusCount: copied('taskStatusCount'),
      controlledResources: copied('controlledResources'),
      ...(Array.isArray(conditions) && { conditions }),
    });
  },
  health: healthyIf(object => healthyPhases.has(fieldIfAny(object, 'status', 'state', 'phase'))),
};

export const volcano: KindTable = { 'batch.volcano.sh/v1alpha1/Job': job };
