import type { KubeObject, OwnerReference } from '../../apimachinery/interface.js';
import { namespacedName } from '../../apimachinery/meta/gvk.js';
import { deepEqual } from '../../lib/json/equality.js';
import { eachInTurns } from '../../lib/time-slice.js';
import type { CachedObject, OwnerMeta } from '../../client/interface.js';
import { mightContain, ownerMetaOf } from '../../client/watch/cached-reader.js';
import { splitKey } from '../../client/key.js';
import type { Key, ObjectChange } from '../../client/runtime/interface.js';
import type { Mirror, Mirrors } from '../../client/runtime/mirrors/mirrors.js';

/** Maximum number of remembered uids. as pkg/controller/garbagecollector, the size of absentOwnerCache */
const maxGone = 500;

/** The owners and the deletion of an object. */
export type OwnerFields = Omit<OwnerMeta, 'uid'>;

/** An object in the graph. */
export interface TrackedObject {
  readonly mirror: Mirror;
  readonly namespace: string;
  readonly fields: OwnerFields;
  /** Parses the object. */
  readonly object: () => KubeObject;
}

const none: ReadonlySet<string> = new Set();

interface Dependents {
  readonly uids: Set<string>;
  /** The number of references with `blockOwnerDeletion`. Counted, since a walk over all dependents would hold the event loop. */
  blocking: number;
}

interface Entry {
  readonly mirror: Mirror;
  readonly key: Key;
  /** Kept, since comparing with the previous state would otherwise read it again. */
  readonly fields: OwnerFields;
}

/** hot: a probe of the bytes spares reading the metadata of most objects. */
const mayBeTracked = (cached: CachedObject | undefined): cached is CachedObject =>
  cached !== undefined &&
  (mightContain(cached, { metadata: 'ownerReferences' }) || mightContain(cached, { metadata: 'deletionTimestamp' }));

function ownerFieldsOf({ ownerReferences, finalizers, deletionTimestamp }: OwnerMeta): OwnerFields | undefined {
  if (!ownerReferences?.length && deletionTimestamp === undefined) return undefined;
  return {
    ...(ownerReferences && { ownerReferences }),
    ...(finalizers && { finalizers }),
    ...(deletionTimestamp !== undefined && { deletionTimestamp }),
  };
}

/** Returns the uid of the object with a key; undefined if there is none. */
function uidIn(mirror: Mirror | undefined, key: Key): string | undefined {
  const cached = mirror?.informer.cached.get(key);
  return cached && ownerMetaOf(cached).uid;
}

interface OwnerChange {
  readonly uid: string;
  readonly isGone: boolean;
  /** The owners that the object had before, and those that it has now. */
  readonly owners: ReadonlySet<string>;
}

type Unparsed = Pick<ObjectChange, 'key' | 'oldCached' | 'newCached'>;

type OwnerListener = (change: OwnerChange) => void;

/** Owner relations by uid, kept up to date from the mirrors. Holds only objects that have owners or are being deleted. */
export class OwnerGraph {
  readonly #mirrors: Mirrors;
  readonly #entries = new Map<string, Entry>();
  /** The dependents of each owner, by its uid. */
  readonly #dependents = new Map<string, Dependents>();
  /** The owners that were deleted last. */
  readonly #gone = new Set<string>();
  readonly #listeners: OwnerListener[] = [];

  /** Resolves when the objects that existed at the beginning are in the graph. Changes are in it at once. */
  readonly loaded: Promise<void>;
  #isLoaded = false;

