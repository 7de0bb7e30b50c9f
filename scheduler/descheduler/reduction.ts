/** Which replicas of a binding are taken back from clusters that cannot run them. Pure. as pkg/descheduler/core */
import { parseJson } from '../../lib/json/json.js';
import type { Binding, Placement, TargetCluster } from '../../api/karmada/types.js';
import { annotations } from '../../api/karmada/well-known.js';

/** Reports whether the replicas of the binding may be moved: those of Deployments that were divided by the capacity of clusters. */
export function isDeschedulable({ metadata, spec }: Binding): boolean {
  if (spec.resource.apiVersion !== 'apps/v1' || spec.resource.kind !== 'Deployment') return false;
  const text = metadata.annotations?.[annotations.appliedPlacement];
  if (!text) return false;
  let placement: Placement | null;
  try {
    placement = parseJson(text) as Placement | null;
  } catch {
    // Nobody but the scheduler writes the annotation. Without a readable one, nothing is known about the placement.
    return false;
  }
  const { replicaSchedulingType, replicaDivisionPreference, weightPreference } = placement?.replicaScheduling ?? {};
  if (replicaSchedulingType !== 'Divided') return false;
  if (replicaDivisionPreference === 'Weighted') return Boolean(weightPreference?.dynamicWeight);
  return replicaDivisionPreference === 'Aggregated';
}

/** A target cluster with fewer ready replicas than it was given. */
export interface ShortCluster {
  readonly name: string;
  readonly assigned: number;
  /** undefined if the cluster has not reported it. */
  readonly ready: number | undefined;
}

/** Returns the clusters that report fewer ready replicas than they are assigned, or none. */
export function shortClusters({ spec, status }: Binding): readonly ShortCluster[] {
  return (spec.clusters ?? []).flatMap(({ name, replicas: assigned = 0 }): ShortCluster | readonly [] => {
    const reported = status?.aggregatedStatus?.find(({ clusterName }) => clusterName === name)?.status;
    const value = reported?.['readyReplicas'];
    const ready = typeof value === 'number' ? value : undefined;
    return (ready ?? -1) < assigned ? { name, assigned, ready } : [];
  });
}

/** Replicas that are taken back from a cluster. */
interface Reduction {
  readonly name: string;
  readonly replicas: number;
}

/**
 * Returns what to take back: the unschedulable replicas, as estimated for each cluster, but no ready one. An estimate of more replicas than the cluster
 * was given is of an earlier state, and counts for nothing.
 */
export function reductions(
  clusters: readonly ShortCluster[],
  unschedulable: ReadonlyMap<string, number>,
): readonly Reduction[] {
  return clusters.flatMap(({ name, assigned, ready = 0 }): Reduction | readonly [] => {
    const estimate = unschedulable.get(name) ?? 0;
    if (estimate <= 0 || estimate > assigned) return [];
    const replicas = Math.min(estimate, assigned - ready);
    return replicas > 0 ? { name, replicas } : [];
  });
}

/** Returns the target clusters with the replicas that are left. A cluster without any remains a target. */
export const reduced = (targets: readonly TargetCluster[], taken: readonly Reduction[]): TargetCluster[] =>
  targets.map(target => {
    const reduction = taken.find(({ name }) => name === target.name);
    if (!reduction) return target;
    const { replicas = 0, ...rest } = target;
    const left = replicas - reduction.replicas;
    return left > 0 ? { ...rest, replicas: left } : rest;
  });

/** Returns the message of the Event. */
export function reductionText(taken: readonly Reduction[]): string {
  const parts = taken.map(({ name, replicas }) => `, ${replicas} replica(s) in cluster(${name})`);
  const total = taken.reduce((sum, { replicas }) => sum + replicas, 0);
  return `Binding has been descheduled${parts.join('')}, ${total} total descheduled replica(s)`;
}
