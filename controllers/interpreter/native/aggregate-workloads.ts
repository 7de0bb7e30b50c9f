import type { JsonObject, KubeObject } from '../../../apimachinery/interface.js';
import { semanticEqual } from '../../../lib/json/equality.js';
import type { AggregatedStatusItem } from '../../../api/karmada/types.js';
import { numberAt, statusMapOf } from './object.js';
import { typed } from './typed.js';

export type Aggregate = (object: KubeObject, items: readonly AggregatedStatusItem[]) => KubeObject;

/** Returns the statuses that members have reported, with their clusters. */
export function collected(items: readonly AggregatedStatusItem[]): { cluster: string; status: JsonObject }[] {
  return items.flatMap(({ clusterName: cluster, status }) => (status ? [{ cluster, status }] : []));
}

/**
 * Returns the object with another status, in the form of a typed client; the same object if the status is semantically equal.
 */
export function withStatus(object: KubeObject, status: JsonObject): KubeObject {
  const next = typed({ ...object, status });
  return semanticEqual(typed(object)['status'], next['status']) ? object : next;
}

/**
 * Returns an aggregation that sums counters. observedGeneration becomes the template's generation only once every cluster, including
 * those without a status yet, has observed it: tools such as Argo CD wait for that. With `ownGeneration` (StatefulSets, as in Karmada)
 * the member's generation is compared instead of the template's, so observedGeneration moves earlier.
 */
const sums =
  (counters: readonly string[], ownGeneration = false): Aggregate =>
  (object, items) => {
    const before = statusMapOf(object) ?? {};
    const generation = object.metadata.generation ?? 0;
    const statuses = collected(items).map(({ status }) => status);
    const n = (status: JsonObject, field: string): number => numberAt(status, field) ?? 0;
    const isCurrent = (status: JsonObject): boolean => {
      const target = ownGeneration ? n(status, 'generation') : generation;
      return (
        n(status, 'observedGeneration') >= n(status, 'generation') && n(status, 'resourceTemplateGeneration') >= target
      );
    };
    const next: JsonObject = { ...before };
    for (const field of counters) next[field] = statuses.reduce((sum, status) => sum + n(status, field), 0);
    if (statuses.filter(isCurrent).length === items.length) next['observedGeneration'] = generation;
    return withStatus(object, next);
  };

export const workloads: Readonly<Record<string, Aggregate>> = {
  'apps/v1/Deployment': sums([
    'replicas',
    'readyReplicas',
    'updatedReplicas',
    'availableReplicas',
    'unavailableReplicas',
  ]),
  'apps/v1/ReplicaSet': sums(['replicas', 'readyReplicas', 'availableReplicas']),
  'apps/v1/DaemonSet': sums([
    'currentNumberScheduled',
    'desiredNumberScheduled',
    'numberAvailable',
    'numberMisscheduled',
    'numberReady',
    'updatedNumberScheduled',
    'numberUnavailable',
  ]),
  'apps/v1/StatefulSet': sums(
    ['availableReplicas', 'currentReplicas', 'readyReplicas', 'replicas', 'updatedReplicas'],
    true,
  ),
};
