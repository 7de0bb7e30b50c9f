import { exponential, type Meter, type ReconcileOutcome } from '../../client/runtime/meter.js';

/** Metrics of the matching of policies and templates. as karmada/pkg/metrics/resource.go */
export interface PolicySeries {
  /** Records that the policy of a template was found. */
  matched(seconds: number): void;
  readonly applied: (result: ReconcileOutcome, seconds: number) => void;
  readonly preempted: (result: ReconcileOutcome) => void;
}

const bounds = exponential(0.001, 2, 12);

/** Returns the series of policies, with the names of Karmada. as pkg/metrics/resource.go */
export function policySeries(meter: Meter): PolicySeries {
  const matched = meter.histogram(
    'resource_match_policy_duration_seconds',
    'Seconds until the policy of a template is found.',
    [],
    bounds,
  );
  const durations = meter.histogram(
    'resource_apply_policy_duration_seconds',
    'Seconds until a policy is applied to a template, by result.',
    ['result'],
    bounds,
  );
  const attempts = meter.counter(
    'policy_apply_attempts_total',
    'Attempts to apply a policy to a template, by result.',
    ['result'],
  );
  const preemptions = meter.counter('policy_preemption_total', 'Templates taken from other policies, by result.', [
    'result',
  ]);
  return {
    matched: seconds => matched().observe(seconds),
    applied(result, seconds) {
      durations(result).observe(seconds);
      attempts(result).inc();
    },
    preempted: result => preemptions(result).inc(),
  };
}
