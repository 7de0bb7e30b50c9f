/** Calls to admission webhooks, checks by policies and match conditions, counted. as apiserver/pkg/admission/metrics/metrics.go */
import type { Registry } from 'prom-client';
import type { ObserveConditions, ObservePolicies } from '../../registry/admission/observe.js';
import type { ObserveCall } from '../../registry/admission/webhook/observe.js';
import { type Labels, counter, histogram } from './series.js';

const seconds = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25];
const largestCode = 600;

export function webhookMetrics(registry: Registry): ObserveCall {
  const prefix = 'apiserver_admission_webhook_';
  const duration = histogram(
    registry,
    `${prefix}admission_duration_seconds`,
    'Seconds that webhooks take, by name, type and operation.',
    seconds,
  );
  const total = counter(
    registry,
    `${prefix}request_total`,
    'Calls to webhooks, by name, type, operation, code and outcome.',
  );
  const rejections = counter(
    registry,
    `${prefix}rejection_count`,
    'Requests that webhooks have stopped, by name, type, operation, code and why.',
  );
  const failOpen = counter(
    registry,
    `${prefix}fail_open_count`,
    'Calls that failed without being in the way, by name and type.',
  );
  return ({ name, type, operation }) => {
    const started = performance.now();
    return ({ code, rejected, error, failedOpen, canceled }) => {
      const base = { name, type, operation };
      const shown = String(Math.min(code, largestCode));
      const outcome = { ...base, rejected: String(rejected) };
      duration(outcome).observe((performance.now() - started) / 1000);
      total({ ...outcome, code: shown }).inc();
      if (rejected && !canceled) rejections({ ...base, error_type: error, rejection_code: shown }).inc();
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
    return {
      total: counter(registry, `${prefix}total`, `Checks by ${which} admission policies, by ${labels}.`),
      duration: histogram(
        registry,
        `${prefix}duration_seconds`,
        `Seconds that expressions of ${which} admission policies take, by ${labels}.`,
        policySeconds,
      ),
    };
  };
  const [validating, mutating] = [series('validating'), series('mutating')];
  const count = (to: typeof validating, labels: Labels, took: number): void => {
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
  const errors = counter(registry, `${prefix}evaluation_errors_total`, `Match conditions that failed, ${by}`);
  const exclusions = counter(
    registry,
    `${prefix}exclusions_total`,
    `Requests that match conditions kept from a webhook, ${by}`,
  );
  const duration = histogram(
    registry,
    `${prefix}evaluation_seconds`,
    `Seconds that match conditions take, ${by}`,
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
