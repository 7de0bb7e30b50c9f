/** Metrics of admission: plugins, webhooks, policies and match conditions. as apiserver/pkg/admission/metrics/metrics.go */
import type { Registry } from 'prom-client';
import type { ObserveAdmission, ObserveConditions, ObservePolicies, ObserveStep } from '../../admission/observe.js';
import type { ObserveCall } from '../../admission/webhook/observe.js';
import { type HistogramSeries, type SeriesLabels, counter, histogram } from './series.js';
import { summary } from './summary.js';

const seconds = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25];
const largestCode = 600;

const stepSeconds = [0.005, 0.025, 0.1, 0.5, 1, 2.5];
const summaryAgeMs = 5 * 60 * 60 * 1000;

/** Registers the metrics of the steps of admission and of its plugins; times are in seconds. as apiserver/pkg/admission/metrics AdmissionMetrics */
export function admissionMetrics(registry: Registry): ObserveAdmission {
  const prefix = 'apiserver_admission_';
  const steps = histogram(
    registry,
    `${prefix}step_admission_duration_seconds`,
    '[STABLE] Seconds that the plugins of a step (admit or validate) take together, by operation.',
    stepSeconds,
  );
  const recentSteps = summary(
    registry,
    `${prefix}step_admission_duration_seconds_summary`,
    '[ALPHA] Seconds that the plugins of a step (admit or validate) took together in the last five hours, by operation.',
    { maxAgeMs: summaryAgeMs },
  );
  const plugins = histogram(
    registry,
    `${prefix}controller_admission_duration_seconds`,
    '[STABLE] Seconds that a plugin takes, by name, type (admit or validate) and operation.',
    stepSeconds,
  );
  // hot: one look-up in a small map, and an addition.
  const observeBy = (series: (labels: SeriesLabels) => HistogramSeries, base: SeriesLabels): ObserveStep => {
    const known = { passed: new Map<string, HistogramSeries>(), rejected: new Map<string, HistogramSeries>() };
    return (operation, seconds, rejected) => {
      const byOperation = rejected ? known.rejected : known.passed;
      let found = byOperation.get(operation);
      if (!found) byOperation.set(operation, (found = series({ ...base, operation, rejected: String(rejected) })));
      found.observe(seconds);
    };
  };
  return {
    plugin: (name, type) => observeBy(plugins, { name, type }),
    step: type => observeBy(labels => both(steps(labels), recentSteps(labels)), { type }),
  };
}

const both = (a: HistogramSeries, b: HistogramSeries): HistogramSeries => ({
  observe(value) {
    a.observe(value);
    b.observe(value);
  },
});

/** Registers the metrics of calls to admission webhooks; times are in seconds. as apiserver/pkg/admission/metrics ObserveWebhook */
export function webhookMetrics(registry: Registry): ObserveCall {
  const prefix = 'apiserver_admission_webhook_';
  const duration = histogram(
    registry,
    `${prefix}admission_duration_seconds`,
    '[STABLE] Seconds that webhooks take, by name, type and operation.',
    seconds,
  );
  const total = counter(
    registry,
    `${prefix}request_total`,
    '[ALPHA] Calls to webhooks, by name, type, operation, code and outcome.',
  );
  const rejections = counter(
    registry,
    `${prefix}rejection_count`,
    '[ALPHA] Requests that webhooks have stopped, by name, type, operation, code and why.',
  );
  const failOpen = counter(
    registry,
    `${prefix}fail_open_count`,
    '[ALPHA] Calls that failed without being in the way, by name and type.',
  );
  return ({ name, type, operation }) => {
    const started = performance.now();
    return ({ code, rejected, error, failedOpen, canceled }) => {
      const base = { name, type, operation };
      const codeLabel = String(Math.min(code, largestCode));
      const outcome = { ...base, rejected: String(rejected) };
      duration(outcome).observe((performance.now() - started) / 1000);
      total({ ...outcome, code: codeLabel }).inc();
      if (rejected && !canceled) rejections({ ...base, error_type: error, rejection_code: codeLabel }).inc();
      if (failedOpen && !canceled) failOpen({ name, type }).inc();
    };
  };
}

const policySeconds = [0.0000005, 0.001, 0.01, 0.1, 1];

/** as apiserver/pkg/admission/plugin/policy/validating/metrics, mutating/metrics */
export function policyMetrics(registry: Registry): ObservePolicies {
  const series = (which: string) => {
    const prefix = `apiserver_${which}_admission_policy_check_`;
    const labels = which === 'validating' ? 'policy, binding, error and action' : 'policy, binding and error';
    const stability = which === 'validating' ? '[BETA]' : '[ALPHA]';
    return {
      total: counter(registry, `${prefix}total`, `${stability} Checks by ${which} admission policies, by ${labels}.`),
      duration: histogram(
        registry,
        `${prefix}duration_seconds`,
        `${stability} Seconds that expressions of ${which} admission policies take, by ${labels}.`,
        policySeconds,
      ),
    };
  };
  const [validating, mutating] = [series('validating'), series('mutating')];
  const count = (to: typeof validating, labels: SeriesLabels, took: number): void => {
    to.total(labels).inc();
    to.duration(labels).observe(took);
  };
  return {
    validated({ policy, binding, error, action }, took) {
      count(validating, { policy, policy_binding: binding, error_type: error, enforcement_action: action }, took);
    },
    mutated({ policy, binding, error }, took) {
      count(mutating, { policy, policy_binding: binding, error_type: error }, took);
    },
  };
}

const conditionSeconds = [0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25];

/** as apiserver/pkg/admission/metrics/metrics.go */
export function conditionMetrics(registry: Registry): ObserveConditions {
  const prefix = 'apiserver_admission_match_condition_';
  const by = 'by name, kind, type and operation.';
  const errors = counter(registry, `${prefix}evaluation_errors_total`, `[ALPHA] Match conditions that failed, ${by}`);
  const exclusions = counter(
    registry,
    `${prefix}exclusions_total`,
    `[ALPHA] Requests that match conditions kept from a webhook, ${by}`,
  );
  const duration = histogram(
    registry,
    `${prefix}evaluation_seconds`,
    `[ALPHA] Seconds that match conditions take, ${by}`,
    conditionSeconds,
  );
  return {
    evaluated({ name, kind, type, operation }, failed, took) {
      const labels = { name, kind, type, operation };
      if (failed > 0) errors(labels).inc(failed);
      duration(labels).observe(took);
    },
    excluded({ name, kind, type, operation }) {
      exclusions({ name, kind, type, operation }).inc();
    },
  };
}
