/** Metrics of the availability of APIServices. as kube-aggregator/pkg/controllers/status/metrics */
import type { Registry } from 'prom-client';
import type { ObserveApiServices } from '../../registry/dynamic/api-services/api-services.js';
import { computed, counter } from './series.js';

/** Registers the metrics of APIServices. An APIService that is deleted leaves them. as kube-aggregator/pkg/controllers/status/metrics */
export function apiServiceMetrics(registry: Registry): ObserveApiServices {
  const reasons = new Map<string, string | undefined>();
  computed(
    registry,
    'aggregator_unavailable_apiservice',
    '[ALPHA] APIServices that are unavailable (1) or not (0), by name.',
    () => [...reasons].map(([name, reason]) => ({ labels: { name }, value: reason === undefined ? 0 : 1 })),
    { aggregator: 'max' },
  );
  const total = counter(
    registry,
    'aggregator_unavailable_apiservice_total',
    '[ALPHA] How often APIServices became unavailable, by name and reason.',
  );
  return {
    updated(name, reason) {
      if (reason !== undefined && reasons.get(name) === undefined) total({ name, reason }).inc();
      reasons.set(name, reason);
    },
    deleted: name => void reasons.delete(name),
  };
}
