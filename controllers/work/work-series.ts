import { type Counter, exponential, type Meter, type ReconcileOutcome } from '../../client/runtime/meter.js';

/** Metrics of Works and of objects in members. as karmada/pkg/metrics/resource.go */
export interface WorkSeries {
  /** Records that the Works of a binding were written, and the seconds that it took. */
  readonly bound: (result: ReconcileOutcome, seconds: number) => void;
  /** Records that a Work was applied to its cluster, and the seconds that it took. */
  readonly synced: (result: ReconcileOutcome, seconds: number) => void;
  readonly member: MemberSeries;
}

/** Counts writes to members. `about` is the manifest of the object. */
export interface MemberSeries {
  created(result: ReconcileOutcome, about: About, cluster: string): void;
  updated(result: ReconcileOutcome, about: About, cluster: string, outcome: 'none' | 'unchanged' | 'updated'): void;
  deleted(result: ReconcileOutcome, about: About, cluster: string): void;
}

interface About {
  readonly apiVersion: string;
  readonly kind: string;
}

const syncSeconds = exponential(0.001, 2, 12);

/** Returns the series of Works, with the names of Karmada. as pkg/metrics/resource.go */
export function workSeries(meter: Meter): WorkSeries {
  const bound = meter.histogram(
    'binding_sync_work_duration_seconds',
    'Seconds until a binding has its Works, by result.',
    ['result'],
    syncSeconds,
  );
  const synced = meter.histogram(
    'work_sync_workload_duration_seconds',
    'Seconds until a Work has its objects in its member cluster, by result.',
    ['result'],
    syncSeconds,
  );
  const object = ['result', 'apiversion', 'kind', 'member_cluster'];
  const created = meter.counter('create_resource_to_cluster', 'Objects created in member clusters.', [
    ...object,
    'recreate',
  ]);
  const updated = meter.counter('update_resource_to_cluster', 'Objects updated in member clusters.', [
    ...object,
    'operationResult',
  ]);
  const deleted = meter.counter('delete_resource_from_cluster', 'Objects deleted in member clusters.', object);
  const count = (series: Counter): void => series.inc();
  return {
    bound: (result, seconds) => bound(result).observe(seconds),
    synced: (result, seconds) => synced(result).observe(seconds),
    member: {
      created: (result, { apiVersion, kind }, cluster) => count(created(result, apiVersion, kind, cluster, 'false')),
      updated: (result, { apiVersion, kind }, cluster, outcome) =>
        count(updated(result, apiVersion, kind, cluster, outcome)),
      deleted: (result, { apiVersion, kind }, cluster) => count(deleted(result, apiVersion, kind, cluster)),
    },
  };
}