  constructor(mirrors: Mirrors) {
    this.#mirrors = mirrors;
    mirrors.onLaterChange((change, mirror) => this.#changed(change, mirror));
    this.loaded = this.#load();
  }

  /** Adds all objects, in turns: a hundred thousand may have owners, and the metadata of each of them are read. */
  async #load(): Promise<void> {
    for (const mirror of this.#mirrors.all())
      await eachInTurns(mirror.informer.cached, ([key, newCached]) =>
        this.#changed({ key, oldCached: undefined, newCached }, mirror),
      );
    this.#isLoaded = true;
  }

  /** Returns an object that has owners or is being deleted; undefined if it has neither or does not exist. */
  find(uid: string): TrackedObject | undefined {
    const entry = this.#entries.get(uid);
    const cached = entry?.mirror.informer.cached.get(entry.key);
    if (!entry || !cached || ownerMetaOf(cached).uid !== uid) return undefined;
    const { mirror, key, fields } = entry;
    return { mirror, fields, namespace: splitKey(key).namespace, object: () => cached.object };
  }

  /** Returns the owners and the deletion of an object as `find` does. */
  fieldsOf(uid: string): OwnerFields | undefined {
    return this.#entries.get(uid)?.fields;
  }

  /** Reports whether a dependent must be gone before its owner. */
  isBlocked(uid: string): boolean {
    return (this.#dependents.get(uid)?.blocking ?? 0) > 0;
  }

  /** Reports whether the owner that an object of this namespace refers to exists. */
  hasOwner({ apiVersion, kind, name, uid }: OwnerReference, namespace: string): boolean {
    const mirror = this.#mirrors.forKind(apiVersion, kind);
    const at = namespacedName(mirror?.resource.namespaced ? namespace : '', name);
    return uidIn(mirror, at) === uid;
  }

  /** Reports whether the owner that an object of this namespace refers to exists in another one. O(namespaces). */
  isElsewhere({ apiVersion, kind, name, uid }: OwnerReference, namespace: string): boolean {
    const mirror = this.#mirrors.forKind(apiVersion, kind);
    if (!mirror?.resource.namespaced) return false;
    // The mirror may still show an owner that was deleted from this namespace.
    const here = namespacedName(namespace, name);
    for (const key of mirror.informer.keysNamed(name)) if (key !== here && uidIn(mirror, key) === uid) return true;
    return false;
  }

  /** Reports whether the uid is among the last deleted owners. */
  hasGone(uid: string): boolean {
    return this.#gone.has(uid);
  }

  /** Returns the uids of the objects that have this one as an owner. The set is live: it changes with the graph. */
  dependents(uid: string): ReadonlySet<string> {
    return this.#dependents.get(uid)?.uids ?? none;
  }

  /** Returns the uids of all objects in the graph. */
  uids(): Iterable<string> {
    return this.#entries.keys();
  }

  /** Registers a listener for every object whose owners or deletion have changed, or that was deleted. */
  onChange(listener: OwnerListener): void {
    this.#listeners.push(listener);
  }

  #changed({ key, oldCached, newCached }: Unparsed, mirror: Mirror): void {
    if (!newCached) return oldCached && this.#removed(oldCached);
    if (!mayBeTracked(oldCached) && !mayBeTracked(newCached)) return;
    const meta = ownerMetaOf(newCached);
    const { uid } = meta;
    if (!uid) return;
    const before = this.#entries.get(uid)?.fields;
    const fields = ownerFieldsOf(meta);
    if (oldCached ? deepEqual(before, fields) : !fields) return;
    this.#unlink(uid, before?.ownerReferences);
    this.#link(uid, fields?.ownerReferences);
    if (fields) this.#entries.set(uid, { mirror, key, fields });
    else this.#entries.delete(uid);
    this.#notify(uid, false, before, fields);
  }

  #removed(cached: CachedObject): void {
    if (!mayBeTracked(cached) && this.#dependents.size === 0 && this.#isLoaded) return;
    const { uid } = ownerMetaOf(cached);
    if (!uid) return;
    const before = this.#entries.get(uid)?.fields;
    this.#unlink(uid, before?.ownerReferences);
    this.#entries.delete(uid);
    // Its dependents may not be in the graph yet.
    if (this.#dependents.has(uid) || !this.#isLoaded) this.#rememberGone(uid);
    this.#notify(uid, true, before);
  }

  #link(uid: string, owners: readonly OwnerReference[] = []): void {
    for (const owner of owners) {
      const dependents = this.#dependents.get(owner.uid) ?? { uids: new Set(), blocking: 0 };
      if (dependents.uids.size === 0) this.#dependents.set(owner.uid, dependents);
      dependents.uids.add(uid);
      if (owner.blockOwnerDeletion) dependents.blocking++;
    }
  }

  #unlink(uid: string, owners: readonly OwnerReference[] = []): void {
    for (const owner of owners) {
      const dependents = this.#dependents.get(owner.uid);
      if (!dependents) continue;
      dependents.uids.delete(uid);
      if (owner.blockOwnerDeletion) dependents.blocking--;
      if (dependents.uids.size === 0) this.#dependents.delete(owner.uid);
    }
  }

  #rememberGone(uid: string): void {
    this.#gone.add(uid);
    if (this.#gone.size <= maxGone) return;
    for (const oldest of this.#gone) return void this.#gone.delete(oldest);
  }

  #notify(uid: string, isGone: boolean, ...states: readonly (OwnerFields | undefined)[]): void {
    const owners = new Set(states.flatMap(fields => fields?.ownerReferences ?? []).map(owner => owner.uid));
    for (const listener of this.#listeners) listener({ uid, isGone, owners });
  }
}
