import type { KubeObject } from '../../apimachinery/interface.js';
import { keyOf } from '../key.js';
import type { Informer, Key } from './interface.js';
import type { Clock } from '../../lib/clock.js';

/** Milliseconds after which an expectation expires. */
const timeoutMs = 10_000;

/**
 * Writes of a controller that its mirror does not show yet. A controller that counts objects waits for them, or it would create them
 * twice. as pkg/controller UIDTrackingControllerExpectations, by names of objects instead of counts
 */
export interface Expectations {
  created(owner: Key, object: Key): void;
  deleted(owner: Key, object: Key): void;
  /** Reports whether the mirror shows all writes for the owner. */
  fulfilled(owner: Key): boolean;
}

interface Expected {
  readonly kind: 'created' | 'deleted';
  readonly since: number;
}

/** Returns expectations that the changes of `mirror` fulfil. as pkg/controller UIDTrackingControllerExpectations */
export function createExpectations(mirror: Informer, clock: Clock): Expectations {
  const owners = new Map<Key, Map<Key, Expected>>();
  const ownerOf = new Map<Key, Key>();

  function fulfil(object: Key): void {
    const owner = ownerOf.get(object);
    if (owner === undefined) return;
    ownerOf.delete(object);
    const pending = owners.get(owner);
    pending?.delete(object);
    if (pending?.size === 0) owners.delete(owner);
  }

  mirror.onLaterChange(({ old, new: now }) => {
    const object = now ?? old;
    if (!object) return;
    const key = keyOf(object);
    const owner = ownerOf.get(key);
    const expected = owner === undefined ? undefined : owners.get(owner)?.get(key);
    if (expected && (expected.kind === 'created' || !now || isDeleting(now))) fulfil(key);
  });

  function expect(kind: Expected['kind'], owner: Key, object: Key): void {
    const seen = mirror.get(object);
    if (kind === 'created' ? seen : !seen || isDeleting(seen)) return;
    ownerOf.set(object, owner);
    let pending = owners.get(owner);
    if (!pending) owners.set(owner, (pending = new Map<Key, Expected>()));
    pending.set(object, { kind, since: clock.now() });
  }

  return {
    created: (owner, object) => expect('created', owner, object),
    deleted: (owner, object) => expect('deleted', owner, object),
    fulfilled(owner) {
      const deadline = clock.now() - timeoutMs;
      for (const [object, { since }] of owners.get(owner) ?? []) if (since < deadline) fulfil(object);
      return !owners.has(owner);
    },
  };
}

const isDeleting = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp !== undefined;
