import type { KubeObject, ObjectMeta, OwnerReference } from '../../apimachinery/interface.js';
import { namespacedName } from '../../apimachinery/meta/gvk.js';
import { deepEqual } from '../../lib/json/equality.js';
import type { CachedObject } from '../../client/interface.js';
import { mightContain } from '../../client/watch/cached-reader.js';
import type { Key, ObjectChange } from '../../client/runtime/interface.js';
import type { Mirror, Mirrors } from '../../client/runtime/mirrors.js';

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

type OwnerListener = (uid: string, gone: boolean) => void;

/** Owner relations by uid, kept up to date from the mirrors. Holds only objects that have owners or are being deleted. */
export class OwnerGraph {
  readonly #mirrors: Mirrors;
  readonly #entries = new Map<string, Entry>();
  /** The uids of the dependents of each owner. */
  readonly #dependents = new Map<string, Set<string>>();
  /** The owners that were deleted last. */
  readonly #gone = new Set<string>();
  readonly #listeners: OwnerListener[] = [];

  constructor(mirrors: Mirrors) {
    this.#mirrors = mirrors;
    mirrors.onChange((change, mirror) => this.#changed(change, mirror));
  }

  /** Returns an object that has owners or is being deleted; undefined if it has neither or does not exist. */
  find(uid: string): { readonly object: KubeObject; readonly mirror: Mirror } | undefined {
    const entry = this.#entries.get(uid);
    const object = entry?.mirror.informer.get(entry.key);
    return entry && object?.metadata.uid === uid ? { object, mirror: entry.mirror } : undefined;
  }

  /** Reports whether the owner that an object of this namespace refers to exists. */
  hasOwner({ apiVersion, kind, name, uid }: OwnerReference, namespace: string): boolean {
    const mirror = this.#mirrors.forKind(apiVersion, kind);
    const at = namespacedName(mirror?.resource.namespaced ? namespace : '', name);
    return mirror?.informer.get(at)?.metadata.uid === uid;
  }

  /** Reports whether the uid is among the last deleted owners. */
  hasGone(uid: string): boolean {
    return this.#gone.has(uid);
  }

  /** Returns the uids of the objects that have this one as an owner. */
  dependents(uid: string): readonly string[] {
    return [...(this.#dependents.get(uid) ?? [])];
  }

  /** Returns the uids of all objects in the graph. */
  uids(): Iterable<string> {
    return this.#entries.keys();
  }

  /** Registers a listener for every object whose owners or deletion have changed, or that was deleted. */
  onChange(listener: OwnerListener): void {
    this.#listeners.push(listener);
  }

  #changed({ key, oldCached, newCached }: ObjectChange, mirror: Mirror): void {
    if (!newCached) return oldCached && this.#removed(oldCached);
    if (!mayBeTracked(oldCached) && !mayBeTracked(newCached)) return;
    const { uid } = newCached.object.metadata;
    if (!uid) return;
    const before = this.#entries.get(uid)?.fields;
    const fields = ownerFieldsOf(newCached.object);
    if (oldCached ? deepEqual(before, fields) : !fields) return;
    this.#unlink(uid, before?.ownerReferences);
    this.#link(uid, fields?.ownerReferences);
    if (fields) this.#entries.set(uid, { mirror, key, fields });
    else this.#entries.delete(uid);
    this.#notify(uid, false);
  }

  #removed(cached: CachedObject): void {
    if (!mayBeTracked(cached) && this.#dependents.size === 0) return;
    const { uid } = cached.object.metadata;
    if (!uid) return;
    this.#unlink(uid, this.#entries.get(uid)?.fields.ownerReferences);
    this.#entries.delete(uid);
    if (this.#dependents.has(uid)) this.#rememberGone(uid);
    this.#notify(uid, true);
  }

  #link(uid: string, owners: readonly OwnerReference[] = []): void {
    for (const owner of owners) {
      const dependents = this.#dependents.get(owner.uid);
      if (dependents) dependents.add(uid);
      else this.#dependents.set(owner.uid, new Set([uid]));
    }
  }

  #unlink(uid: string, owners: readonly OwnerReference[] = []): void {
    for (const owner of owners) {
      const dependents = this.#dependents.get(owner.uid);
      dependents?.delete(uid);
      if (dependents?.size === 0) this.#dependents.delete(owner.uid);
    }
  }

  #rememberGone(uid: string): void {
    this.#gone.add(uid);
    if (this.#gone.size <= maxGone) return;
    for (const oldest of this.#gone) return void this.#gone.delete(oldest);
  }

  #notify(uid: string, gone: boolean): void {
    for (const listener of this.#listeners) listener(uid, gone);
  }
}
