import { executionNamespace } from '../../api/karmada/names.js';
import type { Cluster, Work } from '../../api/karmada/types.js';
import type { Informer, ObjectChange, WorkQueue } from '../../client/runtime/interface.js';
import { isClusterReady } from '../../kinds/karmada/conditions.js';

/** Adds the Works of a cluster to the queue, without parsing them. */
export function addWorksOf(cluster: string, works: Informer<Work>, queue: WorkQueue): void {
  for (const key of works.keysIn(executionNamespace(cluster))) queue.add(key);
}

/** Reports whether a cluster that was not ready has become ready. */
export const hasReturned = ({ old, new: cluster }: ObjectChange<Cluster>): boolean =>
  old !== undefined && cluster !== undefined && !isClusterReady(old) && isClusterReady(cluster);

/** Reports whether the removal of a cluster has begun. */
export const isLeaving = ({ old, new: cluster }: ObjectChange<Cluster>): boolean =>
  old !== undefined && !old.metadata.deletionTimestamp && cluster?.metadata.deletionTimestamp !== undefined;
