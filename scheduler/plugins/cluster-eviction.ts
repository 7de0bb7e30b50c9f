import type { Filter } from '../interface.js';

/** Refuses a cluster from which the binding is being evicted. */
export const clusterEviction: Filter = ({ spec }, cluster) =>
  spec.gracefulEvictionTasks?.some(task => task.fromCluster === cluster.metadata.name)
    ? 'cluster(s) is in the process of eviction'
    : undefined;
