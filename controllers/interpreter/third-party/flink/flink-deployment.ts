import type { JsonObject, KubeObject } from '../../../../apimachinery/interface.js';
import { compareQuantities, quantityFloat } from '../../../../apimachinery/quantity/quantity.js';
import { collected } from '../../native/aggregate-workloads.js';
import { statusBefore } from '../aggregate.js';
import { healthyIf } from '../health.js';
import type { KindInterpreter, KindTable } from '../kind.js';
import { withReportedStatus } from '../only-cluster.js';
import { placementOf } from '../placement.js';
import { amountIn } from '../quantities.js';
import { numberOf, textOf, fieldAt, fieldIfAny } from '../read.js';
import { reflectFields } from '../reflect.js';
import { componentsFrom, replicasFrom } from '../replica-result.js';
import { isBlank, isTruthy, toNumber } from '../values.js';

type Role = 'jobManager' | 'taskManager';

const statusFields = [
  ...['clusterInfo', 'error', 'jobManagerDeploymentStatus', 'jobStatus'],
  ...['lifecycleState', 'observedGeneration', 'reconciliationStatus', 'taskManager'],
];

/** The status of a FlinkDeployment of which no cluster has reported one. */
const noStatus: JsonObject = { error: '', jobManagerDeploymentStatus: '', lifecycleState: '', observedGeneration: 0 };

/** States in which a job stays, or which it leaves for one of these by itself. */
const healthyStates: ReadonlySet<unknown> = new Set([
  ...['RUNNING', 'FINISHED', 'FAILED', 'CANCELED', 'SUSPENDED'],
  ...['CANCELLING', 'FAILING', 'RESTARTING'],
]);

/** States before a job runs. */
const startingStates: ReadonlySet<unknown> = new Set(['CREATED', 'INITIALIZING', 'RECONCILING']);

/** Errors that another cluster would not cure, since the user has to. */
const userErrors = ['ErrImagePull', 'ImagePullBackOff', 'CrashLoopBackOff'];

const resourceOf = (object: KubeObject, role: Role, resource: 'cpu' | 'memory'): unknown =>
  fieldIfAny(object, 'spec', role, 'resource', resource);

const jobManagers = (object: KubeObject): number => toNumber(fieldIfAny(object, 'spec', 'jobManager', 'replicas')) ?? 1;

/** Returns the number of task managers: as specified, or as many as the slots for the parallelism of the job need. */
function taskManagers(object: KubeObject): number {
  const replicas = toNumber(fieldIfAny(object, 'spec', 'taskManager', 'replicas'));
  if (replicas !== undefined) return replicas;
  const parallelism = toNumber(fieldIfAny(object, 'spec', 'job', 'parallelism'));
  const slots = toNumber(fieldIfAny(object, 'spec', 'flinkConfiguration', 'taskmanager.numberOfTaskSlots'));
  return parallelism === undefined || !slots ? 1 : Math.ceil(parallelism / slots);
}

/** The components, in the order in which they are reported. */
const roles = [
  { name: 'jobmanager', role: 'jobManager', replicasIn: jobManagers },
  { name: 'taskmanager', role: 'taskManager', replicasIn: taskManagers },
] as const;

const podOf = (object: KubeObject): unknown => fieldIfAny(object, 'spec', 'podTemplate', 'spec');

function componentRequirements(object: KubeObject, role: Role): JsonObject {
  const memory = resourceOf(object, role, 'memory');
  return {
    resourceRequest: {
      cpu: resourceOf(object, role, 'cpu'),
      memory: memory === undefined ? undefined : quantityFloat(amountIn(memory, `the memory of ${role}`)),
    },
    ...placementOf(podOf(object)),
  };
}

/** Returns the larger CPU of both roles. */
function largerCpu(object: KubeObject): unknown {
  const task = resourceOf(object, 'taskManager', 'cpu');
  const job = resourceOf(object, 'jobManager', 'cpu');
  if (task === undefined || job === undefined) return task ?? job;
  return Math.max(numberOf(task, 'spec.taskManager.resource.cpu'), numberOf(job, 'spec.jobManager.resource.cpu'));
}

/** Returns the larger memory of both roles. */
function largerMemory(object: KubeObject): unknown {
  const job = resourceOf(object, 'jobManager', 'memory');
  const task = resourceOf(object, 'taskManager', 'memory');
  if (task === undefined || job === undefined) return job ?? task;
  const [ofJob, ofTask] = [amountIn(job, 'the memory of jobManager'), amountIn(task, 'the memory of taskManager')];
  return compareQuantities(ofJob, ofTask) > 0 ? job : task;
}

/** Returns whether the error names a mistake of the user. */
const isUserError = (error: unknown): boolean =>
  isTruthy(error) && userErrors.some(name => textOf(error, 'status.error').includes(name));

function isHealthy(object: KubeObject): boolean {
  const status = fieldAt(object, 'status') ?? {};
  const state = fieldIfAny(status, 'jobStatus', 'state');
  if (state === undefined)
    return fieldAt(status, 'jobManagerDeploymentStatus') === 'READY' && fieldAt(status, 'lifecycleState') === 'STABLE';
  return healthyStates.has(state) || (startingStates.has(state) && isUserError(fieldAt(status, 'error')));
}

/** Interprets a FlinkDeployment: job managers and task managers. */
const flinkDeployment: KindInterpreter = {
  replicas: object => {
    const namespace = object.metadata.namespace;
    // The replicas of both roles have one requirement, so it is the larger one of each resource.
    return replicasFrom(jobManagers(object) + taskManagers(object), {
      resourceRequest: { cpu: largerCpu(object), memory: largerMemory(object) },
      ...placementOf(podOf(object)),
      ...(!isBlank(namespace) && { namespace }),
    });
  },
  components: object =>
    componentsFrom(roles, ({ name, role, replicasIn }) => ({
      ...{ name, replicas: replicasIn(object) },
      replicaRequirements: componentRequirements(object, role),
    })),
  aggregateStatus: (object, items) => {
    const last = collected(items).at(-1)?.status ?? noStatus;
    const reported = Object.fromEntries(statusFields.map(field => [field, fieldAt(last, field)]));
    return withReportedStatus(object, { ...statusBefore(object), ...reported });
  },
  reflectStatus: reflectFields(statusFields),
  health: healthyIf(isHealthy),
};

export const flink: KindTable = { 'flink.apache.org/v1beta1/FlinkDeployment': flinkDeployment };
