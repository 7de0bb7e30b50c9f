import type { Clock } from '../../lib/clock.js';
import { keyOf } from '../../client/key.js';
import type { Key, ObjectChange } from '../../client/runtime/interface.js';
import type { Binding, BindingSpec, BindingStatus, Component, TargetCluster } from '../../api/karmada/types.js';
import { isWorkload } from '../../kinds/karmada/workload.js';
import type { AssumedWorkload } from '../interface.js';

/** Milliseconds for which a decision counts if its workload does not become healthy. */
const ttlMs = 300_000;
const collectEveryMs = 60_000;

interface Assumed {
  /** By cluster. */
  readonly workloads: ReadonlyMap<string, AssumedWorkload>;
  /** Milliseconds. */
  readonly expires: number;
}

/**
 * What recent decisions have given to clusters, until it is healthy there: clusters do not report it as used yet, so the next decisions must count it
 * (gate SchedulingOvercommitProtection). Entries are limited to the bindings that were scheduled within five minutes.
 * as pkg/scheduler/cache AssigningResourceBindingCache
 */
export class Assumptions {
  readonly #clock: Pick<Clock, 'now' | 'sleep'>;
  readonly #bindings = new Map<Key, Assumed>();
  /** The same by cluster, so that an estimate visits only those of its cluster. */
  readonly #clusters = new Map<string, Map<Key, Assumed>>();

  constructor(clock: Pick<Clock, 'now' | 'sleep'>) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#bindings.size;
  }

  /** A binding has got targets: all of its replicas count in each. Returns a function that takes that back. */
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

  /** Returns what is assumed in a cluster. */
  readonly of = (cluster: string): readonly AssumedWorkload[] => {
    const found: AssumedWorkload[] = [];
    const now = this.#clock.now();
    for (const { workloads, expires } of this.#clusters.get(cluster)?.values() ?? []) {
      const workload = workloads.get(cluster);
      if (workload && now <= expires) found.push(workload);
    }
    return found;
  };

  /** The mirror has changed: what is deleted, or has become healthy in a cluster, does not count any longer. */
  changed(change: ObjectChange<Binding>): void {
    const assumed = this.#bindings.get(change.key);
    if (!assumed) return;
    const { old, new: binding } = change;
    if (!binding) return this.#set(change.key, undefined);
    const healthy = newlyHealthy(old?.status ?? {}, binding.status ?? {});
    if (!healthy.some(cluster => assumed.workloads.has(cluster))) return;
    const workloads = new Map([...assumed.workloads].filter(([cluster]) => !healthy.includes(cluster)));
    this.#set(change.key, workloads.size > 0 ? { ...assumed, workloads } : undefined);
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
    for (const cluster of this.#bindings.get(key)?.workloads.keys() ?? []) {
      const keys = this.#clusters.get(cluster);
      keys?.delete(key);
      if (keys?.size === 0) this.#clusters.delete(cluster);
    }
    if (!assumed) return void this.#bindings.delete(key);
    this.#bindings.set(key, assumed);
    for (const cluster of assumed.workloads.keys()) {
      const keys = this.#clusters.get(cluster);
      if (keys) keys.set(key, assumed);
      else this.#clusters.set(cluster, new Map([[key, assumed]]));
    }
  }
}

/** Returns the workload of one target. The replicas of a workload without components are one component. as pkg/scheduler Scheduler.updateAssumptionsCache */
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
