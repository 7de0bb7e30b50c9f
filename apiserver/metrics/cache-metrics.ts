/** Metrics of the watch cache, and of reads that go to the store instead. as apiserver/pkg/storage/cacher/metrics, storage/etcd3/metrics */
import type { Registry } from 'prom-client';
import type { ObjectKind } from '../../registry/pipeline/stored/observed-backend.js';
import type { ObjectCount } from '../../registry/pipeline/stored/resource-stores.js';
import { computed, histogram, type HistogramSeries, type SeriesLabels } from './series.js';

const waits = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 2, 3];

/** Returns functions that record the seconds a read of a kind has waited. The series of a kind is created at its first read. */
export function waitMetrics(registry: Registry): (kind: ObjectKind) => (seconds: number) => void {
  const waited = histogram(
    registry,
    'apiserver_watch_cache_read_wait_seconds',
    '[ALPHA] Seconds that reads wait until the watch cache is fresh, by group and resource.',
    waits,
  );
  return ({ group, resource }) => {
    let series: HistogramSeries | undefined;
    return seconds => (series ??= waited({ group, resource })).observe(seconds);
  };
}

interface Row {
  readonly name: string;
  readonly help: string;
  readonly values: (kind: ObjectCount) => readonly (readonly [value: number, more?: SeriesLabels])[];
  /** How values of several worker processes become one; `max` where each process counts the same events. */
  readonly aggregator?: 'max';
  readonly type?: 'gauge';
}

/** Revisions are shown modulo this, since a double holds no more digits. */
const revisionModulus = 1e15;

const rows: readonly Row[] = [
  {
    name: 'watch_cache_events_received_total',
    help: 'Events that came into the watch cache',
    values: ({ counters }) => [[counters.received]],
    aggregator: 'max',
  },
  {
    name: 'watch_cache_events_dispatched_total',
    help: 'Events that the watch cache passed on',
    values: ({ counters }) => [[counters.dispatched]],
    aggregator: 'max',
  },
  {
    name: 'watch_cache_initializations_total',
    help: 'How often the watch cache was filled',
    values: ({ counters }) => [[counters.filled]],
  },
  {
    name: 'watch_cache_resource_version',
    help: 'The last 15 digits of the newest resource version that the watch cache has seen',
    values: ({ seen }) => [[seen % revisionModulus]],
    aggregator: 'max',
    type: 'gauge',
  },
  {
    name: 'watch_cache_consistent_read_total',
    help: 'Consistent lists, from the watch cache or (fallback) from the store',
    values: ({ counters: { newest } }) => [
      [newest.memory, { success: 'true', fallback: 'false' }],
      [newest.store, { success: 'true', fallback: 'true' }],
    ],
  },
  {
    name: 'terminated_watchers_total',
    help: 'Watches that were ended because they were too slow',
    values: ({ counters }) => [[counters.tooSlow]],
  },
  {
    name: 'cache_list_total',
    help: 'Lists that the watch cache answered',
    values: ({ counters }) => [...counters.lists].map(([index, { times }]) => [times, { index }]),
  },
  {
    name: 'cache_list_fetched_objects_total',
    help: 'Objects that were read from the watch cache for lists',
    values: ({ counters }) => [...counters.lists].map(([index, { items }]) => [items, { index }]),
  },
  {
    name: 'cache_list_returned_objects_total',
    help: 'Objects that were returned for lists',
    values: ({ counters }) => [[counters.returned]],
  },
  {
    name: 'storage_list_total',
    help: 'Lists that the store answered',
    values: ({ counters }) => [[counters.storeLists.times]],
  },
  {
    name: 'storage_list_fetched_objects_total',
    help: 'Objects that were read from the store for lists',
    values: ({ counters }) => [[counters.storeLists.items]],
  },
  {
    name: 'storage_list_evaluated_objects_total',
    help: 'Objects from the store that were evaluated against selectors for lists',
    values: ({ counters }) => [[counters.storeLists.evaluated]],
  },
  {
    name: 'storage_list_returned_objects_total',
    help: 'Objects from the store that were returned for lists',
    values: ({ counters }) => [[counters.storeLists.returned]],
  },
  {
    name: 'init_events_total',
    help: 'Initial events of watches: existing objects, or changes since the requested resourceVersion',
    values: ({ counters }) => [[counters.initial]],
  },
  {
    name: 'storage_events_received_total',
    help: 'Events that came from the store',
    values: ({ counters }) => [[counters.received]],
    aggregator: 'max',
  },
];

/** Registers the metrics, which are computed from the counters of each cache when they are read. */
export function cacheMetrics(registry: Registry, counts: () => readonly ObjectCount[]): void {
  for (const { name, help, values, aggregator = 'sum', type = 'counter' } of rows) {
    const all = () =>
      counts().flatMap(kind => {
        const labels = { group: kind.group, resource: kind.resource };
        return values(kind).map(([value, more]) => ({ labels: { ...labels, ...more }, value }));
      });
    computed(registry, `apiserver_${name}`, `[ALPHA] ${help}, by group and resource.`, all, { aggregator, type });
  }
}
