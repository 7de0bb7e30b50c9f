import { walk } from '../../client/runtime/walk.js';
import type { Informer, Key } from '../../client/runtime/interface.js';
import { type InSteps, inTimeSlices } from '../../lib/time-slice.js';
import { deepEqual } from '../../lib/json/equality.js';
import type { Binding, Cluster } from '../../api/karmada/types.js';
import type { ClusterHistory } from './concern.js';

/** States of one cluster that are kept apart until the bindings are checked. Later ones replace the last one. */
const maxStates = 8;

/** Reports whether a change of a cluster may change a decision, besides its resources. as pkg/scheduler Scheduler.updateCluster */
function isRelevant(old: Cluster, cluster: Cluster): boolean {
  const terminates = !old.metadata.deletionTimestamp && cluster.metadata.deletionTimestamp;
  if (terminates || old.metadata.generation !== cluster.metadata.generation) return true;
  if (!deepEqual(old.metadata.labels, cluster.metadata.labels)) return true;
  // differs: Karmada leaves bindings that wait for a kind in its unschedulable queue, for minutes.
  return !deepEqual(old.status?.apiEnablements, cluster.status?.apiEnablements);
}

interface Deps {
  readonly bindings: readonly Pick<Informer<Binding>, 'cached' | 'get'>[];
  readonly concerns: (history: ClusterHistory, binding: Binding) => InSteps<boolean>;
  /** Called at most once for each binding and walk. */
  readonly found: (binding: Binding) => void;
  readonly signal: AbortSignal;
}

/**
 * Finds the bindings that changes of clusters concern. There is one walk through the bindings at a time, for all clusters that have changed until it
 * began. So what waits is limited by the number of clusters, and what a change costs by the number of bindings.
 */
export class ClusterChanges {
  readonly #deps: Deps;
  /** The states of clusters that have changed, the oldest first. */
  #pending = new Map<Key, Cluster[]>();
  #walking = false;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** A cluster has changed. */
  changed(old: Cluster, cluster: Cluster): void {
    if (!isRelevant(old, cluster)) return;
    const name = cluster.metadata.name ?? '';
    const known = this.#pending.get(name);
    if (known) {
      if (known.length >= maxStates) known.pop();
      known.push(cluster);
    } else this.#pending.set(name, [old, cluster]);
    if (!this.#walking) void this.#walk();
  }

  async #walk(): Promise<void> {
    this.#walking = true;
    try {
      while (this.#pending.size > 0 && !this.#deps.signal.aborted) {
        const histories = [...this.#pending.values()].map(states => ({ states }));
        this.#pending = new Map();
        for (const informer of this.#deps.bindings)
          for await (const binding of walk(informer)) {
            if (this.#deps.signal.aborted) return;
            const concerned = inTimeSlices(isConcerned(binding, histories, this.#deps.concerns));
            if (concerned instanceof Promise ? await concerned : concerned) this.#deps.found(binding);
          }
      }
    } finally {
      this.#walking = false;
    }
  }
}

/** A binding may name fifty thousand clusters, and as many may have changed, so each change is a step. */
function* isConcerned(
  binding: Binding,
  histories: readonly ClusterHistory[],
  concerns: Deps['concerns'],
): InSteps<boolean> {
  for (const history of histories) {
    if (yield* concerns(history, binding)) return true;
    yield;
  }
  return false;
}
