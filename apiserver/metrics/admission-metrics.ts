/** Calls to admission webhooks, counted. as apiserver/pkg/admission/metrics/metrics.go */
import type { Registry } from 'prom-client';
import type { ObserveCall } from '../../registry/admission/webhook/observe.js';
import { counter, histogram } from './series.js';

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
    return ({ code, rejected, error, failedOpen }) => {
      const base = { name, type, operation };
      const shown = String(Math.min(code, largestCode));
      const outcome = { ...base, rejected: String(rejected) };
      duration(outcome).observe((performance.now() - started) / 1000);
      total({ ...outcome, code: shown }).inc();
      if (rejected) rejections({ ...base, error_type: error, rejection_code: shown }).inc();
      if (failedOpen) failOpen({ name, type }).inc();
    };
  };
}
