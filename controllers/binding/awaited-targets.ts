import type { Binding, BindingSpec } from '../../api/karmada/types.js';
import { keyOf } from '../../client/key.js';
import type { Clock } from '../../lib/clock.js';
import { createAdaptiveDelay } from '../../client/runtime/adaptive-delay.js';
import type { Key, ObjectChange } from '../../client/runtime/interface.js';

/** Milliseconds for which the scheduler is waited for at most: while the process is idle, and under load, when its queue is longer. */
const limits = { minMs: 300, maxMs: 2000 } as const;

interface Wait {
  readonly uid: string | undefined;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/**
 * Bindings whose replicas have changed, and whose targets the scheduler is about to change: Works with the former replicas would be written, and
 * applied in the members, twice. A scheduler that does not answer in time is not waited for again until the targets have arrived once: otherwise the
 * Works of a binding that changes all the time would never be written while the scheduler is stopped.
 * differs: Karmada renders the Works with the former targets, and again with the new ones.
 */
export class AwaitedTargets {
  readonly #clock: Clock;
  readonly #limitMs: () => number;
  readonly #waits = new Map<Key, Wait>();

  /** `limitMs` returns the milliseconds for which the scheduler is waited for. */
  constructor(clock: Clock, limitMs: () => number = createAdaptiveDelay(limits)) {
    this.#clock = clock;
    this.#limitMs = limitMs;
  }

  /** Returns the milliseconds for which to wait for the targets of a binding; 0 if its Works can be written now. */
  leftMs(binding: Binding): number {
    const key = keyOf(binding);
    if (!awaitsTargets(binding)) {
      this.#waits.delete(key);
      return 0;
    }
    const { uid } = binding.metadata;
    const now = this.#clock.now();
    const known = this.#waits.get(key);
    if (known && known.uid === uid) return Math.max(0, known.until - now);
    const limit = this.#limitMs();
    this.#waits.set(key, { uid, until: now + limit });
    return limit;
  }

  /**
   * hot: for every change of a binding. Reports whether one that is waited for has its targets now, or keeps them, which ends the wait; others are not
   * parsed.
   */
  hasArrived({ key, newCached }: Pick<ObjectChange<Binding>, 'key' | 'newCached'>): boolean {
    if (newCached === undefined || !this.#waits.has(key) || awaitsTargets(newCached.object)) return false;
    return this.#waits.delete(key);
  }

  /** Forgets a binding that does not exist any more. */
  forget(key: Key): void {
    this.#waits.delete(key);
  }
}

/** Reports whether the targets do not have the replicas that are wanted, and the scheduler has not seen that yet. */
function awaitsTargets({ metadata: { generation = 0 }, spec, status }: Binding): boolean {
  const seen = status?.schedulerObservedGeneration;
  if (seen === undefined || seen >= generation || spec.suspension?.scheduling) return false;
  return hasOtherReplicas(spec);
}

function hasOtherReplicas({ clusters = [], replicas = 0, placement }: BindingSpec): boolean {
  if (clusters.length === 0 || replicas === 0) return false;
  if (placement?.replicaScheduling?.replicaSchedulingType !== 'Divided')
    return clusters.some(target => target.replicas !== replicas);
  return clusters.reduce((sum, target) => sum + (target.replicas ?? 0), 0) !== replicas;
}
