/** Tells the health of an object of a member from its status, for the facet of search. */
import type { KubeObject } from '../../apimachinery/interface.js';

export type SearchHealth = 'Healthy' | 'Unhealthy' | 'Unknown';

interface Condition {
  readonly type?: string;
  readonly status?: string;
}

interface Status {
  readonly observedGeneration?: number;
  readonly availableReplicas?: number;
  readonly readyReplicas?: number;
  readonly numberAvailable?: number;
  readonly desiredNumberScheduled?: number;
  readonly phase?: string;
  readonly conditions?: readonly Condition[];
}

const verdict = (isHealthy: boolean): SearchHealth => (isHealthy ? 'Healthy' : 'Unhealthy');

const conditionOf = ({ conditions }: Status, type: string): string | undefined =>
  Array.isArray(conditions)
    ? (conditions as readonly Condition[]).find(each => each?.type === type)?.status
    : undefined;

/** The conditions that kinds without a rule of their own use for their health, in this order. */
const usualConditions = ['Ready', 'Available', 'Healthy'];

function ofConditions(status: Status): SearchHealth {
  for (const type of usualConditions) {
    const value = conditionOf(status, type);
    if (value === 'True' || value === 'False') return verdict(value === 'True');
  }
  return 'Unknown';
}

/**
 * Returns the health. Workloads are healthy when all wanted replicas are available, Jobs while they have not failed, Pods when they are ready or
 * have succeeded; other kinds have the condition Ready, Available or Healthy, or an unknown health.
 */
// differs: the interpreters of an installation do not apply here, since a webhook or a script per change of a member's object would cost too much
export function searchHealthOf(object: KubeObject): SearchHealth {
  const status = object['status'] as Status | undefined;
  const spec = (object['spec'] ?? {}) as { readonly replicas?: number };
  if (typeof status !== 'object' || status === null) return 'Unknown';
  const isCurrent = (status.observedGeneration ?? 0) >= (object.metadata.generation ?? 0);
  switch (object.kind) {
    case 'Deployment':
    case 'StatefulSet':
    case 'ReplicaSet':
    case 'ReplicationController':
      return verdict(isCurrent && (status.availableReplicas ?? status.readyReplicas ?? 0) >= (spec.replicas ?? 1));
    case 'DaemonSet':
      return verdict(isCurrent && (status.numberAvailable ?? 0) >= (status.desiredNumberScheduled ?? 0));
    case 'Job':
      return verdict(conditionOf(status, 'Failed') !== 'True');
    case 'PersistentVolumeClaim':
      return verdict(status.phase === 'Bound');
    case 'Pod':
      return verdict(status.phase === 'Succeeded' || conditionOf(status, 'Ready') === 'True');
    default:
      return ofConditions(status);
  }
}
