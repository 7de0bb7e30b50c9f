import { Registry } from 'prom-client';
import { counter, gauge } from './series.js';

/** The metrics of /metrics/slis: the last result of each health check, and a count of its results. */
export interface HealthSlis {
  readonly registry: Registry;
  /** Records a result. `type`: the endpoint that ran the check. */
  readonly observe: (name: string, type: string, ok: boolean) => void;
}

/** Returns the registry of /metrics/slis, and a function that notes the result of a health check in it. as component-base/metrics/prometheus/slis */
export function healthSlis(): HealthSlis {
  const registry = new Registry();
  const last = gauge(registry, 'kubernetes_healthcheck', 'Result of the last health check: 1 is well.');
  const total = counter(registry, 'kubernetes_healthchecks_total', 'Health checks by their result.');
  return {
    registry,
    observe(name, type, ok) {
      last({ name, type }).set(ok ? 1 : 0);
      total({ name, type, status: ok ? 'success' : 'error' }).inc();
    },
  };
}
