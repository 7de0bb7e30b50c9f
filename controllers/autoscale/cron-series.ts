import { exponential, type Meter, type Result } from '../../client/runtime/meter.js';

type Told = (result: Result, seconds: number) => void;

/** as karmada/pkg/metrics/resource.go */
export function cronSeries(meter: Meter): { readonly object: Told; readonly rule: Told } {
  const bounds = exponential(0.001, 2, 12);
  const told = (name: string, help: string): Told => {
    const series = meter.histogram(name, help, ['result'], bounds);
    return (result, seconds) => series(result).observe(seconds);
  };
  return {
    object: told('cronfederatedhpa_process_duration_seconds', 'Seconds that a CronFederatedHPA takes, by result.'),
    rule: told('cronfederatedhpa_rule_process_duration_seconds', 'Seconds that a rule of one takes, by result.'),
  };
}
