import { exponential, type GaugeValue, type Meter } from '../../client/runtime/meter.js';
import type { Step, TimePlugin } from '../interface.js';
import type { SchedulingQueue } from './queue.js';
import type { Trigger } from './trigger.js';

/** What brings a binding into the queue. 'QuotaUpdate' is ours. */
export type QueueCause = 'BindingAdd' | 'BindingUpdate' | 'ClusterChanged' | 'QuotaUpdate' | 'ScheduleAttemptFailure';

/** The metrics of the scheduler. as karmada/pkg/scheduler/metrics */
export interface SchedulerSeries {
  /** Counts an attempt. */
  attempted(why: Trigger, result: 'scheduled' | 'error', seconds: number): void;
  /** Counts a binding that enters the queue. */
  incoming(event: QueueCause): void;
  /** A step begins. Returns what is to be called when it ends. */
  readonly timed: (step: Step) => () => void;
  readonly timedPlugin: TimePlugin;
}

export function schedulerSeries(meter: Meter, queue: Pick<SchedulingQueue, 'pending'>): SchedulerSeries {
  meter.gauge(
    'scheduler_pending_bindings',
    'Bindings that wait: for a worker (active), for a retry after a failure (backoff), or because they do not fit (unschedulable).',
    () => Object.entries(queue.pending()).map(([name, value]): GaugeValue => ({ labels: { queue: name }, value })),
  );
  const prefix = 'karmada_scheduler_';
  const labels = ['result', 'schedule_type'];
  const bounds = exponential(0.001, 2, 15);
  const attempts = meter.counter(
    `${prefix}schedule_attempts_total`,
    'Attempts to schedule a binding, by result.',
    labels,
  );
  const whole = meter.histogram(
    `${prefix}e2e_scheduling_duration_seconds`,
    'Seconds until a binding is scheduled and that is written, by result.',
    labels,
    bounds,
  );
  const steps = meter.histogram(
    `${prefix}scheduling_algorithm_duration_seconds`,
    'Seconds that a step of scheduling takes, by step.',
    ['schedule_step'],
    bounds,
  );
  const incoming = meter.counter(
    `${prefix}queue_incoming_bindings_total`,
    'Bindings that came into the queue, by what brought them.',
    ['event'],
  );
  const pointDuration = meter.histogram(
    `${prefix}framework_extension_point_duration_seconds`,
    'Seconds that all plugins of an extension point take for the first cluster of a decision.',
    ['extension_point', 'result'],
    exponential(0.0001, 2, 12),
  );
  const pluginDuration = meter.histogram(
    `${prefix}plugin_execution_duration_seconds`,
    'Seconds that a plugin takes for the first cluster of a decision.',
    ['plugin', 'extension_point', 'result'],
    exponential(0.00001, 1.5, 20),
  );
  return {
    timedPlugin(point, plugin) {
      const began = performance.now();
      return result => {
        const seconds = (performance.now() - began) / 1000;
        if (plugin === undefined) pointDuration(point, result).observe(seconds);
        else pluginDuration(plugin, point, result).observe(seconds);
      };
    },
    attempted(why, result, seconds) {
      const type = why === 'replicas' ? 'ScaleSchedule' : 'ReconcileSchedule';
      attempts(result, type).inc();
      whole(result, type).observe(seconds);
    },
    incoming: event => incoming(event).inc(),
    timed(step) {
      const began = performance.now();
      return () => steps(step).observe((performance.now() - began) / 1000);
    },
  };
}
