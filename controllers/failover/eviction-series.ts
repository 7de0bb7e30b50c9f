/** The metrics of eviction queues. as karmada/pkg/metrics/cluster.go */
import type { Key } from '../../client/runtime/interface.js';
import { exponential, type GaugeValue, type Meter, type ReconcileOutcome } from '../../client/runtime/meter.js';
import { clusterOfEviction } from './eviction-key.js';

/** A queue of evictions. */
export interface ObservedQueue {
  readonly name: string;
  /** The kind of the bindings. */
  readonly kind: string;
  readonly depth: number;
  readonly due: () => Iterable<Key>;
}

export type ObserveEviction = (result: ReconcileOutcome, seconds: number) => void;

/**
 * Registers the metrics of all eviction queues. Returns for each of them what observes one eviction.
 *
 * differs: Karmada counts a binding again each time it is looked at. Here, an eviction is counted once, and the gauges are computed from the queues.
 */
export function evictionSeries(meter: Meter, queues: readonly ObservedQueue[]): readonly ObserveEviction[] {
  meter.gauge('eviction_queue_depth', 'Evictions that are due and wait for their turn.', () =>
    queues.map(({ name, depth }) => ({ labels: { name }, value: depth })),
  );
  meter.gauge('eviction_kind_total', 'Evictions that are due, by cluster and kind of binding.', () =>
    queues.flatMap(byCluster),
  );
  const latency = meter.histogram(
    'eviction_processing_latency_seconds',
    'Seconds that an eviction takes once it is its turn.',
    ['name'],
    exponential(0.001, 2, 15),
  );
  const total = meter.counter('eviction_processing_total', 'Evictions that were tried.', ['name', 'result']);
  return queues.map(({ name }) => (result, seconds) => {
    latency(name).observe(seconds);
    total(name, result).inc();
  });
}

function byCluster({ kind, due }: ObservedQueue): GaugeValue[] {
  const counts = new Map<string, number>();
  for (const key of due()) {
    const cluster = clusterOfEviction(key);
    counts.set(cluster, (counts.get(cluster) ?? 0) + 1);
  }
  return [...counts].map(([cluster, value]) => ({ labels: { member_cluster: cluster, resource_kind: kind }, value }));
}
