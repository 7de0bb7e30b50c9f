import type { Meter } from './meter.js';

type Ended = 'success' | 'error' | 'requeue_after';

interface ReconcilerSeries {
  /** Records the start of a reconciliation. Returns a function to call at its end. */
  begin(): (ended: Ended) => void;
}

/** Creates the metrics of a controller. */
export type ObserveReconciler = (controller: string, workers: number) => ReconcilerSeries;

const seconds = [
  ...[0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1],
  ...[1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60],
];

/** Registers the metrics of all controllers. as controller-runtime/pkg/internal/controller/metrics */
export function reconcileSeries(meter: Meter): ObserveReconciler {
  const prefix = 'controller_runtime_';
  const total = meter.counter(`${prefix}reconcile_total`, 'Reconciliations, by controller and result.', [
    'controller',
    'result',
  ]);
  const errors = meter.counter(`${prefix}reconcile_errors_total`, 'Reconciliations that failed, by controller.', [
    'controller',
  ]);
  const time = meter.histogram(
    `${prefix}reconcile_time_seconds`,
    'Seconds that a reconciliation takes, by controller.',
    ['controller'],
    seconds,
  );
  const active = meter.updown(`${prefix}active_workers`, 'Workers that are at work, by controller.', ['controller']);
  const maxConcurrent = meter.updown(`${prefix}max_concurrent_reconciles`, 'Workers, by controller.', ['controller']);
  return (controller, workers) => {
    const ends = {
      success: total(controller, 'success'),
      error: total(controller, 'error'),
      requeue_after: total(controller, 'requeue_after'),
    };
    const [failed, duration, working] = [errors(controller), time(controller), active(controller)];
    maxConcurrent(controller).set(workers);
    return {
      begin() {
        const began = performance.now();
        working.inc();
        return ended => {
          working.inc(-1);
          duration.observe((performance.now() - began) / 1000);
          ends[ended].inc();
          if (ended === 'error') failed.inc();
        };
      },
    };
  };
}
