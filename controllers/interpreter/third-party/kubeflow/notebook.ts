import type { JsonObject, KubeObject } from '../../../../apimachinery/interface.js';
import type { AggregatedStatusItem } from '../../../../api/karmada/types.js';
import { collected } from '../../native/aggregate-workloads.js';
import { greatestOf } from '../extremes.js';
import { healthyIf } from '../health.js';
import type { KindInterpreter } from '../kind.js';
import { onlyClusterOr, withReportedStatus } from '../only-cluster.js';
import { templateRequirements } from '../pod-template.js';
import { fieldAt, fieldIfAny } from '../read.js';
import { replicasFrom } from '../replica-result.js';
import { stamped } from '../stamped.js';
import { countOf, isTruthy } from '../values.js';
import { withoutEmpty } from '../without-empty.js';

/** Reasons for which a container has not done its work, whatever its exit code is. */
const failureReasons: readonly unknown[] = ['Error', 'OOMKilled', 'ContainerCannotRun'];

/** Returns whether the container runs, is being created, or has ended well. */
function isHealthy(container: unknown): boolean {
  if (fieldIfAny(container, 'running') !== undefined) return true;
  const waiting = fieldIfAny(container, 'waiting');
  if (waiting !== undefined) return fieldAt(waiting, 'reason') === 'ContainerCreating';
  const terminated = fieldIfAny(container, 'terminated');
  if (terminated === undefined) return false;
  const exitCode = fieldAt(terminated, 'exitCode');
  return !failureReasons.includes(fieldAt(terminated, 'reason')) && (!isTruthy(exitCode) || exitCode === 0);
}

const isEmpty = (container: unknown): boolean =>
  container === undefined ||
  (typeof container === 'object' && Object.values(container ?? {}).every(state => state === null));

const hasFailed = (container: unknown): boolean =>
  isEmpty(container) || fieldAt(container, 'terminated') !== undefined || fieldAt(container, 'waiting') !== undefined;

interface ContainerReport {
  readonly cluster: string;
  readonly container: unknown;
}

/** Returns the last state that is no success, otherwise that the notebook has been running since the latest start. */
function containerState(reports: readonly ContainerReport[]): JsonObject | undefined {
  const failed = reports.findLast(({ container }) => hasFailed(container));
  if (failed) {
    if (isEmpty(failed.container)) return { waiting: { reason: 'Unschedulable' } };
    return failed.container as JsonObject;
  }
  const running = reports.map(({ container }) => fieldAt(container, 'running')).filter(state => state !== undefined);
  if (running.length === 0) return undefined;
  const starts = running.map(state => fieldAt(state, 'startedAt')).filter(start => start !== undefined);
  return { running: { startedAt: greatestOf(starts, 'startedAt') } };
}

function aggregate(object: KubeObject, items: readonly AggregatedStatusItem[], now: () => number): KubeObject {
  const statuses = collected(items);
  const reports = statuses.map(({ cluster, status }) => ({ cluster, container: fieldAt(status, 'containerState') }));
  const failed = reports.filter(({ container }) => hasFailed(container)).map(({ cluster }) => cluster);
  const running = reports.filter(
    ({ container }) => !hasFailed(container) && fieldAt(container, 'running') !== undefined,
  );
  const isReady = items.length > 0 && running.length === items.length;
  const condition = (type: string, reason: string, message: string): JsonObject =>
    stamped(
      { type, status: 'True', reason, message },
      ['lastProbeTime', 'lastTransitionTime'],
      fieldIfAny(object, 'status', 'conditions'),
      now,
    );
  const failure = `Notebook executed failed in member clusters: ${failed.join(', ')}`;
  return withReportedStatus(object, {
    readyReplicas: statuses.reduce(
      (sum, { status }) => sum + countOf(fieldAt(status, 'readyReplicas'), 'readyReplicas'),
      0,
    ),
    containerState: containerState(reports),
    conditions: [
      ...(failed.length > 0 ? [condition('Failed', 'NotebookFailed', failure)] : []),
      ...(isReady ? [condition('Ready', 'Ready', 'All notebooks are ready')] : []),
    ],
  });
}

/** Interprets a Notebook, which is one pod. */
export const notebook: KindInterpreter = {
  replicas: object => {
    const requirements = templateRequirements(fieldAt(object, 'spec', 'template'));
    return replicasFrom(1, requirements);
  },
  aggregateStatus: onlyClusterOr(aggregate),
  reflectStatus: object => {
    const status = fieldAt(object, 'status');
    if (status === undefined) return {};
    const readyReplicas = fieldAt(status, 'readyReplicas');
    const container = fieldAt(status, 'containerState');
    const conditions = fieldAt(status, 'conditions');
    return withoutEmpty({
      readyReplicas: isTruthy(readyReplicas) ? readyReplicas : 0,
      ...(isTruthy(container) && { containerState: container }),
      ...(typeof conditions === 'object' && { conditions }),
    });
  },
  health: healthyIf(object => isHealthy(fieldIfAny(object, 'status', 'containerState'))),
};
