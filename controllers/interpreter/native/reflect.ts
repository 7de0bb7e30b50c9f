import { ExpectedError } from '../../../lib/logging/cause.js';
import type { JsonObject, KubeObject } from '../../../apimachinery/interface.js';
import { annotations } from '../../../api/karmada/well-known.js';
import { mapAt, statusMapOf, textAt } from './object.js';

type Reflect = (object: KubeObject) => JsonObject | undefined;

/** Returns the named fields without zero and absent ones, as Go's omitempty does. */
function pick(status: JsonObject, fields: readonly string[]): JsonObject {
  const picked: JsonObject = {};
  for (const field of fields) if (status[field] != null && status[field] !== 0) picked[field] = status[field];
  return picked;
}

/**
 * Reflects the counters of a workload, with the generations for which they hold.
 * as pkg/resourceinterpreter/default/native reflectDeploymentStatus
 */
const workload =
  (counters: readonly string[], always: readonly string[] = []): Reflect =>
  object => {
    const status = statusMapOf(object);
    if (!status) return undefined;
    const generation = object.metadata.generation ?? 0;
    const resourceTemplateGeneration = templateGeneration(object);
    const picked = pick({ ...status, generation, resourceTemplateGeneration }, [
      'generation',
      'resourceTemplateGeneration',
      ...counters,
    ]);
    for (const field of always) picked[field] = status[field] ?? 0;
    return Object.keys(picked).length > 0 ? picked : undefined;
  };

function templateGeneration({ metadata }: KubeObject): number {
  const text = metadata.annotations?.[annotations.templateGeneration] ?? '';
  if (!/^[+-]?\d+$/.test(text)) throw new ExpectedError(`strconv.ParseInt: parsing "${text}": invalid syntax`);
  return Number(text);
}

const whole: Reflect = object => statusMapOf(object);

/** Only a Service of type LoadBalancer has a status to reflect. */
const service: Reflect = object => {
  if (textAt(object, 'spec', 'type') !== 'LoadBalancer') return undefined;
  const status = statusMapOf(object);
  return status && { loadBalancer: mapAt(status, 'loadBalancer') ?? {} };
};

const counted =
  (optional: readonly string[], always: readonly string[] = []): Reflect =>
  object => {
    const status = statusMapOf(object);
    return (
      status && { ...pick(status, optional), ...Object.fromEntries(always.map(field => [field, status[field] ?? 0])) }
    );
  };

export const reflectStatus: Readonly<Record<string, Reflect>> = {
  'apps/v1/Deployment': workload([
    'observedGeneration',
    'replicas',
    'updatedReplicas',
    'readyReplicas',
    'availableReplicas',
    'unavailableReplicas',
  ]),
  'apps/v1/ReplicaSet': workload(['readyReplicas', 'availableReplicas', 'observedGeneration'], ['replicas']),
  'apps/v1/StatefulSet': workload(
    ['readyReplicas', 'currentReplicas', 'updatedReplicas'],
    ['replicas', 'availableReplicas'],
  ),
  'apps/v1/DaemonSet': workload(
    ['observedGeneration', 'updatedNumberScheduled', 'numberAvailable', 'numberUnavailable'],
    ['currentNumberScheduled', 'numberMisscheduled', 'desiredNumberScheduled', 'numberReady'],
  ),
  'v1/Service': service,
  'networking.k8s.io/v1/Ingress': whole,
  'batch/v1/Job': counted(['conditions', 'startTime', 'completionTime', 'active', 'succeeded', 'failed']),
  'policy/v1/PodDisruptionBudget': counted(
    ['disruptedPods'],
    ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'],
  ),
  'autoscaling/v2/HorizontalPodAutoscaler': object => {
    const reflected = counted(['currentReplicas'], ['desiredReplicas'])(object);
    return reflected && { ...reflected, currentMetrics: null };
  },
};

/** Reflects the whole status of a kind without a row in the table. */
export const reflectAny: Reflect = whole;
