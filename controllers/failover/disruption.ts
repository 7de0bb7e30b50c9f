/** How fast workloads may be evicted, given how many clusters have failed at the same time. */
import { findCondition } from '../../kinds/karmada/conditions.js';
import type { Cluster } from '../../api/karmada/types.js';

export interface EvictionRates {
  /** Value of `--resource-eviction-rate`: evictions per second, of each kind of binding. */
  readonly perSecond: number;
  /** The same while the share of clusters that are not ready is `unhealthyShare` or more. */
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

export const intervalMs = (perSecond: number): number =>
  perSecond > 0 ? Math.min(1000 / perSecond, longestIntervalMs) : longestIntervalMs;

/**
 * Returns the pace of evictions. If no cluster is ready, the control plane itself is most likely cut off, and a replacement could not be started
 * anyway: evictions are paused. Once a cluster has returned, they stay paused for `recoveryMs`, since the others need that time to return as well.
 * All follows from the conditions of the clusters, so that it is the same after a restart.
 *
 * differs: Karmada evicts at one rate, however many clusters have failed.
 */
export function evictionPace(
  clusters: readonly Cluster[],
  rates: EvictionRates,
  recoveryMs: number,
  now: number,
): EvictionPace {
  let firstReady = Infinity;
  let lastFailed = -Infinity;
  let failed = 0;
  let known = 0;
  for (const { metadata, status } of clusters) {
    const ready = findCondition(status?.conditions, 'Ready');
    if (!ready || metadata.deletionTimestamp) continue;
    known++;
    const since = Date.parse(ready.lastTransitionTime);
    if (ready.status === 'True') firstReady = Math.min(firstReady, since);
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
