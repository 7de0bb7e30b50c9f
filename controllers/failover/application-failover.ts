import type { Clock } from '../../lib/clock.js';
import { ExpectedError } from '../../lib/logging/cause.js';
import { cloneJson } from '../../lib/json/clone.js';
import { deepEqual } from '../../lib/json/equality.js';
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
import { evictionOf, type FailoverGates, overdue, unhealthyClusters, unrecoveredClusters } from './failover.js';
import { noteTimes, type UnhealthySince, unhealthyTimes } from './unhealthy-since.js';
import { reportFailedEviction } from '../eviction/report.js';

interface ApplicationFailoverOptions {
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
    if (!binding || binding.metadata.deletionTimestamp) return undefined;
    const behavior = binding.spec.failover?.application;
    const concerns = behavior && this.#concerns(binding);
    const now = this.#clock.now();
    const unhealthy = concerns ? unhealthyClusters(binding) : [];
    const since = unhealthyTimes(binding, unhealthy, concerns ? unrecoveredClusters(binding) : [], now);
    const { tolerationSeconds = defaultTolerationSeconds } = behavior?.decisionConditions ?? {};
    const current = new Map([...since].filter(([cluster]) => unhealthy.includes(cluster)));
    const { evict, againAfter } = overdue(current, now, tolerationSeconds * 1000);
    await this.#write(binding, evict, since);
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

  /**
   * Evicts the clusters from the binding, and notes since when the others are unhealthy, among them those that cannot be evicted yet. Writes the version
   * that was evaluated, so that a conflict causes a new reconcile.
   */
  async #write(binding: Binding, overdue: readonly string[], since: UnhealthySince): Promise<void> {
    const draft = cloneJson(binding);
    const { evicted, failure } = this.#evict(binding, draft, overdue);
    noteTimes(draft, new Map([...since].filter(([cluster]) => !evicted.includes(cluster))));
    await this.#update(binding, draft, evicted);
    if (failure) throw failure;
  }

  /** Evicts the clusters from the draft. Returns those that are evicted, and why another one cannot be. */
  #evict(
    binding: Binding,
    draft: Binding,
    clusters: readonly string[],
  ): { readonly evicted: readonly string[]; readonly failure: ExpectedError | undefined } {
    const behavior = binding.spec.failover?.application;
    const evicted: string[] = [];
    let failure: ExpectedError | undefined;
    if (!behavior) return { evicted, failure };
    for (const cluster of clusters)
      try {
        evictCluster(draft.spec, cluster, evictionOf(binding, cluster, behavior, this.#name, this.#options.gates));
        evicted.push(cluster);
      } catch (error) {
        if (!(error instanceof ExpectedError)) throw error;
        failure ??= error;
      }
    return { evicted, failure };
  }

  async #update(binding: Binding, draft: Binding, evicted: readonly string[]): Promise<void> {
    if (evicted.length === 0 && deepEqual(draft.metadata.annotations, binding.metadata.annotations)) return;
    try {
      await this.#client.update(this.#resource, draft);
    } catch (error) {
      if (!isLostRace(error)) for (const cluster of evicted) reportFailedEviction(this.#recorder, draft, cluster);
      throw error;
    }
  }
}

/**
 * Evicts an application from clusters where it has been unhealthy for longer than tolerated. The times are in the bindings, so they go on after a
 * restart. as pkg/controllers/applicationfailover RBApplicationFailoverController
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
