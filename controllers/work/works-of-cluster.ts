import { clusterOfExecutionNamespace, executionNamespace } from '../../api/karmada/names.js';
import type { Cluster, Work } from '../../api/karmada/types.js';
import { splitKey } from '../../client/key.js';
import type { Informer, KeyGrouping, ObjectChange, WorkQueue } from '../../client/runtime/interface.js';
import { deepEqual } from '../../lib/json/equality.js';
import { isClusterReady } from '../../kinds/karmada/conditions.js';

/** Works of one cluster are reconciled independently of those of others, which may be slow or silent. */
export const worksByCluster: KeyGrouping = {
  of: key => clusterOfExecutionNamespace(splitKey(key).namespace) ?? '',
  maxWorkers: 8,
  waitsForRemote: true,
};

/** Adds the Works of a cluster to the queue, without parsing them, since the state of the cluster has changed. */
export function addWorksOf(cluster: string, works: Informer<Work>, queue: Pick<WorkQueue, 'resume' | 'add'>): void {
  queue.resume(cluster);
  for (const key of works.keysIn(executionNamespace(cluster))) queue.add(key);
}

/** Reports whether a cluster that was not ready has become ready. */
export const hasReturned = ({ old, new: cluster }: ObjectChange<Cluster>): boolean =>
  old !== undefined && cluster !== undefined && !isClusterReady(old) && isClusterReady(cluster);

/** Reports whether the removal of a cluster has begun. */
export const isLeaving = ({ old, new: cluster }: ObjectChange<Cluster>): boolean =>
  old !== undefined && !old.metadata.deletionTimestamp && cluster?.metadata.deletionTimestamp !== undefined;

/** Reports whether a cluster that was ready no longer is. */
export const hasFailed = ({ old, new: cluster }: ObjectChange<Cluster>): boolean =>
  old !== undefined && cluster !== undefined && isClusterReady(old) && !isClusterReady(cluster);

/** Reports whether a cluster has begun or ceased to serve kinds. */
export const hasOtherKinds = ({ old, new: cluster }: ObjectChange<Cluster>): boolean =>
  old !== undefined && cluster !== undefined && !deepEqual(old.status?.apiEnablements, cluster.status?.apiEnablements);
