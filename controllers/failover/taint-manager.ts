import { deepEqual } from '../../lib/json/equality.js';
import { eachInTurns } from '../../lib/time-slice.js';
import type { Binding, Cluster } from '../../api/karmada/types.js';
import { resources } from '../../api/karmada/well-known.js';
import type { ControllerContext, Informer, Key, WorkQueue } from '../../client/runtime/interface.js';
import { findCondition } from '../../kinds/karmada/conditions.js';
import { targetIndexers } from '../eviction/targets.js';
import { type EvictionRates, evictionPace } from './disruption.js';
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

/** Wakes the evictions when the taints of a cluster or the number of failed clusters change. */
class TaintManager {
  readonly evictions: readonly Evictions[];
  readonly clusters: Informer<Cluster>;
  readonly #rates: EvictionRates;
  readonly #recoveryMs: number;
  readonly #context: ControllerContext;
  readonly tainted = new Set<string>();

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
    this.clusters.onChange(({ key, old, new: cluster }) => {
      const [before, after] = [noExecuteTaints(old), noExecuteTaints(cluster)];
      if (after.length > 0) this.tainted.add(key);
      else this.tainted.delete(key);
      if (!deepEqual(before, after)) queue.add(key);
      if (this.clusters.hasSynced && readiness(old) !== readiness(cluster)) this.setPace();
    });
  }

  /** Called when the informers have synced: with a part of the clusters, all of them could seem to have failed. */
  setPace(): void {
    const pace = evictionPace(this.clusters.list(), this.#rates, this.#recoveryMs, this.#context.clock.now());
    for (const evictions of this.evictions) evictions.setPace(pace);
  }

  /** Wakes all bindings that target a cluster, without parsing them. */
  async reconcile(cluster: Key): Promise<void> {
    for (const evictions of this.evictions)
      await eachInTurns(evictions.targeting(cluster), binding => evictions.add(cluster, binding));
  }
}

/** Returns what decides whether a cluster counts as failed, and since when. */
function readiness(cluster: Cluster | undefined): string {
  const ready = findCondition(cluster?.status?.conditions, 'Ready');
  return ready && !cluster?.metadata.deletionTimestamp ? `${ready.status} ${ready.lastTransitionTime}` : '';
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
      reconcile: key => evictions.reconcile(key),
    });
  });
  context.run({
    name: controllerName,
    synced: manager.synced,
    wire: queue => manager.wire(queue),
    reconcile: cluster => manager.reconcile(cluster),
  });
  void Promise.all(manager.synced).then(() => manager.setPace());
}
