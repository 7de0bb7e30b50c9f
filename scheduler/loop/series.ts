import { exponential, type Meter } from '../../client/runtime/meter.js';
import type { Step } from '../interface.js';
import type { Trigger } from './trigger.js';

export type Incoming = 'BindingAdd' | 'BindingUpdate' | 'ClusterChanged' | 'ScheduleAttemptFailure';

/** The metrics of the scheduler. as karmada/pkg/scheduler/metrics */
export interface SchedulerSeries {
  /** Counts an attempt. */
  attempted(why: Trigger, result: 'scheduled' | 'error', seconds: number): void;
  /** Counts a binding that enters the queue. */
  incoming(event: Incoming): void;
  /** A step begins. Returns what is to be called when it ends. */
  timed(step: Step): () => void;
}

export function schedulerSeries(meter: Meter): SchedulerSeries {
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
  return {
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
