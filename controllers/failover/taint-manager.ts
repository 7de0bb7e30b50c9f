import { deepEqual } from '../../lib/json/equality.js';
import { eachInTurns } from '../../lib/time-slice.js';
import type { Binding, Cluster, Taint } from '../../api/karmada/types.js';
import { resources } from '../../api/karmada/well-known.js';
import type { ControllerContext, Informer, Key, WorkQueue } from '../../client/runtime/interface.js';
import { targetIndexers } from '../eviction/targets.js';
import { type EvictionRates, evictionPace, type Readiness, readinessOf } from './disruption.js';
import { evictionSeries } from './eviction-series.js';
import { type EvictionDeps, type EvictionOptions, Evictions } from './evictions.js';
import { noExecuteTaints } from './tolerations.js';

export interface TaintManagerOptions extends EvictionOptions {
  readonly rates: EvictionRates;
}

const kinds = [
  { name: 'binding-eviction', kind: 'ResourceBinding', resource: resources.resourceBindings },
  { name: 'cluster-binding-eviction', kind: 'ClusterResourceBinding', resource: resources.clusterResourceBindings },
] as const;

/** The workers of one eviction queue. More would not be faster, since evictions are paced. as app startClusterController */
const workers = 3;

const controllerName = 'taint-manager';

/** What evictions need to know of a cluster. It is kept, since a change of one of thousands of clusters must not parse all of them. */
interface ClusterState {
  /** undefined for a cluster that does not count. */
  readonly readiness: Readiness | undefined;
  /** Its NoExecute taints. */
  readonly taints: readonly Taint[];
}

const absent: ClusterState = { readiness: undefined, taints: [] };

/** Wakes the evictions when the taints of a cluster or the number of failed clusters change. */
class TaintManager {
  readonly evictions: readonly Evictions[];
  readonly clusters: Informer<Cluster>;
  readonly #rates: EvictionRates;
  readonly #recoveryMs: number;
  readonly #context: ControllerContext;
  /** The names of the clusters with NoExecute taints. */
  readonly tainted = new Set<string>();
  readonly #states = new Map<Key, ClusterState>();
  /** The readiness of clusters has changed since the pace was computed. */
  #isPaceOld = true;
  #willUpdatePace = false;

  constructor(context: ControllerContext, options: TaintManagerOptions) {
    const { informers, recorder } = context;
    this.#context = context;
    this.#rates = options.rates;
    this.#recoveryMs = options.recoveryMs;
    this.clusters = informers.informer<Cluster>(resources.clusters);
    const deps: EvictionDeps = { context, clusters: this.clusters, recorder: recorder(controllerName), options };
    this.evictions = kinds.map(
      of => new Evictions(of, informers.informer<Binding>(of.resource, { indexers: targetIndexers }), deps),
    );
  }

  get synced(): readonly Promise<void>[] {
    return [this.clusters.synced, ...this.evictions.map(({ bindings }) => bindings.synced)];
  }

  wire(queue: WorkQueue): void {
    this.clusters.onChange(({ key, new: cluster }) => {
      const before = this.#states.get(key) ?? absent;
      const after = { readiness: readinessOf(cluster), taints: noExecuteTaints(cluster) };
      if (cluster) this.#states.set(key, after);
      else this.#states.delete(key);
      if (after.taints.length > 0) this.tainted.add(key);
      else this.tainted.delete(key);
      if (!deepEqual(before.taints, after.taints)) queue.add(key);
      if (!deepEqual(before.readiness, after.readiness)) this.#repaceLater();
    });
    void Promise.all(this.synced).then(() => this.updatePace());
  }

  /** Computes the pace once for all changes of a turn of the event loop. */
  #repaceLater(): void {
    this.#isPaceOld = true;
    if (this.#willUpdatePace) return;
    this.#willUpdatePace = true;
    setImmediate(() => {
      this.#willUpdatePace = false;
      this.updatePace();
    });
  }

  /** To be called before an eviction is decided. */
  updatePace(): void {
    // With a part of the clusters, all of them could seem to have failed.
    if (!this.#isPaceOld || !this.clusters.hasSynced) return;
    this.#isPaceOld = false;
    const known = [...this.#states.values()].flatMap(({ readiness }) => readiness ?? []);
    const pace = evictionPace(known, this.#rates, this.#recoveryMs, this.#context.clock.now());
    for (const evictions of this.evictions) evictions.setPace(pace);
  }

  /** Wakes all bindings that target a cluster, without parsing them. */
  async reconcile(cluster: Key): Promise<void> {
    for (const evictions of this.evictions)
      await eachInTurns(evictions.targeting(cluster), binding => evictions.add(cluster, binding));
  }
}

/**
 * Evicts workloads from clusters with NoExecute taints that they do not tolerate (any more). All that it counts with is in the objects, so that it
 * continues after a restart where it was. as pkg/controllers/cluster NoExecuteTaintManager
 */
export function startTaintManager(context: ControllerContext, options: TaintManagerOptions): void {
  const manager = new TaintManager(context, options);
  const observers = evictionSeries(context.meter, manager.evictions);
  manager.evictions.forEach((evictions, i) => {
    evictions.observe = observers[i] ?? evictions.observe;
    context.run({
      name: evictions.name,
      workers,
      synced: manager.synced,
      wire: queue => evictions.wire(queue, manager.tainted),
      reconcile(key) {
        manager.updatePace();
        return evictions.reconcile(key);
      },
    });
  });
  context.run({
    name: controllerName,
    synced: manager.synced,
    wire: queue => manager.wire(queue),
    reconcile: cluster => manager.reconcile(cluster),
  });
}
