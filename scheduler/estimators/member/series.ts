import { exponential, type Meter, type ReconcileOutcome } from '../../../client/runtime/meter.js';
import type { PluginTimer } from '../../estimate/accurate/accurate.js';
import type { ExtensionPoint } from './member-estimates.js';
import type { EstimatorMethod } from '../protocol/service.js';

type Step = 'GetObjectFromCache' | 'GetWorkloadUnschedulablePods' | 'Total';

/** The metrics of an estimator. as pkg/estimator/server/metrics */
export interface EstimatorSeries {
  counted(method: EstimatorMethod, result: ReconcileOutcome): void;
  took(method: EstimatorMethod, step: Step, result: ReconcileOutcome, seconds: number): void;
  timed(point: ExtensionPoint): PluginTimer;
  /** To be called before the plugins of an extension point run. Returns what is to be called when they have. */
  timedPoint(point: ExtensionPoint): () => void;
}

/** Registers the metrics of an estimator; times are in seconds. as pkg/estimator/server/metrics */
export function estimatorSeries(meter: Meter): EstimatorSeries {
  const prefix = 'karmada_scheduler_estimator_estimating_';
  const requests = meter.counter(`${prefix}request_total`, 'Requests for estimates, by result and method.', [
    'result',
    'type',
  ]);
  const steps = meter.histogram(
    `${prefix}algorithm_duration_seconds`,
    'Seconds that a step of an estimate takes, by result, method and step.',
    ['result', 'type', 'step'],
    exponential(0.001, 2, 10),
  );
  const points = meter.histogram(
    `${prefix}plugin_extension_point_duration_seconds`,
    'Seconds from the begin of the first plugin to the end of the last one, by what they are called for.',
    ['estimating_plugin_extension_point'],
    exponential(0.0001, 2, 12),
  );
  const plugins = meter.histogram(
    `${prefix}plugin_execution_duration_seconds`,
    'Seconds from the begin to the end of a plugin, by plugin and what it is called for.',
    ['estimating_plugin', 'estimating_plugin_extension_point'],
    exponential(0.00001, 1.5, 20),
  );
  return {
    counted: (method, result) => requests(result, method).inc(),
    took: (method, step, result, seconds) => steps(result, method, step).observe(seconds),
    timedPoint(point) {
      const began = performance.now();
      return () => points(point).observe((performance.now() - began) / 1000);
    },
    timed: point => plugin => {
      const began = performance.now();
      return () => plugins(plugin, point).observe((performance.now() - began) / 1000);
    },
  };
}
