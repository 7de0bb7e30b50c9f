import type { Clock } from '../../lib/clock.js';
import { cloneJson } from '../../lib/json/clone.js';
import { parseApiVersion } from '../../apimachinery/meta/gvk.js';
import type { GroupVersionResource } from '../../apimachinery/interface.js';
import type { Client } from '../../client/interface.js';
import type { Binding } from '../../api/karmada/types.js';
import { resources } from '../../api/karmada/well-known.js';
import type { Interpreter } from '../interpreter/interface.js';
import { keyOf } from '../../client/key.js';
import type {
  ControllerContext,
  EventRecorder,
  Informer,
  Key,
  ReconcileResult,
  WorkQueue,
} from '../../client/runtime/interface.js';
import { isLostRace } from '../../client/runtime/failures.js';
import { evictCluster } from '../eviction/evict.js';
import { type ApplicationBehavior, evictionOf, type FailoverGates, overdue, unhealthyClusters } from './failover.js';
import { reportFailedEviction } from '../eviction/report.js';

export interface ApplicationFailoverOptions {
  readonly interpreter: Interpreter;
  readonly gates: FailoverGates;
}

const defaultTolerationSeconds = 300;

/** Evicts the applications of one kind of binding. */
class ApplicationFailover {
  readonly #bindings: Informer<Binding>;
  readonly #name: string;
  readonly #resource: GroupVersionResource;
  readonly #options: ApplicationFailoverOptions;
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #recorder: EventRecorder;
  /** Times since when the clusters of a binding have been unhealthy, in milliseconds since the epoch. */
  readonly #unhealthySince = new Map<Key, ReadonlyMap<string, number>>();

  /** `name` is that of the controller; it stands in the eviction tasks as their producer. */
  constructor(
    name: string,
    resource: GroupVersionResource,
    { client, clock, informers, recorder }: ControllerContext,
    options: ApplicationFailoverOptions,
  ) {
    this.#name = name;
    this.#resource = resource;
    this.#options = options;
    this.#client = client;
    this.#clock = clock;
    this.#recorder = recorder(name);
    this.#bindings = informers.informer<Binding>(resource);
  }

  get synced(): readonly Promise<void>[] {
    return [this.#bindings.synced];
  }

  wire(queue: WorkQueue): void {
    this.#bindings.onChange(({ old, new: binding }) => {
      const state = binding ?? old;
      if (state && (old?.spec.failover?.application ?? binding?.spec.failover?.application)) queue.add(keyOf(state));
    });
  }

  async reconcile(key: Key): Promise<ReconcileResult> {
    const binding = this.#bindings.get(key);
    const behavior = binding?.spec.failover?.application;
    if (!binding || !behavior || binding.metadata.deletionTimestamp || !this.#concerns(binding)) {
      this.#unhealthySince.delete(key);
      return undefined;
    }
    const now = this.#clock.now();
    const unhealthy = unhealthyClusters(binding);
    const since = this.#observed(key, unhealthy, now);
    const { tolerationSeconds = defaultTolerationSeconds } = behavior.decisionConditions;
    const { evict, againAfter } = overdue(unhealthy, since, now, tolerationSeconds * 1000);
    await this.#evict(binding, evict, behavior);
    return againAfter === undefined ? undefined : { againAfter };
  }

  /** Reports whether failover applies. A namespaced application must propagate its dependencies, so that they move with it. */
  #concerns({ metadata, spec, status }: Binding): boolean {
    const kind = { ...parseApiVersion(spec.resource.apiVersion), kind: spec.resource.kind };
    return (
      (Boolean(spec.propagateDeps) || !metadata.namespace) &&
      Boolean(status?.aggregatedStatus?.length) &&
      this.#options.interpreter.has(kind, 'InterpretHealth')
    );
  }

  /** Returns the times since when clusters are unhealthy. The time starts again for one that was healthy, unknown or gone meanwhile. */
  #observed(key: Key, unhealthy: readonly string[], now: number): ReadonlyMap<string, number> {
    const before = this.#unhealthySince.get(key);
    const since = new Map(unhealthy.map(cluster => [cluster, before?.get(cluster) ?? now]));
    this.#unhealthySince.set(key, since);
    return since;
  }

  /** Evicts the clusters that are targets of the binding. Writes the version that was evaluated, so that a conflict causes a new reconcile. */
  async #evict(binding: Binding, clusters: readonly string[], behavior: ApplicationBehavior): Promise<void> {
    const present = clusters.filter(cluster => binding.spec.clusters?.some(target => target.name === cluster));
    if (present.length === 0) return;
    const draft = cloneJson(binding);
    for (const cluster of present)
      evictCluster(draft.spec, cluster, evictionOf(binding, cluster, behavior, this.#name, this.#options.gates));
    try {
      await this.#client.update(this.#resource, draft);
    } catch (error) {
      if (!isLostRace(error)) for (const cluster of present) reportFailedEviction(this.#recorder, draft, cluster);
      throw error;
    }
  }
}

/**
 * Evicts an application from clusters where it has been unhealthy for longer than tolerated. The time is counted in memory, so it
 * starts again after a restart. as pkg/controllers/applicationfailover RBApplicationFailoverController
 */
export function startApplicationFailover(context: ControllerContext, options: ApplicationFailoverOptions): void {
  for (const [name, resource] of [
    ['resource-binding-application-failover-controller', resources.resourceBindings],
    ['cluster-resource-binding-application-failover-controller', resources.clusterResourceBindings],
  ] as const) {
    const failover = new ApplicationFailover(name, resource, context, options);
    context.run({
      name,
      synced: failover.synced,
      wire: queue => failover.wire(queue),
      reconcile: key => failover.reconcile(key),
    });
  }
}
