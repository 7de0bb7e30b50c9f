import type { Binding, GracefulEvictionTask } from '../../api/karmada/types.js';
import { timestamp } from '../../client/runtime/conditions.js';

/** Result of evaluating the eviction tasks of a binding. */
interface Assessment {
  readonly kept: readonly GracefulEvictionTask[];
  /** Clusters whose copy may be deleted now. */
  readonly evicted: readonly string[];
  /** Milliseconds until the next kept task expires; undefined if none expires. */
  readonly expiresInMs: number | undefined;
}

/**
 * Evaluates each task: one with `suppressDeletion` waits for the user; others end when their grace period is over, or once every
 * target cluster reports Healthy. New tasks get their creation time. `now` is in milliseconds since the epoch.
 */
export function assessTasks(binding: Binding, now: number, timeoutMs: number): Assessment {
  const settled = isSettled(binding);
  const kept: GracefulEvictionTask[] = [];
  const evicted: string[] = [];
  let expiresInMs: number | undefined;
  for (const task of binding.spec.gracefulEvictionTasks ?? []) {
    const created = task.creationTimestamp ? Date.parse(task.creationTimestamp) : undefined;
    const gracePeriodMs = task.gracePeriodSeconds === undefined ? timeoutMs : task.gracePeriodSeconds * 1000;
    const leftMs = (created ?? now) + gracePeriodMs - now;
    if (created !== undefined && isOver(task, leftMs, settled)) {
      evicted.push(task.fromCluster);
      continue;
    }
    kept.push(created === undefined ? { ...task, creationTimestamp: timestamp(now) } : task);
    if (task.suppressDeletion === undefined) expiresInMs = Math.min(expiresInMs ?? Infinity, leftMs);
  }
  return { kept, evicted, expiresInMs };
}

function isOver({ suppressDeletion }: GracefulEvictionTask, leftMs: number, settled: boolean): boolean {
  return suppressDeletion === undefined ? leftMs < 0 || settled : !suppressDeletion;
}

/** Reports whether the scheduler has observed the current spec and all target clusters are healthy. */
function isSettled({ metadata, spec, status }: Binding): boolean {
  if ((status?.schedulerObservedGeneration ?? 0) !== metadata.generation) return false;
  return (spec.clusters ?? []).every(({ name }) =>
    status?.aggregatedStatus?.some(({ clusterName, health }) => clusterName === name && health === 'Healthy'),
  );
}
