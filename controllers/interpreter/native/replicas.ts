import type { KubeObject } from '../../../apimachinery/interface.js';
import type { Replicas } from '../interface.js';
import { numberAt, mapAt, templateSpec, withValue } from './object.js';
import { replicaRequirements } from './requirements.js';

const workload = (object: KubeObject): Replicas => ({
  replicas: numberAt(object, 'spec', 'replicas') ?? 0,
  requirements: replicaRequirements(templateSpec(object)),
});

/** The replicas of a Job are its parallelism, at most its completions. */
function job(object: KubeObject): Replicas {
  const parallelism = numberAt(object, 'spec', 'parallelism') ?? 0;
  const completions = numberAt(object, 'spec', 'completions') ?? parallelism;
  return { replicas: Math.min(parallelism, completions), requirements: replicaRequirements(templateSpec(object)) };
}

const pod = (object: KubeObject): Replicas => ({
  replicas: 1,
  requirements: replicaRequirements(mapAt(object, 'spec') ?? {}),
});

export const replicas: Readonly<Record<string, (object: KubeObject) => Replicas>> = {
  'apps/v1/Deployment': workload,
  'apps/v1/ReplicaSet': workload,
  'apps/v1/StatefulSet': workload,
  'batch/v1/Job': job,
  'v1/Pod': pod,
};

/**
 * Writes only a field that the manifest has: a field that it leaves out is set by another controller.
 * as pkg/resourceinterpreter/default/native reviseDeploymentReplica
 */
const revise =
  (field: string) =>
  (object: KubeObject, count: number): KubeObject =>
    mapAt(object, 'spec')?.[field] === undefined ? object : withValue(object, ['spec', field], count);

export const reviseReplica: Readonly<Record<string, (object: KubeObject, replicas: number) => KubeObject>> = {
  'apps/v1/Deployment': revise('replicas'),
  'apps/v1/ReplicaSet': revise('replicas'),
  'apps/v1/StatefulSet': revise('replicas'),
  'batch/v1/Job': revise('parallelism'),
};
