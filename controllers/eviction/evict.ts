import type { BindingSpec, GracefulEvictionTask } from '../../api/karmada/types.js';

export type Eviction = Omit<GracefulEvictionTask, 'fromCluster' | 'replicas' | 'creationTimestamp'>;

/**
 * Removes a cluster from the targets of a draft and adds an eviction task for it. Does nothing if the cluster is not a target.
 * as pkg/apis/work/v1alpha2 ResourceBindingSpec.GracefulEvictCluster
 */
export function evictCluster(spec: BindingSpec, cluster: string, eviction: Eviction): void {
  const target = spec.clusters?.find(({ name }) => name === cluster);
  if (!target) return;
  spec.clusters = spec.clusters?.filter(other => other !== target) ?? [];
  const tasks = (spec.gracefulEvictionTasks ??= []);
  if (tasks.some(({ fromCluster }) => fromCluster === cluster)) return;
  const { replicas = 0 } = target;
  tasks.push({ fromCluster: cluster, ...eviction, ...(replicas > 0 ? { replicas } : {}) });
}
