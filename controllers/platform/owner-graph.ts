import type { KubeObject, OwnerReference } from '../../openapi/interface.js';
import type { Mirror, Mirrors } from '../runtime/mirrors.js';

/** Where an object is, so that it can be read and written again. */
export interface Place {
  readonly mirror: Mirror;
  readonly namespace: string;
  readonly name: string;
}

/** Who owns whom, by uid, kept in step with the mirrors. */
export interface OwnerGraph {
  /** undefined: not (or no longer) there. */
  find(uid: string): { readonly object: KubeObject; readonly place: Place } | undefined;
  /** Was it seen to go, among the last that did? */
  hasGone(uid: string): boolean;
  /** Uids of the objects that name this one as an owner. */
  dependents(uid: string): readonly string[];
  /** Called with every uid that appeared, changed its owners or its deletion, or went. */
  onChange(listener: (uid: string, gone: boolean) => void): void;
}

/** as pkg/controller/garbagecollector, the size of absentOwnerCache */
const remembered = 500;

export function createOwnerGraph(mirrors: Mirrors): OwnerGraph {
  const objects = new Map<string, { object: KubeObject; place: Place }>();
  const owned = new Map<string, Set<string>>();
  const gone = new Set<string>();
  const listeners: ((uid: string, gone: boolean) => void)[] = [];

  function link(uid: string, owners: readonly OwnerReference[] | undefined, on: boolean): void {
    for (const owner of owners ?? []) {
      if (!on) {
        const dependents = owned.get(owner.uid);
        dependents?.delete(uid);
        if (dependents?.size === 0) owned.delete(owner.uid);
        continue;
      }
      const dependents = owned.get(owner.uid);
      if (dependents) dependents.add(uid);
      else owned.set(owner.uid, new Set([uid]));
    }
  }

  function remember(uid: string): void {
    gone.add(uid);
    if (gone.size <= remembered) return;
    for (const oldest of gone) return void gone.delete(oldest);
  }

  mirrors.onChange(({ old, new: object }, mirror) => {
    const uid = (object ?? old)?.metadata.uid;
    if (!uid) return;
    if (old && old.metadata.uid !== uid && old.metadata.uid) {
      link(old.metadata.uid, old.metadata.ownerReferences, false);
      objects.delete(old.metadata.uid);
      for (const listener of listeners) listener(old.metadata.uid, true);
    }
    const before = objects.get(uid)?.object;
    const relevant = object && before ? !sameBonds(before, object) : true;
    if (before && before.metadata.ownerReferences !== object?.metadata.ownerReferences)
      link(uid, before.metadata.ownerReferences, false);
    if (object) {
      const { namespace = '', name = '' } = object.metadata;
      link(uid, object.metadata.ownerReferences, true);
      objects.set(uid, { object, place: { mirror, namespace, name } });
    } else {
      objects.delete(uid);
      if (owned.has(uid)) remember(uid);
    }
    if (relevant) for (const listener of listeners) listener(uid, !object);
  });

  return {
    find: uid => objects.get(uid),
    hasGone: uid => gone.has(uid),
    dependents: uid => [...(owned.get(uid) ?? [])],
    onChange: listener => void listeners.push(listener),
  };
}

/** Nothing that a collector of garbage looks at differs. */
function sameBonds({ metadata: a }: KubeObject, { metadata: b }: KubeObject): boolean {
  return (
    a.deletionTimestamp === b.deletionTimestamp &&
    JSON.stringify([a.ownerReferences, a.finalizers]) === JSON.stringify([b.ownerReferences, b.finalizers])
  );
}
