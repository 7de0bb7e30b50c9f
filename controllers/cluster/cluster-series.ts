import { isClusterReady } from '../../kinds/karmada/conditions.js';
import type { Cluster } from '../../api/karmada/types.js';
import { parseQuantity, quantityFloat } from '../../apimachinery/quantity/quantity.js';
import type { GaugeValue, Meter } from '../../client/runtime/meter.js';

export interface ClusterSeries {
  /** Records that the status of a cluster was collected, and the seconds that it took. */
  collected(cluster: string, seconds: number): void;
  gone(cluster: string): void;
}

type Status = NonNullable<Cluster['status']>;
type Value = (status: Status) => number | undefined;

const amount =
  (of: 'allocatable' | 'allocated', resource: string): Value =>
  ({ resourceSummary }) => {
    const amounts = resourceSummary?.[of];
    return amounts && quantityFloat(parseQuantity(amounts[resource] ?? '0'));
  };

// as karmada/pkg/metrics/cluster.go
const gauges: readonly (readonly [name: string, help: string, value: Value])[] = [
  ['node_number', 'Nodes of the cluster.', ({ nodeSummary }) => nodeSummary && (nodeSummary.totalNum ?? 0)],
  ['ready_node_number', 'Nodes that are ready.', ({ nodeSummary }) => nodeSummary && (nodeSummary.readyNum ?? 0)],
  ['memory_allocatable_bytes', 'Bytes of memory that Pods may have.', amount('allocatable', 'memory')],
  ['cpu_allocatable_number', 'Processors that Pods may have.', amount('allocatable', 'cpu')],
  ['pod_allocatable_number', 'Pods that there may be.', amount('allocatable', 'pods')],
  ['memory_allocated_bytes', 'Bytes of memory that Pods have.', amount('allocated', 'memory')],
  ['cpu_allocated_number', 'Processors that Pods have.', amount('allocated', 'cpu')],
  ['pod_allocated_number', 'Pods that there are.', amount('allocated', 'pods')],
];

const defaultBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Registers the metrics of clusters. `all` returns the clusters to report; the gauges are computed from their status. */
export function clusterSeries(meter: Meter, all: () => readonly Cluster[]): ClusterSeries {
  const register = (name: string, help: string, value: (cluster: Cluster) => number | undefined): void =>
    meter.gauge(`cluster_${name}`, help, () =>
      all().flatMap((cluster): GaugeValue | readonly [] => {
        const now = value(cluster);
        return now === undefined ? [] : { labels: { member_cluster: cluster.metadata.name ?? '' }, value: now };
      }),
    );
  register('ready_state', 'Is the cluster ready (1) or not (0)?', cluster => (isClusterReady(cluster) ? 1 : 0));
  for (const [name, help, value] of gauges) register(name, help, ({ status }) => status && value(status));
  const collected = meter.histogram(
    'cluster_sync_status_duration_seconds',
    'Seconds until the status of a cluster is collected.',
    ['member_cluster'],
    defaultBounds,
  );
  return {
    collected: (cluster, seconds) => collected(cluster).observe(seconds),
    gone: cluster => collected.drop(cluster),
  };
}
