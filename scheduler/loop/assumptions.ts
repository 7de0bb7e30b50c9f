import type { Clock } from '../../lib/clock.js';
import { keyOf } from '../../client/key.js';
import type { Key, ObjectChange } from '../../client/runtime/interface.js';
import type { Binding, BindingSpec, BindingStatus, Component, TargetCluster } from '../../api/karmada/types.js';
import { isWorkload } from '../../kinds/karmada/workload.js';
import { ClusterLoad } from '../estimate/cluster-load.js';
import type { AssumedLoad, AssumedWorkload } from '../interface.js';

/** Milliseconds for which a decision counts if its workload does not become healthy. */
const ttlMs = 300_000;
const collectEveryMs = 60_000;

interface Assumed {
  /** By cluster. */
  readonly workloads: ReadonlyMap<string, AssumedWorkload>;
  /** Milliseconds. */
  readonly expires: number;
}

/** What is assumed in one cluster. */
interface ClusterAssumptions {
  readonly load: ClusterLoad;
  readonly bindings: Map<Key, Assumed>;
  /** None expires before this time in milliseconds. */
  earliest: number;
  /** When the last one was added, by the count of all that were. */
  addedAt: number;
}

/**
 * What recent decisions have given to clusters, until it is healthy there: clusters do not report it as used yet, so the next decisions must count it
 * (gate SchedulingOvercommitProtection). Entries are limited to the bindings that were scheduled within five minutes.
 * as pkg/scheduler/cache AssigningResourceBindingCache
 */
export class Assumptions {
  readonly #clock: Pick<Clock, 'now' | 'sleep'>;
  readonly #bindings = new Map<Key, Assumed>();
  /** The assumptions by cluster, with their sums, so that an estimate reads only those of its cluster. */
  readonly #clusters = new Map<string, ClusterAssumptions>();
  #added = 0;

  constructor(clock: Pick<Clock, 'now' | 'sleep'>) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#bindings.size;
  }

  /** The number of decisions that were assumed so far: the present point in their order. */
  get added(): number {
    return this.#added;
  }

  /** Adds the targets that a binding has got: all of its replicas count in each. Returns a function that takes that back. */
  assume(binding: Binding, targets: readonly TargetCluster[]): () => void {
    if (!isWorkload(binding.spec)) return () => undefined;
    const key = keyOf(binding);
    const before = this.#bindings.get(key);
    const workloads = new Map(targets.map(target => [target.name, workloadOn(target, binding.spec)]));
    const made: Assumed = { workloads, expires: this.#clock.now() + ttlMs };
    this.#set(key, made);
    return () => {
      if (this.#bindings.get(key) === made) this.#set(key, before);
    };
  }

  /** Returns what is assumed in a cluster; undefined for nothing. */
  readonly of = (cluster: string): AssumedLoad | undefined => {
    const known = this.#clusters.get(cluster);
    if (known && this.#clock.now() > known.earliest) this.#dropExpired(cluster, known);
    return known && !known.load.isEmpty ? known.load : undefined;
  };

  /** Reports whether a cluster was given anything since that point. */
  isFuller(cluster: string, since: number): boolean {
    return (this.#clusters.get(cluster)?.addedAt ?? 0) > since;
  }

  /** Applies a change of the mirror: a binding that is deleted, or has become healthy in a cluster, does not count there any longer. */
  changed(change: ObjectChange<Binding>): void {
    const assumed = this.#bindings.get(change.key);
    if (!assumed) return;
    const { old, new: binding } = change;
    if (!binding) return this.#set(change.key, undefined);
    const healthy = newlyHealthy(old?.status ?? {}, binding.status ?? {});
    if (!healthy.some(cluster => assumed.workloads.has(cluster))) return;
    const workloads = new Map([...assumed.workloads].filter(([cluster]) => !healthy.includes(cluster)));
    this.#removeFrom(change.key, assumed, healthy);
    if (workloads.size > 0) this.#replace(change.key, { ...assumed, workloads });
    else this.#bindings.delete(change.key);
  }

  /** Drops expired entries every minute until the signal aborts. */
  async collect(signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.#clock.sleep(collectEveryMs, signal);
      if (signal.aborted) return;
      const now = this.#clock.now();
      for (const [key, { expires }] of this.#bindings) if (now > expires) this.#set(key, undefined);
    }
  }

  #set(key: Key, assumed: Assumed | undefined): void {
    const before = this.#bindings.get(key);
    if (before) this.#removeFrom(key, before, before.workloads.keys());
    if (!assumed) return void this.#bindings.delete(key);
    this.#bindings.set(key, assumed);
    this.#added++;
    for (const [cluster, workload] of assumed.workloads) {
      let known = this.#clusters.get(cluster);
      if (!known) {
        known = { load: new ClusterLoad(), bindings: new Map<Key, Assumed>(), earliest: Infinity, addedAt: 0 };
        this.#clusters.set(cluster, known);
      }
      known.load.add(workload);
      known.bindings.set(key, assumed);
      known.earliest = Math.min(known.earliest, assumed.expires);
      known.addedAt = this.#added;
    }
  }

  /** Replaces an entry by one that has only some of its clusters, in which nothing changes. */
  #replace(key: Key, assumed: Assumed): void {
    this.#bindings.set(key, assumed);
    for (const cluster of assumed.workloads.keys()) this.#clusters.get(cluster)?.bindings.set(key, assumed);
  }

  #removeFrom(key: Key, { workloads }: Assumed, clusters: Iterable<string>): void {
    for (const cluster of clusters) {
      const [known, workload] = [this.#clusters.get(cluster), workloads.get(cluster)];
      if (!known || !workload) continue;
      known.bindings.delete(key);
      known.load.remove(workload);
      if (known.bindings.size === 0) this.#clusters.delete(cluster);
    }
  }

  /** Takes what has expired out of a cluster. The entries themselves are collected later. */
  #dropExpired(cluster: string, known: ClusterAssumptions): void {
    const now = this.#clock.now();
    known.earliest = Infinity;
    for (const [key, assumed] of known.bindings) {
      if (now > assumed.expires) this.#removeFrom(key, assumed, [cluster]);
      else known.earliest = Math.min(known.earliest, assumed.expires);
    }
  }
}

/**
 * Returns the workload of one target. The replicas of a workload without components are one component. as pkg/scheduler
 * Scheduler.updateAssumptionsCache
 */
function workloadOn({ replicas = 0 }: TargetCluster, spec: BindingSpec): AssumedWorkload {
  const { namespace = '', name } = spec.resource;
  if (spec.components?.length) return { namespace, components: spec.components };
  const { replicaRequirements } = spec;
  const component: Component = { name, replicas, ...(replicaRequirements && { replicaRequirements }) };
  return { namespace, components: [component] };
}

function newlyHealthy(old: BindingStatus, status: BindingStatus): readonly string[] {
  const healthy = ({ aggregatedStatus = [] }: BindingStatus): string[] =>
    aggregatedStatus.filter(({ health }) => health === 'Healthy').map(({ clusterName }) => clusterName);
  const before = new Set(healthy(old));
  return healthy(status).filter(cluster => !before.has(cluster));
}
