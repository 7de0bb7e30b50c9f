import { fieldAt, fieldIfAny } from '../read.js';
import { healthyIf } from '../health.js';
import type { KindInterpreter } from '../kind.js';
import { rayDependencies } from './ray-dependencies.js';
import { rayComponents } from './ray-groups.js';
import { aggregateRay, worst } from './ray-status.js';

/** The status with the highest number in any cluster is the status of the job. */
const deploymentSeverities: ReadonlyMap<unknown, number> = new Map([
  ['Initializing', 1],
  ['Waiting', 2],
  ['Suspending', 3],
  ['Suspended', 3],
  ['Retrying', 4],
  ['Running', 5],
  ['Complete', 6],
  ['ValidationFailed', 7],
  ['Failed', 8],
]);

const jobSeverities: ReadonlyMap<unknown, number> = new Map([
  ['PENDING', 1],
  ['RUNNING', 2],
  ['SUCCEEDED', 3],
  ['STOPPED', 4],
  ['FAILED', 5],
]);

/** Interprets a RayJob: a Ray cluster of its own, and the pod that submits the job. */
export const rayJob: KindInterpreter = {
  components: object => rayComponents(fieldIfAny(object, 'spec', 'rayClusterSpec')),
  aggregateStatus: aggregateRay(statuses => {
    const ofDeployment = worst(statuses.with('jobDeploymentStatus'), deploymentSeverities, status =>
      fieldAt(status, 'jobDeploymentStatus'),
    );
    const jobStatuses = statuses.values('jobStatus').filter(status => status !== '');
    return {
      jobStatus: worst(jobStatuses, jobSeverities, status => status),
      jobDeploymentStatus: ofDeployment?.['jobDeploymentStatus'],
      reason: ofDeployment?.['reason'],
      message: ofDeployment?.['message'],
    };
  }),
  dependencies: object =>
    rayDependencies(
      object,
      fieldIfAny(object, 'spec', 'rayClusterSpec'),
      fieldIfAny(object, 'spec', 'submitterPodTemplate', 'spec'),
    ),
  health: healthyIf(object => {
    const deployment = fieldIfAny(object, 'status', 'jobDeploymentStatus');
    const hasSucceeded = deployment === 'Complete' && fieldIfAny(object, 'status', 'jobStatus') === 'SUCCEEDED';
    return deployment === 'Running' || hasSucceeded;
  }),
};
