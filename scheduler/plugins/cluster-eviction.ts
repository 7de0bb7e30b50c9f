import type { Filter } from '../interface.js';

/** What is being moved away must not come back before it has left. */
export const clusterEviction: Filter = ({ spec }, cluster) =>
  spec.gracefulEvictionTasks?.some(task => task.fromCluster === cluster.metadata.name)
    ? 'cluster(s) is in the process of eviction'
    : undefined;
