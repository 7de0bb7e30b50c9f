import { performance } from 'node:perf_hooks';

/** Milliseconds for which one measurement of the load is valid. */
const sampleMs = 100;

interface AdaptiveDelayOptions {
  /** Minimum and maximum delay in milliseconds. */
  readonly minMs?: number;
  readonly maxMs?: number;
  /** Event loop utilization from which the delay is `maxMs`. */
  readonly fullLoad?: number;
}

/** Event loop utilization up to which the delay is `minMs`. */
const idleLoad = 0.5;

/**
 * Returns a function that gives the milliseconds, between `minMs` and `maxMs`, for which changes of one object are gathered before they
 * are handled. Clusters report concurrently, and a rollout changes an object many times. The delay is short while the process is idle;
 * under load a later status saves writes.
 */
export function createAdaptiveDelay({
  minMs = 30,
  maxMs = 300,
  fullLoad = 1,
}: AdaptiveDelayOptions = {}): () => number {
  let before = performance.eventLoopUtilization();
  let delayMs = minMs;
  return () => {
    const now = performance.eventLoopUtilization();
    const { active, idle, utilization } = performance.eventLoopUtilization(now, before);
    if (active + idle >= sampleMs) {
      before = now;
      const load = (utilization - idleLoad) / (fullLoad - idleLoad);
      delayMs = minMs + (maxMs - minMs) * Math.min(1, Math.max(0, load));
    }
    return delayMs;
  };
}
