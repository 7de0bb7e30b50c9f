import type { KubeObject } from '../../apimachinery/interface.js';
import { ChurnMap } from '../../lib/collections/churn-map.js';
import { keyOf } from '../../client/key.js';
import type { Informer } from '../../client/runtime/interface.js';

/** The part of a mirror that shows whether the event of a write has arrived. */
type Mirrored = Pick<Informer, 'hasSynced' | 'cached'>;

const idOf = (object: KubeObject): string => `${object.apiVersion}|${object.kind}|${keyOf(object)}`;

/**
 * The writes in members whose events have not arrived yet, by which the execution controller recognizes its own changes. An entry is dropped with the
 * next event of its object, so that the number of entries is that of the writes under way.
 */
export class OwnWrites {
  /** The resourceVersions of the writes, by cluster and object. */
  readonly #versions = new Map<string, ChurnMap<string, string>>();

  /** Number of entries. */
  get size(): number {
    let size = 0;
    for (const versions of this.#versions.values()) size += versions.size;
    return size;
  }

  /** Records what the member has answered to a write. Without a mirror that has its first list, no event of it is expected. */
  add(cluster: string, written: KubeObject, mirror: Mirrored | undefined): void {
    const { resourceVersion } = written.metadata;
    if (!mirror?.hasSynced || resourceVersion === undefined) return;
    const seen = mirror.cached.get(keyOf(written))?.revision;
    if (seen !== undefined && isAtLeast(String(seen), resourceVersion)) return;
    let versions = this.#versions.get(cluster);
    if (!versions) this.#versions.set(cluster, (versions = new ChurnMap()));
    versions.set(idOf(written), resourceVersion);
  }

  /** Reports whether the event of an object shows the recorded write. `object` is the last state of a deleted object. */
  take(cluster: string, object: KubeObject): boolean {
    const versions = this.#versions.get(cluster);
    if (!versions || versions.size === 0) return false;
    const id = idOf(object);
    const version = versions.get(id);
    if (version !== undefined) versions.delete(id);
    return version !== undefined && version === object.metadata.resourceVersion;
  }

  /** Drops the entries of a cluster whose mirrors have ended. */
  forget(cluster: string): void {
    this.#versions.delete(cluster);
  }
}

/** Compares two resourceVersions of an object. Those that are no numbers have no order. as apimachinery pkg/util/resourceversion */
function isAtLeast(seen: string, written: string): boolean {
  if (seen === written) return true;
  if (!/^\d+$/.test(seen) || !/^\d+$/.test(written)) return false;
  return seen.length === written.length ? seen > written : seen.length > written.length;
}
