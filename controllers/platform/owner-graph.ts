import type { KubeObject, ObjectMeta, OwnerReference } from '../../apimachinery/interface.js';
import { namespacedName } from '../../apimachinery/meta/gvk.js';
import { deepEqual } from '../../lib/json/equality.js';
import type { CachedObject } from '../../client/interface.js';
import { mightContain } from '../../client/watch/cached-reader.js';
import type { Key } from '../../client/runtime/interface.js';
import type { Mirror, Mirrors } from '../../client/runtime/mirrors.js';

/** Owner relations by uid, kept up to date from the mirrors. Holds only objects that have owners or are being deleted. */
export interface OwnerGraph {
  /** Returns an object that has owners or is being deleted; undefined if it has neither or does not exist. */
  find(uid: string): { readonly object: KubeObject; readonly mirror: Mirror } | undefined;
  /** Reports whether the owner that an object of this namespace refers to exists. */
  hasOwner(owner: OwnerReference, namespace: string): boolean;
  /** Reports whether the uid is among the last deleted owners. */
  hasGone(uid: string): boolean;
  /** Returns the uids of the objects that have this one as an owner. */
  dependents(uid: string): readonly string[];
  /** Returns the uids of all objects in the graph. */
  uids(): Iterable<string>;
  /** Registers a listener for every object whose owners or deletion have changed, or that was deleted. */
  onChange(listener: (uid: string, gone: boolean) => void): void;
}

/** Maximum number of remembered uids. as pkg/controller/garbagecollector, the size of absentOwnerCache */
const maxGone = 500;

/** The metadata that the garbage collector reads. */
type OwnerFields = Pick<ObjectMeta, 'ownerReferences' | 'finalizers' | 'deletionTimestamp'>;

interface Entry {
  readonly mirror: Mirror;
  readonly key: Key;
  /** Kept, since comparing with the previous state would otherwise parse it again. */
  readonly fields: OwnerFields;
}

/** hot: a probe of the bytes spares parsing most objects. */
const mayBeTracked = (cached: CachedObject | undefined): cached is CachedObject =>
  cached !== undefined &&
  (mightContain(cached, { metadata: 'ownerReferences' }) || mightContain(cached, { metadata: 'deletionTimestamp' }));

/** Returns the object if it has owners or is being deleted. */
export function tracked(cached: CachedObject | undefined): KubeObject | undefined {
  return mayBeTracked(cached) && ownerFieldsOf(cached.object) ? cached.object : undefined;
}

function ownerFieldsOf({
  metadata: { ownerReferences, finalizers, deletionTimestamp },
}: KubeObject): OwnerFields | undefined {
  if (!ownerReferences?.length && deletionTimestamp === undefined) return undefined;
  return {
    ...(ownerReferences && { ownerReferences }),
    ...(finalizers && { finalizers }),
    ...(deletionTimestamp !== undefined && { deletionTimestamp }),
  };
}

export function createOwnerGraph(mirrors: Mirrors): OwnerGraph {
  const entries = new Map<string, Entry>();
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

  function rememberGone(uid: string): void {
    gone.add(uid);
    if (gone.size <= maxGone) return;
    for (const oldest of gone) return void gone.delete(oldest);
  }

  const notify = (uid: string, isGone: boolean): void => {
    for (const listener of listeners) listener(uid, isGone);
  };

  function removed(was: CachedObject): void {
    if (!mayBeTracked(was) && owned.size === 0) return;
    const { uid } = was.object.metadata;
    if (!uid) return;
    unlink(uid, entries.get(uid)?.fields.ownerReferences);
    entries.delete(uid);
    if (owned.has(uid)) rememberGone(uid);
    notify(uid, true);
  }

  mirrors.onChange(({ key, was, is }, mirror) => {
    if (!is) return was && removed(was);
    if (!mayBeTracked(was) && !mayBeTracked(is)) return;
    const { uid } = is.object.metadata;
    if (!uid) return;
    const before = entries.get(uid)?.fields;
    const fields = ownerFieldsOf(is.object);
    if (was ? deepEqual(before, fields) : !fields) return;
    unlink(uid, before?.ownerReferences);
    link(uid, fields?.ownerReferences);
    if (fields) entries.set(uid, { mirror, key, fields });
    else entries.delete(uid);
    notify(uid, false);
  });

  return {
    find(uid) {
      const entry = entries.get(uid);
      const object = entry?.mirror.informer.get(entry.key);
      return entry && object?.metadata.uid === uid ? { object, mirror: entry.mirror } : undefined;
    },
    hasOwner({ apiVersion, kind, name, uid }, namespace) {
      const mirror = mirrors.forKind(apiVersion, kind);
      const at = namespacedName(mirror?.resource.namespaced ? namespace : '', name);
      return mirror?.informer.get(at)?.metadata.uid === uid;
    },
    hasGone: uid => gone.has(uid),
    dependents: uid => [...(owned.get(uid) ?? [])],
    uids: () => entries.keys(),
    onChange: listener => void listeners.push(listener),
  };
}
