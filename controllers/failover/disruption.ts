/** How fast workloads may be evicted, given how many clusters have failed at the same time. */
import { findCondition } from '../../kinds/karmada/conditions.js';
import type { Cluster } from '../../api/karmada/types.js';

export interface EvictionRates {
  /** Value of `--resource-eviction-rate`: evictions per second, of each kind of binding. */
  readonly perSecond: number;
  /** Evictions per second while the share of clusters that are not ready is `unhealthyShare` or more. */
  readonly secondaryPerSecond: number;
  /** From 0 to 1. */
  readonly unhealthyShare: number;
}

export interface EvictionPace {
  /** Minimum milliseconds between two evictions. */
  readonly intervalMs: number;
  /** The time of the earliest eviction, in milliseconds since the epoch; Infinity while evictions are paused. */
  readonly notBefore: number;
}

/** Milliseconds between two evictions at the rate 0. as pkg/controllers/cluster maxEvictionDelay */
const longestIntervalMs = 30 * 60_000;

/** Returns the milliseconds between two evictions at a rate: half an hour at most, also for the rate 0. */
export const intervalMs = (perSecond: number): number =>
  perSecond > 0 ? Math.min(1000 / perSecond, longestIntervalMs) : longestIntervalMs;

/** Whether a cluster is ready, and since when. */
export interface Readiness {
  readonly isReady: boolean;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/** Returns the readiness of a cluster; undefined if it does not count: it is being deleted, or its state is not known. */
export function readinessOf(cluster: Cluster | undefined): Readiness | undefined {
  const ready = findCondition(cluster?.status?.conditions, 'Ready');
  if (!ready || cluster?.metadata.deletionTimestamp) return undefined;
  return { isReady: ready.status === 'True', since: Date.parse(ready.lastTransitionTime) };
}

/**
 * Returns the pace of evictions, given the readiness of all clusters that count. If no cluster is ready, the control plane itself is most likely cut off,
 * and a replacement could not be started anyway: evictions are paused. Once a cluster has returned, they stay paused for `recoveryMs`, since the others
 * need that time to return as well. The pace follows from the conditions of the clusters, so that it is the same after a restart.
 *
 * differs: Karmada evicts at one rate, however many clusters have failed.
 */
export function evictionPace(
  clusters: Iterable<Readiness>,
  rates: EvictionRates,
  recoveryMs: number,
  now: number,
): EvictionPace {
  let firstReady = Infinity;
  let lastFailed = -Infinity;
  let failed = 0;
  let known = 0;
  for (const { isReady, since } of clusters) {
    known++;
    if (isReady) firstReady = Math.min(firstReady, since);
    else {
      failed++;
      lastFailed = Math.max(lastFailed, since);
    }
  }
  if (failed === 0) return { intervalMs: intervalMs(rates.perSecond), notBefore: -Infinity };
  if (failed === known) return { intervalMs: intervalMs(rates.secondaryPerSecond), notBefore: Infinity };
  const perSecond = failed / known >= rates.unhealthyShare ? rates.secondaryPerSecond : rates.perSecond;
  // If the ready clusters became ready after the others had failed, no cluster was ready in between.
  // The time may be of an agent, whose clock may be ahead.
  const notBefore = firstReady >= lastFailed ? Math.min(firstReady, now) + recoveryMs : -Infinity;
  return { intervalMs: intervalMs(perSecond), notBefore };
}
