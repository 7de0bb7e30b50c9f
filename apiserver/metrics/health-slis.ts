import { Counter, Gauge, Registry } from 'prom-client';

/** What /metrics/slis tells: how each check of our health went, when it was last made, and how often it went so. */
export interface HealthSlis {
  readonly registry: Registry;
  /** `type`: the endpoint that made the check. */
  observe(name: string, type: string, ok: boolean): void;
}

// as component-base/metrics/prometheus/slis
export function healthSlis(): HealthSlis {
  const registry = new Registry();
  const registers = [registry];
  const last = new Gauge({
    name: 'kubernetes_healthcheck',
    help: 'Result of the last health check: 1 is well.',
    labelNames: ['name', 'type'],
    registers,
  });
  const total = new Counter({
    name: 'kubernetes_healthchecks_total',
    help: 'Health checks by their result.',
    labelNames: ['name', 'type', 'status'],
    registers,
  });
  return {
    registry,
    observe(name, type, ok) {
      last.set({ name, type }, ok ? 1 : 0);
      total.inc({ name, type, status: ok ? 'success' : 'error' });
    },
  };
}
