import type { Binding, GracefulEvictionTask } from '../../api/karmada/types.js';
import { timestamp } from '../../client/runtime/conditions.js';

/** Result of evaluating the eviction tasks of a binding. */
interface Assessment {
  readonly kept: readonly GracefulEvictionTask[];
  /** Clusters whose copy may be deleted now. */
  readonly evicted: readonly string[];
  /** Milliseconds until the next kept task expires; undefined if none expires. */
  readonly expiresIn: number | undefined;
}

/**
 * Evaluates each task: one with `suppressDeletion` waits for the user; others end when their grace period is over, or once every
 * target cluster reports Healthy. New tasks get their creation time. `now` and `timeout` in milliseconds.
 */
export function assessTasks(binding: Binding, now: number, timeout: number): Assessment {
  const settled = isSettled(binding);
  const kept: GracefulEvictionTask[] = [];
  const evicted: string[] = [];
  let expiresIn: number | undefined;
  for (const task of binding.spec.gracefulEvictionTasks ?? []) {
    const created = task.creationTimestamp ? Date.parse(task.creationTimestamp) : undefined;
    const gracePeriodMs = task.gracePeriodSeconds === undefined ? timeout : task.gracePeriodSeconds * 1000;
    const left = (created ?? now) + gracePeriodMs - now;
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

/** Reports whether the scheduler has observed the current spec and all target clusters are healthy. */
function isSettled({ metadata, spec, status }: Binding): boolean {
  if ((status?.schedulerObservedGeneration ?? 0) !== metadata.generation) return false;
  return (spec.clusters ?? []).every(({ name }) =>
    status?.aggregatedStatus?.some(({ clusterName, health }) => clusterName === name && health === 'Healthy'),
  );
}
