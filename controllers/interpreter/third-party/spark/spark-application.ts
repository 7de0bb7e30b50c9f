import type { JsonObject, KubeObject } from '../../../../apimachinery/interface.js';
import type { AggregatedStatusItem } from '../../../../api/karmada/types.js';
import { ExpectedError } from '../../../../lib/logging/cause.js';
import { collected } from '../../native/aggregate-workloads.js';
import { statusBefore } from '../aggregate.js';
import { greatestOf } from '../extremes.js';
import { healthyIf } from '../health.js';
import type { KindInterpreter, KindTable } from '../kind.js';
import { onlyClusterOr, withReportedStatus } from '../only-cluster.js';
import { placementOf } from '../placement.js';
import { fieldAt, fieldIfAny } from '../read.js';
import { reflectFields } from '../reflect.js';
import { type ComponentValues, componentsFrom } from '../replica-result.js';
import { countOf, entriesIn, isBlank, isTruthy, toNumber } from '../values.js';
import { podMemory } from './memory.js';

type Role = 'driver' | 'executor';

/** The memory outside of the heap, as a part of the heap. */
const overheadOfJvm = 0.1;
const overheadOfOthers = 0.4;

/** The worse a state, the higher its number. The worst state of all clusters is that of the application. */
const severities: ReadonlyMap<unknown, number> = new Map([
  ...['UNKNOWN', ''].map(state => [state, 0] as const),
  ...['SUBMITTED', 'PENDING_RERUN'].map(state => [state, 1] as const),
  ['COMPLETED', 2],
  ...['SUSPENDING', 'SUSPENDED'].map(state => [state, 3] as const),
  ...['RUNNING', 'RESUMING', 'SUCCEEDING'].map(state => [state, 4] as const),
  ['INVALIDATING', 5],
  ...['FAILING', 'FAILED', 'SUBMISSION_FAILED'].map(state => [state, 6] as const),
]);

function overheadFactor(object: KubeObject): number {
  const type = fieldIfAny(object, 'spec', 'type');
  if (typeof type !== 'string') throw new ExpectedError('spec.type is not a string');
  const runsOnJvm = ['java', 'scala'].includes(type.toLowerCase());
  return toNumber(fieldIfAny(object, 'spec', 'memoryOverheadFactor')) ?? (runsOnJvm ? overheadOfJvm : overheadOfOthers);
}

/** Returns the request for GPUs, which names its resource. */
function gpuRequest(gpu: unknown): JsonObject {
  if (gpu === undefined) return {};
  const name = fieldAt(gpu, 'name');
  const quantity = toNumber(fieldAt(gpu, 'quantity')) ?? 0;
  if (isBlank(name) || quantity <= 0) return {};
  if (typeof name !== 'string') throw new ExpectedError('the name of a GPU is not a string');
  return Object.fromEntries([[name, quantity]]);
}

/** Returns the value unless it is absent or false. */
const valueOr = (value: unknown, byDefault: unknown): unknown => (isTruthy(value) ? value : byDefault);

function component(object: KubeObject, role: Role, replicas: number, factor: number): ComponentValues {
  const at = (field: string): unknown => fieldIfAny(object, 'spec', role, field);
  const overhead = valueOr(at('memoryOverhead'), undefined);
  const resourceRequest = {
    cpu: valueOr(at('cores'), 1),
    memory: podMemory(valueOr(at('memory'), '1g'), overhead, factor),
    ...gpuRequest(at('gpu')),
  };
  const pod = fieldIfAny(object, 'spec', role);
  const affinity = valueOr(at('affinity'), undefined);
  const nodeAffinity = valueOr(fieldIfAny(affinity, 'nodeAffinity'), undefined);
  const hardNodeAffinity = fieldIfAny(nodeAffinity, 'requiredDuringSchedulingIgnoredDuringExecution');
  return { name: role, replicas, replicaRequirements: { resourceRequest, ...placementOf(pod, hardNodeAffinity) } };
}

/** Returns the number of executors at the start: with dynamic allocation at least the initial and the minimal one. */
function executors(object: KubeObject): number {
  const instances = toNumber(fieldIfAny(object, 'spec', 'executor', 'instances')) ?? 1;
  if (!isTruthy(fieldIfAny(object, 'spec', 'dynamicAllocation', 'enabled'))) return instances;
  const at = (field: string): number => toNumber(fieldIfAny(object, 'spec', 'dynamicAllocation', field)) ?? 1;
  return Math.max(instances, at('initialExecutors'), at('minExecutors'));
}

function severityOf(state: unknown): number {
  const severity = severities.get(state);
  if (severity === undefined) throw new ExpectedError('the state of the application is not known');
  return severity;
}

/** Returns the first one of the worst states; empty if no cluster reports one. */
function worstState(states: readonly unknown[]): unknown {
  const rated = states.map(state => ({ state, severity: severityOf(fieldAt(state, 'state')) }));
  const worst = Math.max(...rated.map(({ severity }) => severity));
  return rated.find(({ severity }) => severity === worst)?.state ?? {};
}

function aggregateStatus(object: KubeObject, items: readonly AggregatedStatusItem[]): KubeObject {
  const statuses = collected(items).map(({ status }) => status);
  const valuesOf = (field: string): unknown[] => statuses.map(status => fieldAt(status, field));
  const sum = (field: string): number =>
    valuesOf(field).reduce<number>((total, value) => total + countOf(value, `status.${field}`), 0);
  const latest = (field: string): unknown => greatestOf(valuesOf(field).filter(isTruthy), `status.${field}`) ?? '';
  const executorStates = valuesOf('executorState').filter(states => states !== undefined);
  return withReportedStatus(object, {
    ...statusBefore(object),
    applicationState: worstState(valuesOf('applicationState').filter(state => state !== undefined)),
    executionAttempts: sum('executionAttempts'),
    executorState: Object.fromEntries(executorStates.flatMap(states => entriesIn(states, 'status.executorState'))),
    submissionAttempts: sum('submissionAttempts'),
    lastSubmissionAttemptTime: latest('lastSubmissionAttemptTime'),
    terminationTime: latest('terminationTime'),
  });
}

/** Interprets a SparkApplication: one driver, and executors. */
const sparkApplication: KindInterpreter = {
  components: object => {
    const factor = overheadFactor(object);
    const roles = [
      { role: 'driver', replicas: 1 },
      { role: 'executor', replicas: executors(object) },
    ] as const;
    return componentsFrom(roles, ({ role, replicas }) => component(object, role, replicas, factor));
  },
  aggregateStatus: onlyClusterOr(aggregateStatus),
  reflectStatus: reflectFields([
    ...['applicationState', 'driverInfo', 'executorState', 'sparkApplicationId', 'lastSubmissionAttemptTime'],
    ...['submissionAttempts', 'executionAttempts', 'submissionID', 'terminationTime'],
  ]),
  health: healthyIf(object => {
    const state = fieldIfAny(object, 'status', 'applicationState', 'state');
    return isTruthy(state) && state !== 'FAILED';
  }),
};

export const spark: KindTable = { 'sparkoperator.k8s.io/v1beta2/SparkApplication': sparkApplication };
