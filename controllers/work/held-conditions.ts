import type { Clock } from '../../lib/clock.js';
import { findCondition } from '../../kinds/karmada/conditions.js';
import type { Work } from '../../api/karmada/types.js';
import type { NewCondition } from '../../client/runtime/conditions.js';
import { keyOf } from '../../client/runtime/informer.js';
import type { Key } from '../../client/runtime/interface.js';
import { createAdaptiveDelay } from '../../client/runtime/adaptive-delay.js';

/** What applying a Work has come to, which is known and not written yet. */
export interface Held {
  readonly uid: string | undefined;
  readonly conditions: readonly NewCondition[];
  /** Milliseconds since the epoch. Then it is written, alone if need be. */
  readonly until: number;
}

/**
 * The first conditions of Works, held until what was applied has a status to go with them: when the process is full, that is one write less for
 * every Work, and for all who watch it. With time to spare nothing is held. What is lost with the process is found anew: a Work without
 * the condition is applied once more.
 */
export interface HeldConditions {
  /** False: they are to be written now. */
  hold(work: Work, conditions: readonly NewCondition[]): boolean;
  of(work: Work): Held | undefined;
  /** They have been written, or are not true any more. */
  drop(key: Key): void;
  onHold(listener: (key: Key) => void): void;
}

/** Milliseconds that conditions are held at most, and the least for which it is worth it. */
const maxMs = 2000;
const minMs = 100;

/** `patience`: how many milliseconds they may wait now. */
export function createHeldConditions(
  clock: Clock,
  patience: () => number = createAdaptiveDelay({ least: 0, most: maxMs }),
): HeldConditions {
  const held = new Map<Key, Held>();
  const listeners: ((key: Key) => void)[] = [];
  return {
    hold(work, conditions) {
      const waitMs = patience();
      if (waitMs < minMs || findCondition(work.status?.conditions, 'Applied')) return false;
      const key = keyOf(work);
      const until = held.get(key)?.until ?? clock.now() + waitMs;
      held.set(key, { uid: work.metadata.uid, conditions, until });
      for (const listener of listeners) listener(key);
      return true;
    },
    of(work) {
      const known = held.get(keyOf(work));
      return known?.uid === work.metadata.uid ? known : undefined;
    },
    drop: key => void held.delete(key),
    onHold: listener => void listeners.push(listener),
  };
}
