/** Metrics of the work queues of controllers. as component-base/metrics/prometheus/workqueue */
import type { Registry } from 'prom-client';
import { computed, counter, histogram } from './series.js';

/** Records the events of one queue. */
interface QueueSeries {
  added(key: string): void;
  taken(key: string): void;
  done(key: string): void;
  retried(): void;
}

/** Returns the series of a queue. `depth`: returns the number of waiting keys. */
export type ObserveQueue = (name: string, depth: () => number) => QueueSeries;

/** From 10 ns on, each bound is ten times the one before. */
const seconds = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1, 10];

interface Queue {
  readonly depth: () => number;
  /** When the work on keys began, in milliseconds. */
  readonly working: ReadonlyMap<string, number>;
}

export function queueMetrics(registry: Registry): ObserveQueue {
  const prefix = 'workqueue_';
  const adds = counter(registry, `${prefix}adds_total`, '[BETA] Keys that came into queues, by name.');
  const retries = counter(registry, `${prefix}retries_total`, '[BETA] Keys that are tried again, by name.');
  const waited = histogram(
    registry,
    `${prefix}queue_duration_seconds`,
    '[BETA] Seconds that keys wait, by name.',
    seconds,
  );
  const worked = histogram(
    registry,
    `${prefix}work_duration_seconds`,
    '[BETA] Seconds that work on a key takes, by name.',
    seconds,
  );
  const queues = new Map<string, Queue>();
  const registerGauge = (name: string, help: string, value: (queue: Queue) => number): void =>
    computed(registry, prefix + name, `[BETA] ${help}, by name.`, () =>
      [...queues].map(([queue, state]) => ({ labels: { name: queue }, value: value(state) })),
    );
  const running = ({ working }: Queue): number[] =>
    [...working.values()].map(began => (performance.now() - began) / 1000);
  registerGauge('depth', 'Keys that wait', ({ depth }) => depth());
  registerGauge('unfinished_work_seconds', 'Seconds of work that is not done yet', queue =>
    running(queue).reduce((sum, one) => sum + one, 0),
  );
  registerGauge('longest_running_processor_seconds', 'Seconds of the longest work that is not done yet', queue =>
    Math.max(0, ...running(queue)),
  );

  return (name, depth) => {
    const [add, retry, wait, work] = [adds({ name }), retries({ name }), waited({ name }), worked({ name })];
    const waiting = new Map<string, number>();
    const working = new Map<string, number>();
    queues.set(name, { depth, working });
    const since = (times: Map<string, number>, key: string, now: number): number | undefined => {
      const began = times.get(key);
      times.delete(key);
      return began === undefined ? undefined : (now - began) / 1000;
    };
    return {
      added(key) {
        add.inc();
        waiting.set(key, performance.now());
      },
      taken(key) {
        const now = performance.now();
        wait.observe(since(waiting, key, now) ?? 0);
        working.set(key, now);
      },
      done(key) {
        const took = since(working, key, performance.now());
        if (took !== undefined) work.observe(took);
      },
      retried: () => retry.inc(),
    };
  };
}
