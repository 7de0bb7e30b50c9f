import type { Clock } from '../../lib/clock.js';
import { cloneJson } from '../../lib/json/clone.js';
import type { GroupVersionResource } from '../../apimachinery/interface.js';
import type { Binding, Cluster, PurgeMode } from '../../api/karmada/types.js';
import type { Client } from '../../client/interface.js';
import { isLostRace } from '../../client/runtime/failures.js';
import type {
  ControllerContext,
  EventRecorder,
  Informer,
  Key,
  ReconcileResult,
  WorkQueue,
} from '../../client/runtime/interface.js';
import { observed } from '../../client/runtime/meter.js';
import { isClusterReady } from '../../kinds/karmada/conditions.js';
import { evictCluster } from '../eviction/evict.js';
import { reportFailedEviction } from '../eviction/report.js';
import type { EvictionPace } from './disruption.js';
import { bindingOfEviction, clusterOfEviction, evictionKey } from './eviction-key.js';
import { EvictionPacer } from './eviction-pacer.js';
import type { ObservedQueue, ObserveEviction } from './eviction-series.js';
import { type FailoverGates, taintEvictionOf } from './failover.js';
import { appliedTolerations, noExecuteTaints, returnedAt, leftToleratedMs } from './tolerations.js';

export interface EvictionOptions {
  /** Value of `--no-execute-taint-eviction-purge-mode`. */
  readonly purgeMode: PurgeMode;
  readonly gates: Pick<FailoverGates, 'StatefulFailoverInjection'>;
  /** Milliseconds that a cluster which answers needs to be ready again. */
  readonly recoveryMs: number;
}

/** What the evictions of both kinds of binding share. */
export interface EvictionDeps {
  readonly context: ControllerContext;
  readonly clusters: Informer<Cluster>;
  readonly recorder: EventRecorder;
  readonly options: EvictionOptions;
}

/** Evicts one kind of binding from clusters with NoExecute taints. A key is a binding in a cluster. */
export class Evictions implements ObservedQueue {
  readonly name: string;
  readonly kind: string;
  readonly bindings: Informer<Binding>;
  readonly #resource: GroupVersionResource;
  readonly #clusters: Informer<Cluster>;
  readonly #recorder: EventRecorder;
  readonly #options: EvictionOptions;
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #pacer: EvictionPacer;
  /** Until then, clusters that are not ready may just not have been looked at since the start. */
  readonly #settledAt: number;
  #queue: Pick<WorkQueue, 'add'> | undefined;
  observe: ObserveEviction = () => undefined;

  constructor(
    { name, kind, resource }: { readonly name: string; readonly kind: string; readonly resource: GroupVersionResource },
    bindings: Informer<Binding>,
    { context, clusters, recorder, options }: EvictionDeps,
  ) {
    this.name = name;
    this.kind = kind;
    this.bindings = bindings;
    this.#resource = resource;
    this.#clusters = clusters;
    this.#recorder = recorder;
    this.#options = options;
    this.#client = context.client;
    this.#clock = context.clock;
    this.#settledAt = context.clock.now() + options.recoveryMs;
    this.#pacer = new EvictionPacer(context.clock, key => this.#queue?.add(key));
    context.signal.addEventListener('abort', () => this.#pacer.close(), { once: true });
  }

  get depth(): number {
    return this.#pacer.depth;
  }

  readonly due = (): Iterable<Key> => this.#pacer.due();

  setPace(pace: EvictionPace): void {
    this.#pacer.setPace(pace);
  }

  /** `tainted` has the names of the clusters with NoExecute taints. Without any, changes of bindings cost nothing. */
  wire(queue: Pick<WorkQueue, 'add'>, tainted: ReadonlySet<string>): void {
    this.#queue = queue;
    this.bindings.onChange(({ key, oldCached, newCached }) => {
      if (tainted.size === 0) return;
      for (const state of [oldCached, newCached])
        for (const { name } of state?.object.spec.clusters ?? []) if (tainted.has(name)) this.add(name, key);
    });
  }

  add(cluster: string, binding: Key): void {
    this.#queue?.add(evictionKey(cluster, binding));
  }

  async reconcile(key: Key): Promise<ReconcileResult> {
    const cluster = clusterOfEviction(key);
    const binding = this.bindings.get(bindingOfEviction(key));
    const left = binding ? this.#leftMs(binding, cluster) : Infinity;
    if (!binding || left > 0) {
      this.#pacer.withdraw(key);
      return left === Infinity ? undefined : { againAfter: left };
    }
    if (!this.#pacer.mayEvict(key)) return undefined;
    await observed(() => this.#evict(binding, cluster), this.observe);
    this.#pacer.evicted(key);
    return undefined;
  }

  /** Returns the milliseconds until the binding must leave the cluster; Infinity if it may stay, or does not target the cluster. */
  #leftMs(binding: Binding, name: string): number {
    const cluster = this.#clusters.get(name);
    const taints = noExecuteTaints(cluster);
    if (!cluster || taints.length === 0) return Infinity;
    const { metadata, spec } = binding;
    if (metadata.deletionTimestamp || !spec.clusters?.some(target => target.name === name)) return Infinity;
    const tolerations = appliedTolerations(binding);
    if (!tolerations) return Infinity;
    const now = this.#clock.now();
    const left = leftToleratedMs(taints, tolerations, now);
    return Math.max(left, this.#settledAtOf(cluster, now) - now);
  }

  /** Returns until when the taints of a cluster may be outdated, since it may have returned. */
  #settledAtOf(cluster: Cluster, now: number): number {
    // A cluster that failed while no controller ran is observed after the start.
    if (!isClusterReady(cluster)) return this.#settledAt;
    return returnedAt(cluster, now) + this.#options.recoveryMs;
  }

  /** Writes the version that was evaluated, so that a conflict causes a new reconcile. */
  async #evict(binding: Binding, cluster: string): Promise<void> {
    const { purgeMode, gates } = this.#options;
    const draft = cloneJson(binding);
    evictCluster(draft.spec, cluster, taintEvictionOf(binding, cluster, purgeMode, gates));
    try {
      await this.#client.update(this.#resource, draft);
    } catch (error) {
      if (!isLostRace(error)) reportFailedEviction(this.#recorder, binding, cluster);
      throw error;
    }
  }

  /** Returns the keys of the bindings that target a cluster. */
  targeting(cluster: string): readonly Key[] {
    return [...this.bindings.keysByIndex('target', cluster)];
  }
}
