import type { Condition } from '../../api/karmada/types.js';
import type { NewCondition } from '../../client/runtime/conditions.js';

const condition = (status: 'True' | 'False', reason: string, message: string): NewCondition => ({
  type: 'Ready',
  status,
  reason,
  message,
});

export const ready = condition('True', 'ClusterReady', 'cluster is healthy and ready to accept workloads');
export const notReady = condition(
  'False',
  'ClusterNotReady',
  'cluster is reachable but health endpoint responded without ok',
);
/** The credentials in the Secret are refused with 401: they have expired, or were withdrawn. */
export const refused = condition(
  'False',
  'ClusterNotReady',
  'cluster is reachable but refuses the token in its Secret, which may have expired',
);
export const notReachable = condition('False', 'ClusterNotReachable', 'cluster is not reachable');

/** Returns the condition of a cluster that cannot be asked for its status. */
export const uncollected = (why: string): NewCondition =>
  condition('False', 'StatusCollectionFailed', `failed to create a ClusterClient: ${why}`);

export interface Thresholds {
  /** Milliseconds for which a cluster must be healthy before it counts as recovered. */
  readonly successMs: number;
  /** Milliseconds for which a cluster must be unhealthy before it counts as failed. */
  readonly failureMs: number;
}

/**
 * Damps flips of the Ready condition: a change must hold for its threshold; the first observation of a cluster is reported at once.
 * `report` returns the condition to report now. as pkg/controllers/status clusterConditionStore.thresholdAdjustedReadyCondition
 */
export function createDamper(thresholds: Thresholds): {
  report(cluster: string, current: Condition | undefined, observed: NewCondition, now: number): NewCondition;
  forget(cluster: string): void;
} {
  const seen = new Map<string, { status: string; since: number }>();
  return {
    report(cluster, current, observed, now) {
      const before = seen.get(cluster);
      if (!before || before.status !== observed.status)
        seen.set(cluster, { status: observed.status, since: before ? now : -Infinity });
      if (!before || !current) return observed;
      const flips = (observed.status === 'True') !== (current.status === 'True');
      const threshold = observed.status === 'True' ? thresholds.successMs : thresholds.failureMs;
      const since = seen.get(cluster)?.since ?? now;
      return flips && now - since < threshold ? current : observed;
    },
    forget: cluster => void seen.delete(cluster),
  };
}
