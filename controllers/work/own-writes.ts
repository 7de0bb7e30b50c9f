import type { KubeObject } from '../../apimachinery/interface.js';
import { isAtLeastVersion } from '../../apimachinery/meta/resource-version.js';
import { ChurnMap } from '../../lib/collections/churn-map.js';
import { keyOf } from '../../client/key.js';
import type { Informer, Key } from '../../client/runtime/interface.js';

/** The part of a mirror that shows whether the event of a write has arrived. */
type Mirrored = Pick<Informer, 'hasSynced' | 'cached'>;

/** Maximum number of writes of one mirror that are remembered. The event of one that is forgotten is taken for a change of the member. */
const maxWrites = 1024;

/**
 * The writes in members whose events have not arrived yet, by which the execution controller recognizes its own changes. An entry is dropped with the
 * next event of its object, and with its mirror. A write may have no event, for example if its object is deleted while the watch is interrupted: the
 * number of entries is limited, and the oldest ones are dropped first.
 */
export class MemberWrites {
  /** The resourceVersions of the writes, by mirror and object. */
  readonly #versions = new WeakMap<Mirrored, ChurnMap<Key, string>>();

  /** Returns the number of entries of a mirror. */
  sizeOf(mirror: Mirrored): number {
    return this.#versions.get(mirror)?.size ?? 0;
  }

  /** Records what the member has answered to a write. Without a mirror that has its first list, no event of it is expected. */
  add(written: KubeObject, mirror: Mirrored | undefined): void {
    const { resourceVersion } = written.metadata;
    if (!mirror?.hasSynced || resourceVersion === undefined) return;
    const key = keyOf(written);
    const seen = mirror.cached.get(key)?.revision;
    if (seen !== undefined && isAtLeastVersion(String(seen), resourceVersion)) return;
    let versions = this.#versions.get(mirror);
    if (!versions) this.#versions.set(mirror, (versions = new ChurnMap()));
    versions.delete(key); // The latest write is the last entry.
    if (versions.size >= maxWrites) dropOldest(versions);
    versions.set(key, resourceVersion);
  }

  /** Reports whether the event of an object in a mirror shows the recorded write. `object` is the last state of a deleted object. */
  take(object: KubeObject, mirror: Mirrored): boolean {
    const versions = this.#versions.get(mirror);
    if (!versions || versions.size === 0) return false;
    const key = keyOf(object);
    const version = versions.get(key);
    if (version !== undefined) versions.delete(key);
    return version !== undefined && version === object.metadata.resourceVersion;
  }
}

function dropOldest(versions: ChurnMap<Key, string>): void {
  for (const [key] of versions.entries()) return void versions.delete(key);
}
