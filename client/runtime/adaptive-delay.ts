import { performance } from 'node:perf_hooks';

/** How long one look at the load of the process is good for. */
const goodForMs = 100;

interface Gathering {
  /** Milliseconds. */
  readonly least?: number;
  readonly most?: number;
  /** From which share of its time that is taken the process counts as full. */
  readonly full?: number;
}

/** The share of its time up to which a process has time to spare. */
const easy = 0.5;

/**
 * How many milliseconds, between `least` and `most`, changes of one object are gathered before they are acted upon. Clusters report side by side, and a rollout changes
 * an object many times in a row. When the process has time to spare, it is as short as it can be; when it is full, a status that comes a little later
 * saves writes that everybody would wait for.
 */
export function createAdaptiveDelay({ least = 30, most = 300, full = 1 }: Gathering = {}): () => number {
  let before = performance.eventLoopUtilization();
  let settleMs = least;
  return () => {
    const now = performance.eventLoopUtilization();
    const { active, idle, utilization } = performance.eventLoopUtilization(now, before);
    if (active + idle >= goodForMs) {
      before = now;
      const fullness = (utilization - easy) / (full - easy);
      settleMs = least + (most - least) * Math.min(1, Math.max(0, fullness));
    }
    return settleMs;
  };
}
