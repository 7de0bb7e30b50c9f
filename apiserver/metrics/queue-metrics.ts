/** Metrics of the work queues of controllers. as component-base/metrics/prometheus/workqueue */
import type { Registry } from 'prom-client';
import type { ObserveQueue, QueueSeries } from '../../client/runtime/interface.js';
import { computed, counter, type CounterSeries, histogram, type HistogramSeries } from './series.js';

const prefix = 'workqueue_';
/** From 10 ns on, each bound is ten times the one before. */
const seconds = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1, 10];

/** The series of all queues. */
interface AllSeries {
  readonly adds: ReturnType<typeof counter>;
  readonly retries: ReturnType<typeof counter>;
  readonly waited: ReturnType<typeof histogram>;
  readonly worked: ReturnType<typeof histogram>;
}

/** Returns the seconds since a time, and forgets it; undefined if there is none. `times`, `now`: in milliseconds. */
function secondsSince(times: Map<string, number>, key: string, now: number): number | undefined {
  const began = times.get(key);
  times.delete(key);
  return began === undefined ? undefined : (now - began) / 1000;
}

class ObservedQueue implements QueueSeries {
  /** Returns the number of waiting keys. */
  readonly depth: () => number;
  readonly #added: CounterSeries;
  readonly #retried: CounterSeries;
  readonly #waited: HistogramSeries;
  readonly #worked: HistogramSeries;
  /** When keys were added, and when the work on them began, in milliseconds. */
  readonly #waiting = new Map<string, number>();
  readonly #working = new Map<string, number>();

  constructor(name: string, depth: () => number, { adds, retries, waited, worked }: AllSeries) {
    this.depth = depth;
    this.#added = adds({ name });
    this.#retried = retries({ name });
    this.#waited = waited({ name });
    this.#worked = worked({ name });
  }

  /** Returns for how many seconds the work on each key has been running. */
  running(): number[] {
    const now = performance.now();
    return [...this.#working.values()].map(began => (now - began) / 1000);
  }

  added(key: string): void {
    this.#added.inc();
    this.#waiting.set(key, performance.now());
  }

  taken(key: string): void {
    const now = performance.now();
    this.#waited.observe(secondsSince(this.#waiting, key, now) ?? 0);
    this.#working.set(key, now);
  }

  done(key: string): void {
    const took = secondsSince(this.#working, key, performance.now());
    if (took !== undefined) this.#worked.observe(took);
  }

  retried(): void {
    this.#retried.inc();
  }
}

function registerGauges(registry: Registry, queues: ReadonlyMap<string, ObservedQueue>): void {
  const gauge = (name: string, help: string, value: (queue: ObservedQueue) => number): void =>
    computed(registry, prefix + name, `[BETA] ${help}, by name.`, () =>
      [...queues].map(([queue, state]) => ({ labels: { name: queue }, value: value(state) })),
    );
  gauge('depth', 'Keys that wait', queue => queue.depth());
  gauge('unfinished_work_seconds', 'Seconds of work that is not done yet', queue =>
    queue.running().reduce((sum, one) => sum + one, 0),
  );
  gauge('longest_running_processor_seconds', 'Seconds of the longest work that is not done yet', queue =>
    Math.max(0, ...queue.running()),
  );
}

/**
 * Registers the metrics of the work queues of controllers. Returns the function that adds a queue to them.
 * as component-base/metrics/prometheus/workqueue
 */
export function queueMetrics(registry: Registry): ObserveQueue {
  const waitHelp = '[BETA] Seconds that keys wait, by name.';
  const workHelp = '[BETA] Seconds that work on a key takes, by name.';
  const series: AllSeries = {
    adds: counter(registry, `${prefix}adds_total`, '[BETA] Keys that came into queues, by name.'),
    retries: counter(registry, `${prefix}retries_total`, '[BETA] Keys that are tried again, by name.'),
    waited: histogram(registry, `${prefix}queue_duration_seconds`, waitHelp, seconds),
    worked: histogram(registry, `${prefix}work_duration_seconds`, workHelp, seconds),
  };
  const queues = new Map<string, ObservedQueue>();
  registerGauges(registry, queues);
  return (name, depth) => {
    const queue = new ObservedQueue(name, depth, series);
    queues.set(name, queue);
    return queue;
  };
}
