import type { Binding, GracefulEvictionTask } from '../../api/karmada/types.js';
import { timestamp } from '../../client/runtime/conditions.js';

/** What becomes of a binding's eviction tasks. */
export interface Assessment {
  readonly kept: readonly GracefulEvictionTask[];
  /** Clusters whose copy may go now. */
  readonly evicted: readonly string[];
  /** Milliseconds until a task that was kept expires; undefined: none expires by itself. */
  readonly expiresIn: number | undefined;
}

/**
 * Judges each task: one that the user has the say over waits for the user; others go when their time is up, or once every cluster
 * that the present targets name reports health. New tasks get the time from which they count. `now` and `timeout` in milliseconds.
 */
export function assessTasks(binding: Binding, now: number, timeout: number): Assessment {
  const settled = isSettled(binding);
  const kept: GracefulEvictionTask[] = [];
  const evicted: string[] = [];
  let expiresIn: number | undefined;
  for (const task of binding.spec.gracefulEvictionTasks ?? []) {
    const created = task.creationTimestamp ? Date.parse(task.creationTimestamp) : undefined;
    const patience = task.gracePeriodSeconds === undefined ? timeout : task.gracePeriodSeconds * 1000;
    const left = (created ?? now) + patience - now;
    if (created !== undefined && isOver(task, left, settled)) {
      evicted.push(task.fromCluster);
      continue;
    }
    kept.push(created === undefined ? { ...task, creationTimestamp: timestamp(now) } : task);
    if (task.suppressDeletion === undefined) expiresIn = Math.min(expiresIn ?? Infinity, left);
  }
  return { kept, evicted, expiresIn };
}

function isOver({ suppressDeletion }: GracefulEvictionTask, left: number, settled: boolean): boolean {
  return suppressDeletion === undefined ? left < 0 || settled : !suppressDeletion;
}

/** The scheduler has seen the binding as it is, and wherever it put it all is well. */
function isSettled({ metadata, spec, status }: Binding): boolean {
  if ((status?.schedulerObservedGeneration ?? 0) !== metadata.generation) return false;
  return (spec.clusters ?? []).every(({ name }) =>
    status?.aggregatedStatus?.some(({ clusterName, health }) => clusterName === name && health === 'Healthy'),
  );
}
