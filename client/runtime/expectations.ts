import type { KubeObject } from '../../apimachinery/interface.js';
import { keyOf } from './informer.js';
import type { Informer, Key } from './interface.js';
import type { Clock } from '../../lib/clock.js';

/** After so many milliseconds an event that never came is no longer waited for. */
const patience = 10_000;

/**
 * What a controller has done and its mirror does not show yet. Whoever counts objects waits for them, or would make them twice.
 * as pkg/controller UIDTrackingControllerExpectations, by the names of the objects instead of counts
 */
export interface Expectations {
  created(owner: Key, object: Key): void;
  deleted(owner: Key, object: Key): void;
  /** True when the mirror shows everything that was done for the owner. */
  fulfilled(owner: Key): boolean;
}

interface Expected {
  readonly kind: 'created' | 'deleted';
  readonly since: number;
}

export function createExpectations(mirror: Informer, clock: Clock): Expectations {
  const owners = new Map<Key, Map<Key, Expected>>();
  const ownerOf = new Map<Key, Key>();

  function settle(object: Key): void {
    const owner = ownerOf.get(object);
    if (owner === undefined) return;
    ownerOf.delete(object);
    const open = owners.get(owner);
    open?.delete(object);
    if (open?.size === 0) owners.delete(owner);
  }

  mirror.onChange(({ old, new: now }) => {
    const object = now ?? old;
    if (!object) return;
    const key = keyOf(object);
    const owner = ownerOf.get(key);
    const expected = owner === undefined ? undefined : owners.get(owner)?.get(key);
    if (expected && (expected.kind === 'created' || !now || isGoing(now))) settle(key);
  });

  function expect(kind: Expected['kind'], owner: Key, object: Key): void {
    const seen = mirror.get(object);
    if (kind === 'created' ? seen : !seen || isGoing(seen)) return;
    ownerOf.set(object, owner);
    let open = owners.get(owner);
    if (!open) owners.set(owner, (open = new Map<Key, Expected>()));
    open.set(object, { kind, since: clock.now() });
  }

  return {
    created: (owner, object) => expect('created', owner, object),
    deleted: (owner, object) => expect('deleted', owner, object),
    fulfilled(owner) {
      const late = clock.now() - patience;
      for (const [object, { since }] of owners.get(owner) ?? []) if (since < late) settle(object);
      return !owners.has(owner);
    },
  };
}

const isGoing = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp !== undefined;
