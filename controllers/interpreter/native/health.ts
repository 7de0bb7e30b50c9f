import type { JsonObject, KubeObject } from '../../../apimachinery/interface.js';
import { isMap } from '../../../lib/json/is-map.js';
import { mapAt, numberAt, statusMapOf, textAt } from './object.js';

type IsHealthy = (object: KubeObject) => boolean;

const count = (status: JsonObject | undefined, field: string): number => numberAt(status, field) ?? 0;

/** Reports whether the workload's controller has observed the current spec. */
const isObserved = (object: KubeObject): boolean =>
  count(statusMapOf(object), 'observedGeneration') === (object.metadata.generation ?? 0);

const rolledOut: IsHealthy = object => {
  const status = statusMapOf(object);
  const wanted = numberAt(object, 'spec', 'replicas');
  const updated = count(status, 'updatedReplicas');
  return isObserved(object) && updated >= (wanted ?? updated) && count(status, 'availableReplicas') >= updated;
};

const replicaSet: IsHealthy = object => {
  const available = count(statusMapOf(object), 'availableReplicas');
  return isObserved(object) && available >= (numberAt(object, 'spec', 'replicas') ?? available);
};

const daemonSet: IsHealthy = object => {
  const status = statusMapOf(object);
  const updated = count(status, 'updatedNumberScheduled');
  return (
    isObserved(object) &&
    updated >= count(status, 'desiredNumberScheduled') &&
    count(status, 'numberAvailable') >= updated
  );
};

const hasAddress: IsHealthy = object => {
  const ingress = mapAt(object, 'status', 'loadBalancer')?.['ingress'];
  return Array.isArray(ingress) && ingress.some(point => textAt(point, 'hostname') || textAt(point, 'ip'));
};

const pod: IsHealthy = object => {
  const status = statusMapOf(object);
  if (status?.['phase'] === 'Succeeded') return true;
  const conditions = Array.isArray(status?.['conditions']) ? status['conditions'].filter(isMap) : [];
  const ready = conditions.find(condition => condition['type'] === 'Ready');
  return status?.['phase'] === 'Running' && ready?.['status'] === 'True';
};

export const isHealthy: Readonly<Record<string, IsHealthy>> = {
  'apps/v1/Deployment': rolledOut,
  'apps/v1/StatefulSet': rolledOut,
  'apps/v1/ReplicaSet': replicaSet,
  'apps/v1/DaemonSet': daemonSet,
  'v1/Service': object => textAt(object, 'spec', 'type') !== 'LoadBalancer' || hasAddress(object),
  'networking.k8s.io/v1/Ingress': hasAddress,
  'v1/PersistentVolumeClaim': object => statusMapOf(object)?.['phase'] === 'Bound',
  'v1/Pod': pod,
  'policy/v1/PodDisruptionBudget': object =>
    count(statusMapOf(object), 'currentHealthy') >= count(statusMapOf(object), 'desiredHealthy'),
};
