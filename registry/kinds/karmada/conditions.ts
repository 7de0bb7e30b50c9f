import type { Cluster, Condition, Work } from './types.js';

export const findCondition = (conditions: readonly Condition[] | undefined, type: string): Condition | undefined =>
  conditions?.find(condition => condition.type === type);

export const isClusterReady = (cluster: Cluster): boolean =>
  findCondition(cluster.status?.conditions, 'Ready')?.status === 'True';

export const isApplied = (work: Work): boolean => findCondition(work.status?.conditions, 'Applied')?.status === 'True';
