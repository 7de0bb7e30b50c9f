import { exponential, type Meter, type ReconcileOutcome } from '../../client/runtime/meter.js';

type Observe = (result: ReconcileOutcome, seconds: number) => void;

/** Registers the metrics of the controller. as karmada/pkg/metrics/resource.go */
export function cronSeries(meter: Meter): { readonly object: Observe; readonly rule: Observe } {
  const bounds = exponential(0.001, 2, 12);
  const histogram = (name: string, help: string): Observe => {
    const series = meter.histogram(name, help, ['result'], bounds);
    return (result, seconds) => series(result).observe(seconds);
  };
  return {
    object: histogram('cronfederatedhpa_process_duration_seconds', 'Seconds that a CronFederatedHPA takes, by result.'),
    rule: histogram('cronfederatedhpa_rule_process_duration_seconds', 'Seconds that a rule of one takes, by result.'),
  };
}
