import type { JsonObject, KubeObject } from '../../../apimachinery/interface.js';
import { semanticEqual } from '../../../lib/json/equality.js';
import type { AggregatedStatusItem } from '../../../api/karmada/types.js';
import { numberAt, statusOf } from './object.js';
import { typed } from './typed.js';

export type Aggregate = (object: KubeObject, items: readonly AggregatedStatusItem[]) => KubeObject;

/** Statuses that have been collected, with the cluster they come from. */
export function collected(items: readonly AggregatedStatusItem[]): { cluster: string; status: JsonObject }[] {
  return items.flatMap(({ clusterName: cluster, status }) => (status ? [{ cluster, status }] : []));
}

/**
 * The object with another status, as a typed client writes it; the same object where the new status says nothing else than the old one.
 */
export function withStatus(object: KubeObject, status: JsonObject): KubeObject {
  const next = typed({ ...object, status });
  return semanticEqual(typed(object)['status'], next['status']) ? object : next;
}

/**
 * Sums up counters. observedGeneration moves to the template's generation only once every cluster, those included that have not told
 * anything yet, has seen it: tools such as Argo CD wait for that. `ownGeneration`: StatefulSets compare with the member's own
 * generation instead of the template's, so they move early. differs in nothing: Karmada does so.
 */
const sums =
  (counters: readonly string[], ownGeneration = false): Aggregate =>
  (object, items) => {
    const before = statusOf(object) ?? {};
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
