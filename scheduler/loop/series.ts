import {
  type Counter,
  exponential,
  type Family,
  type GaugeValue,
  type Histogram,
  type Meter,
} from '../../client/runtime/meter.js';
import type { Step, TimePlugin } from '../interface.js';
import type { SchedulingQueue } from './queue.js';
import type { Trigger } from './trigger.js';

/** What brings a binding into the queue. 'QuotaUpdate' is ours. */
export type QueueCause = 'BindingAdd' | 'BindingUpdate' | 'ClusterChanged' | 'QuotaUpdate' | 'ScheduleAttemptFailure';

const labels = ['result', 'schedule_type'];
const bounds = exponential(0.001, 2, 15);

/** The metrics of the scheduler, with the names of Karmada. as karmada/pkg/scheduler/metrics */
export class SchedulerSeries {
  readonly #attempts: Family<Counter>;
  readonly #incoming: Family<Counter>;
  readonly #attemptSeconds: Family<Histogram>;
  readonly #stepSeconds: Family<Histogram>;
  readonly #pointSeconds: Family<Histogram>;
  readonly #pluginSeconds: Family<Histogram>;

  /** Registers the metrics. Those of the queue are read when they are scraped. */
  constructor(meter: Meter, queue: Pick<SchedulingQueue, 'pending'>) {
    meter.gauge(
      'scheduler_pending_bindings',
      'Bindings that wait: for a worker (active), for a retry after a failure (backoff), or because they do not fit (unschedulable).',
      () => Object.entries(queue.pending()).map(([name, value]): GaugeValue => ({ labels: { queue: name }, value })),
    );
    this.#attempts = meter.counter(
      'karmada_scheduler_schedule_attempts_total',
      'Attempts to schedule a binding, by result.',
      labels,
    );
    this.#attemptSeconds = meter.histogram(
      'karmada_scheduler_e2e_scheduling_duration_seconds',
      'Seconds until a binding is scheduled and that is written, by result.',
      labels,
      bounds,
    );
    this.#stepSeconds = meter.histogram(
      'karmada_scheduler_scheduling_algorithm_duration_seconds',
      'Seconds that a step of scheduling takes, by step.',
      ['schedule_step'],
      bounds,
    );
    this.#incoming = meter.counter(
      'karmada_scheduler_queue_incoming_bindings_total',
      'Bindings that came into the queue, by what brought them.',
      ['event'],
    );
    this.#pointSeconds = meter.histogram(
      'karmada_scheduler_framework_extension_point_duration_seconds',
      'Seconds that all plugins of an extension point take for the first cluster of a decision.',
      ['extension_point', 'result'],
      exponential(0.0001, 2, 12),
    );
    this.#pluginSeconds = meter.histogram(
      'karmada_scheduler_plugin_execution_duration_seconds',
      'Seconds that a plugin takes for the first cluster of a decision.',
      ['plugin', 'extension_point', 'result'],
      exponential(0.00001, 1.5, 20),
    );
  }

  /** Counts an attempt. */
  attempted(why: Trigger, result: 'scheduled' | 'error', seconds: number): void {
    const type = why === 'replicas' ? 'ScaleSchedule' : 'ReconcileSchedule';
    this.#attempts(result, type).inc();
    this.#attemptSeconds(result, type).observe(seconds);
  }

  /** Counts a binding that enters the queue. */
  incoming(event: QueueCause): void {
    this.#incoming(event).inc();
  }

  /** A step begins. Returns what is to be called when it ends. */
  readonly timed = (step: Step): (() => void) => {
    const began = performance.now();
    return () => this.#stepSeconds(step).observe((performance.now() - began) / 1000);
  };

  /** A plugin begins, or with `plugin` absent an extension point. Returns what is to be called with the result when it ends. */
  readonly timedPlugin: TimePlugin = (point, plugin) => {
    const began = performance.now();
    return result => {
      const seconds = (performance.now() - began) / 1000;
      if (plugin === undefined) this.#pointSeconds(point, result).observe(seconds);
      else this.#pluginSeconds(plugin, point, result).observe(seconds);
    };
  };
}
