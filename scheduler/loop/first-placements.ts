import { timestamp } from '../../client/runtime/conditions.js';
import type { Key } from '../../client/runtime/interface.js';
import type { Clock } from '../../lib/clock.js';
import type { Binding } from '../../api/karmada/types.js';

/** Milliseconds after which replicas count as settled. Clusters report their kinds every ten seconds. */
const settledMs = 15_000;
/** Bindings of which is known when they were placed. Beyond that, the oldest counts as settled. */
const maxBindings = 20_000;

interface FirstPlacement {
  /** Milliseconds. */
  readonly at: number;
  isOverdue: boolean;
}

/**
 * Remembers which bindings have got their first targets a moment ago. The members of a new kind report it one after the other, so a binding may be
 * placed between the reports of two of them. As long as its replicas are not settled, it can be decided anew, as if a reschedule was requested.
 * It is not for bindings that had targets before: their replicas are settled, even if some were added just now.
 */
export class FirstPlacements {
  readonly #clock: Pick<Clock, 'now'>;
  /** The oldest first. */
  readonly #bindings = new Map<Key, FirstPlacement>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#bindings.size;
  }

  /** Notes that a decision begins about a binding without targets. */
  began(key: Key): void {
    const now = this.#clock.now();
    this.#bindings.delete(key);
    for (const [oldest, { at }] of this.#bindings) {
      if (this.#bindings.size < maxBindings && now - at < settledMs) break;
      this.#bindings.delete(oldest);
    }
    this.#bindings.set(key, { at: now, isOverdue: false });
  }

  /** Forgets a binding that has got no targets, or is gone. */
  drop(key: Key): void {
    this.#bindings.delete(key);
  }

  /** Reports whether the binding has got its first targets, or is about to get them, and its replicas are not settled. */
  has(key: Key): boolean {
    const placed = this.#bindings.get(key);
    return placed !== undefined && this.#clock.now() - placed.at < settledMs;
  }

  /** Notes that the binding is to be decided anew: a cluster can take it now that could not when it was placed. */
  overtaken(key: Key): void {
    const placed = this.#bindings.get(key);
    if (placed) placed.isOverdue = true;
  }

  /** Returns the binding as it is decided now: with a request to reschedule it, if it was overtaken. */
  take(key: Key, binding: Binding): Binding {
    const placed = this.#bindings.get(key);
    if (!placed?.isOverdue || !this.has(key)) return binding;
    placed.isOverdue = false;
    const { spec, status } = binding;
    return {
      ...binding,
      spec: { ...spec, rescheduleTriggeredAt: timestamp(this.#clock.now()) },
      // The mirror may not show yet when it was scheduled.
      status: { ...status, lastScheduledTime: timestamp(0) },
    };
  }
}
