/** Metrics of requests to the store, and of its content. as apiserver/pkg/storage/etcd3/metrics */
import { readdirSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import path from 'node:path';
import type { Registry } from 'prom-client';
import type { ObjectKind, ObserveStore, StoreOperation } from '../../registry/pipeline/stored/observed-backend.js';
import { computed, counter, type CounterSeries, histogram, type HistogramSeries, type SeriesLabels } from './series.js';
import type { Maybe } from '../../lib/maybe.js';

const seconds = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60];

/** Registers metrics of requests, with the names for etcd also for the embedded store. */
export function storeMetrics(registry: Registry): ObserveStore {
  const by = 'by operation, group and resource.';
  const took = histogram(
    registry,
    'etcd_request_duration_seconds',
    `[ALPHA] Seconds that the store takes, ${by}`,
    seconds,
  );
  const total = counter(registry, 'etcd_requests_total', `[ALPHA] Requests to the store, ${by}`);
  const failures = counter(registry, 'etcd_request_errors_total', `[ALPHA] Requests to the store that failed, ${by}`);

  return ({ group, resource }) => {
    const known = new Map<StoreOperation, { duration: HistogramSeries; total: CounterSeries }>();
    return (operation, passed, failed) => {
      const labels = { operation, group, resource };
      let series = known.get(operation);
      if (!series) known.set(operation, (series = { duration: took(labels), total: total(labels) }));
      series.duration.observe(passed);
      series.total.inc();
      if (failed) failures(labels).inc();
    };
  };
}

/** Registers the numbers of objects. `counts` returns those of each kind that was read at least once. */
export function objectMetrics(registry: Registry, counts: () => readonly (ObjectKind & { objects: number })[]): void {
  computed(
    registry,
    'apiserver_resource_objects',
    '[ALPHA] Stored objects, by group and resource.',
    () => counts().map(({ group, resource, objects }) => ({ labels: { group, resource }, value: objects })),
    { aggregator: 'max' },
  );
  computed(
    registry,
    'apiserver_storage_objects',
    '[STABLE] (Deprecated since 1.34.0) Stored objects, by resource; apiserver_resource_objects says the same.',
    () =>
      counts().map(({ group, resource, objects }) => ({
        labels: { resource: group === '' ? resource : `${resource}.${group}` },
        value: objects,
      })),
    { aggregator: 'max' },
  );
}

/** Returns a function that sums the bytes of the files of the embedded store. */
export function filesIn(directory: string): () => number {
  const size = (name: string): number => statSync(path.join(directory, name), { throwIfNoEntry: false })?.size ?? 0; // A segment may be removed meanwhile.
  return () => readdirSync(directory).reduce((sum, name) => sum + size(name), 0);
}

/** Registers the size of the store, which is read when it is needed; there is no value while that fails. */
export function sizeMetrics(registry: Registry, id: string, size: () => Maybe<number>): void {
  const help = '[STABLE] Bytes of the files of the store.';
  const values = async (): Promise<{ labels: SeriesLabels; value: number }[]> => {
    try {
      return [{ labels: { storage_cluster_id: id }, value: await size() }];
    } catch {
      return []; // An unreachable store shows in its own metrics, and must not fail all others.
    }
  };
  computed(registry, 'apiserver_storage_size_bytes', help, values, { aggregator: 'max' });
}

/** Registers whether the data directory accepts writes, and the free bytes of its disk for this process. */
export function diskMetrics(registry: Registry, directory: string, refusesWrites: () => boolean): void {
  const labels = {};
  const writable = 'Whether the data directory takes writes (1), or writes are refused (0).';
  computed(registry, 'flagship_data_directory_writable', writable, () => [{ labels, value: refusesWrites() ? 0 : 1 }], {
    aggregator: 'max',
  });
  const free = async (): Promise<{ labels: SeriesLabels; value: number }[]> => {
    const found = await statfs(directory).catch(() => undefined);
    return found === undefined ? [] : [{ labels, value: found.bavail * found.bsize }];
  };
  computed(registry, 'flagship_data_directory_free_bytes', 'Free bytes on the disk of the data directory.', free, {
    aggregator: 'max',
  });
}
