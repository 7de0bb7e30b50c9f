import type { KubeObject, ObjectMeta, OwnerReference } from '../../apimachinery/interface.js';
import { objectKey } from '../../apimachinery/meta/gvk.js';
import { deepEqual } from '../../lib/json/equality.js';
import type { CachedObject } from '../../client/interface.js';
import { mightContain } from '../../client/watch/cached-reader.js';
import type { Key } from '../../client/runtime/interface.js';
import type { Mirror, Mirrors } from '../../client/runtime/mirrors.js';

/** Who owns whom, by uid, kept in step with the mirrors. Most objects have no owners and stay: they are not in it. */
export interface OwnerGraph {
  /** One that has owners or is being deleted. undefined: neither, or not (or no longer) there. */
  find(uid: string): { readonly object: KubeObject; readonly mirror: Mirror } | undefined;
  /** Is the owner there that an object of this namespace names? */
  hasOwner(owner: OwnerReference, namespace: string): boolean;
  /** Was it seen to go, among the last that did? */
  hasGone(uid: string): boolean;
  /** Uids of the objects that name this one as an owner. */
  dependents(uid: string): readonly string[];
  /** Uids of all that `find` finds. */
  uids(): Iterable<string>;
  /** Called with the uid of every object that has changed its owners or its deletion, or is gone. */
  onChange(listener: (uid: string, gone: boolean) => void): void;
}

/** as pkg/controller/garbagecollector, the size of absentOwnerCache */
const remembered = 500;

/** All that a collector of garbage looks at. */
type Bonds = Pick<ObjectMeta, 'ownerReferences' | 'finalizers' | 'deletionTimestamp'>;

interface Place {
  readonly mirror: Mirror;
  readonly key: Key;
  /** Kept: to learn what an object had before, it would have to be parsed again. */
  readonly bonds: Bonds;
}

/** hot: most are not parsed to learn that they are not. */
const mayBeBonded = (held: CachedObject | undefined): held is CachedObject =>
  held !== undefined &&
  (mightContain(held, { metadata: 'ownerReferences' }) || mightContain(held, { metadata: 'deletionTimestamp' }));

/** The object, if it has owners or is being deleted. */
export function bonded(held: CachedObject | undefined): KubeObject | undefined {
  return mayBeBonded(held) && bondsOf(held.object) ? held.object : undefined;
}

function bondsOf({ metadata: { ownerReferences, finalizers, deletionTimestamp } }: KubeObject): Bonds | undefined {
  if (!ownerReferences?.length && deletionTimestamp === undefined) return undefined;
  return {
    ...(ownerReferences && { ownerReferences }),
    ...(finalizers && { finalizers }),
    ...(deletionTimestamp !== undefined && { deletionTimestamp }),
  };
}

export function createOwnerGraph(mirrors: Mirrors): OwnerGraph {
  const places = new Map<string, Place>();
  const owned = new Map<string, Set<string>>();
  const gone = new Set<string>();
  const listeners: ((uid: string, gone: boolean) => void)[] = [];

  function link(uid: string, owners: readonly OwnerReference[] = []): void {
    for (const owner of owners) {
      const dependents = owned.get(owner.uid);
      if (dependents) dependents.add(uid);
      else owned.set(owner.uid, new Set([uid]));
    }
  }

  function unlink(uid: string, owners: readonly OwnerReference[] = []): void {
    for (const owner of owners) {
      const dependents = owned.get(owner.uid);
      dependents?.delete(uid);
      if (dependents?.size === 0) owned.delete(owner.uid);
    }
  }

  function remember(uid: string): void {
    gone.add(uid);
    if (gone.size <= remembered) return;
    for (const oldest of gone) return void gone.delete(oldest);
  }

  const tell = (uid: string, isGone: boolean): void => {
    for (const listener of listeners) listener(uid, isGone);
  };

  function removed(was: CachedObject): void {
    if (!mayBeBonded(was) && owned.size === 0) return;
    const { uid } = was.object.metadata;
    if (!uid) return;
    unlink(uid, places.get(uid)?.bonds.ownerReferences);
    places.delete(uid);
    if (owned.has(uid)) remember(uid);
    tell(uid, true);
  }

  mirrors.onChange(({ key, was, is }, mirror) => {
    if (!is) return was && removed(was);
    if (!mayBeBonded(was) && !mayBeBonded(is)) return;
    const { uid } = is.object.metadata;
    if (!uid) return;
    const before = places.get(uid)?.bonds;
    const bonds = bondsOf(is.object);
    if (was ? deepEqual(before, bonds) : !bonds) return;
    unlink(uid, before?.ownerReferences);
    link(uid, bonds?.ownerReferences);
    if (bonds) places.set(uid, { mirror, key, bonds });
    else places.delete(uid);
    tell(uid, false);
  });

  return {
    find(uid) {
      const place = places.get(uid);
      const object = place?.mirror.informer.get(place.key);
      return place && object?.metadata.uid === uid ? { object, mirror: place.mirror } : undefined;
    },
    hasOwner({ apiVersion, kind, name, uid }, namespace) {
      const mirror = mirrors.forKind(apiVersion, kind);
      const at = objectKey(mirror?.resource.namespaced ? namespace : '', name);
      return mirror?.informer.get(at)?.metadata.uid === uid;
    },
    hasGone: uid => gone.has(uid),
    dependents: uid => [...(owned.get(uid) ?? [])],
    uids: () => places.keys(),
    onChange: listener => void listeners.push(listener),
  };
}
