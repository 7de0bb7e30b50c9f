import type { Clock } from '../../lib/clock.js';
import { findCondition } from '../../kinds/karmada/conditions.js';
import type { Work } from '../../api/karmada/types.js';
import type { NewCondition } from '../../client/runtime/conditions.js';
import { keyOf } from '../../client/runtime/informer.js';
import type { Key } from '../../client/runtime/interface.js';
import { createAdaptiveDelay } from '../../client/runtime/adaptive-delay.js';

/** Conditions of a Work that are not written yet. */
export interface Held {
  readonly uid: string | undefined;
  readonly conditions: readonly NewCondition[];
  /** Deadline in milliseconds since the epoch. Then the conditions are written, even without a status. */
  readonly until: number;
}

/**
 * Holds the first conditions of Works until they can be written together with the first status: under load, that saves one write per
 * Work, and its watch events. Nothing is held while the process is idle. Held conditions are lost at a restart, after which a Work
 * without the condition is applied again.
 */
export interface HeldConditions {
  /** Holds the conditions. Returns false if the caller must write them now. */
  hold(work: Work, conditions: readonly NewCondition[]): boolean;
  /** Returns what is held of the Work; undefined if the Work has the condition Applied. */
  of(work: Work): Held | undefined;
  /** Drops the conditions: the mirror shows that they were written, or they have become outdated. */
  drop(key: Key): void;
  onHold(listener: (key: Key) => void): void;
}

/** Maximum time in milliseconds for which conditions are held, and the minimum for which they are held at all. */
const maxMs = 2000;
const minMs = 100;

/** Whether the Work has the condition Applied, true or false. */
export const hasApplied = ({ status }: Work): boolean => findCondition(status?.conditions, 'Applied') !== undefined;

/** Creates the store. `holdMs` returns the milliseconds for which conditions may be held now. */
export function createHeldConditions(
  clock: Clock,
  holdMs: () => number = createAdaptiveDelay({ minMs: 0, maxMs }),
): HeldConditions {
  const held = new Map<Key, Held>();
  const listeners: ((key: Key) => void)[] = [];
  return {
    hold(work, conditions) {
      const waitMs = holdMs();
      if (waitMs < minMs || hasApplied(work)) return false;
      const key = keyOf(work);
      const until = held.get(key)?.until ?? clock.now() + waitMs;
      held.set(key, { uid: work.metadata.uid, conditions, until });
      for (const listener of listeners) listener(key);
      return true;
    },
    of(work) {
      const known = held.get(keyOf(work));
      return known?.uid === work.metadata.uid && !hasApplied(work) ? known : undefined;
    },
    drop: key => void held.delete(key),
    onHold: listener => void listeners.push(listener),
  };
}
