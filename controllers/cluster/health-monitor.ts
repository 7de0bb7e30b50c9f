import { deepEqual } from '../../lib/json/equality.js';
import type { Cluster, Condition } from '../../api/karmada/types.js';
import { namespaces, resources } from '../../api/karmada/well-known.js';
import type { Lease } from '../../api/kubernetes/coordination.js';
import { leases } from '../../api/kubernetes/resources.js';
import { type NewCondition, putConditions } from '../../client/runtime/conditions.js';
import type { ControllerContext, Informer, Key, ReconcileResult, WorkQueue } from '../../client/runtime/interface.js';
import { findCondition } from '../../kinds/karmada/conditions.js';

/** All in milliseconds. */
export interface HealthMonitorOptions {
  /** Minimum time between two checks of a cluster. */
  readonly periodMs: number;
  /** Time without a sign of life after which a cluster counts as unreachable. */
  readonly graceMs: number;
  /** Time without a sign of life for a cluster whose agent has never written a status, counted from the creation of the Cluster. */
  readonly startupGraceMs: number;
}

/** The defaults of karmada-controller-manager. */
const defaults: HealthMonitorOptions = { periodMs: 5_000, graceMs: 40_000, startupGraceMs: 60_000 };

const unknown = (reason: string, message: string): NewCondition => ({
  ...{ type: 'Ready', status: 'Unknown', reason, message },
});
const neverUpdated = unknown('ClusterStatusNeverUpdated', 'Cluster status controller never posted cluster status.');
const stoppedUpdating = unknown('ClusterStatusUnknown', 'Cluster status controller stopped posting cluster status.');

/** The last sign of life of a cluster: a renewed Lease, or a changed Ready condition. */
interface Health {
  ready: Condition | undefined;
  renewTime: string | undefined;
  /** Time of the sign of life by the clock of this process, in milliseconds since the epoch; clocks of agents are not trusted. */
  seenAt: number;
}

const readyOf = ({ status }: Cluster): Condition | undefined => findCondition(status?.conditions, 'Ready');
const isOurs = (condition: Condition | undefined): boolean =>
  condition?.reason === neverUpdated.reason || condition?.reason === stoppedUpdating.reason;

/** Watches the signs of life of clusters in pull mode. */
class HealthMonitor {
  readonly clusters: Informer<Cluster>;
  readonly leases: Informer<Lease>;
  readonly #context: ControllerContext;
  readonly #options: HealthMonitorOptions;
  readonly #healths = new Map<Key, Health>();

  constructor(context: ControllerContext, options: HealthMonitorOptions) {
    this.#context = context;
    this.#options = options;
    this.clusters = context.informers.informer<Cluster>(resources.clusters);
    this.leases = context.informers.informer<Lease>(leases, { namespace: namespaces.cluster });
  }

  wire(queue: WorkQueue): void {
    this.clusters.onChange(({ key, new: cluster }) => {
      if (!cluster || cluster.spec.syncMode === 'Push') return void this.#healths.delete(key);
      // The first status of an agent ends the longer grace period, for which the check may be waiting.
      const before = this.#healths.get(key);
      if (!before || (!before.ready && readyOf(cluster))) queue.add(key);
      this.#observe(key, cluster);
    });
    this.leases.onChange(({ new: lease }) => {
      const health = lease && this.#healths.get(lease.metadata.name ?? '');
      if (health) this.#renewed(health, lease);
    });
  }

  #observe(key: Key, cluster: Cluster): void {
    const ready = readyOf(cluster);
    const now = this.#context.clock.now();
    const health = this.#healths.get(key);
    if (!health) {
      const seenAt = ready ? now : Date.parse(String(cluster.metadata.creationTimestamp));
      const lease = this.leases.get(`${namespaces.cluster}/${key}`);
      const renewTime = lease?.spec?.renewTime;
      // A Lease counts even if no status was ever written. as pkg/controllers/cluster Controller.tryUpdateClusterHealth
      this.#healths.set(key, { ready, renewTime, seenAt: renewTime === undefined ? seenAt : now });
    } else if (!deepEqual(health.ready, ready)) {
      if (!isOurs(ready)) health.seenAt = now;
      health.ready = ready;
    }
  }

  /** differs: Karmada ignores a renewal with an earlier time, such as after a correction of the agent's clock. */
  #renewed(health: Health, { spec }: Lease): void {
    if (spec?.renewTime === undefined || spec.renewTime === health.renewTime) return;
    health.renewTime = spec.renewTime;
    health.seenAt = this.#context.clock.now();
  }

  async check(key: Key): Promise<ReconcileResult> {
    const { client, clock } = this.#context;
    const [cluster, health] = [this.clusters.get(key), this.#healths.get(key)];
    if (!cluster || !health) return undefined;
    const ready = readyOf(cluster);
    const { periodMs, graceMs, startupGraceMs } = this.#options;
    const left = health.seenAt + (ready ? graceMs : startupGraceMs) - clock.now();
    if (left >= 0) return { againAfter: Math.max(periodMs, left) };
    if (ready?.status !== 'Unknown') {
      const condition = ready ? stoppedUpdating : neverUpdated;
      await putConditions(client, resources.clusters, cluster, [condition], clock.now());
    }
    return { againAfter: periodMs };
  }
}

/**
 * Sets the condition Ready of a cluster in pull mode to Unknown when its agent is silent: it neither renews its Lease in `karmada-cluster` nor
 * changes the condition. as pkg/controllers/cluster Controller.monitorClusterHealth
 */
export function startHealthMonitor(context: ControllerContext, options: HealthMonitorOptions = defaults): void {
  const monitor = new HealthMonitor(context, options);
  context.run({
    name: 'cluster-health-monitor',
    synced: [monitor.clusters.synced, monitor.leases.synced],
    wire: queue => monitor.wire(queue),
    reconcile: key => monitor.check(key),
  });
}
