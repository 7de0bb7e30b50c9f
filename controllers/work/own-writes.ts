import type { KubeObject } from '../../apimachinery/interface.js';
import { isAtLeastVersion } from '../../apimachinery/meta/resource-version.js';
import { ChurnMap } from '../../lib/collections/churn-map.js';
import { keyOf } from '../../client/key.js';
import type { Informer, Key } from '../../client/runtime/interface.js';
import { drifted } from './drift.js';

/** The part of a mirror that shows whether the event of a write has arrived. */
type Mirrored = Pick<Informer, 'hasSynced' | 'cached' | 'lists'>;

interface Write {
  readonly resourceVersion: string;
  /** The number of lists of the mirror that had begun. The next one shows the write. */
  readonly lists: number;
}

/** Maximum number of writes of one mirror that are remembered. The event of one that is forgotten is taken for a change of the member. */
const maxWrites = 1024;

/**
 * The writes in members whose events have not arrived yet, by which the execution controller recognizes its own changes. An entry is dropped with the
 * next event of its object, and with its mirror. A write may have no event, for example if its object is deleted while the watch is interrupted: the
 * next list ends the wait, and the number of entries is limited, of which the oldest ones are dropped first.
 */
export class MemberWrites {
  /** By mirror and object, the oldest first. */
  readonly #writes = new WeakMap<Mirrored, ChurnMap<Key, Write>>();
  /** By mirror and object that is being written: the state in the latest event that arrived before the answer. */
  readonly #unanswered = new WeakMap<Mirrored, ChurnMap<Key, KubeObject | undefined>>();

  /** Returns the number of entries of a mirror. */
  sizeOf(mirror: Mirrored): number {
    return this.#awaitedIn(mirror)?.size ?? 0;
  }

  /** Holds the events of an object until `add` or `failed`: a member often sends the event of a write before its answer. */
  begin(object: KubeObject, mirror: Mirrored | undefined): void {
    if (!mirror?.hasSynced) return;
    let unanswered = this.#unanswered.get(mirror);
    if (!unanswered) this.#unanswered.set(mirror, (unanswered = new ChurnMap()));
    const key = keyOf(object);
    if (!unanswered.has(key)) unanswered.set(key, undefined);
  }

  /** Ends the hold of a write without an answer. The caller compares the object again. */
  failed(object: KubeObject, mirror: Mirrored | undefined): void {
    if (mirror) this.#unanswered.get(mirror)?.delete(keyOf(object));
  }

  /**
   * Records what the member has answered to a write of `object`. Without a mirror that has its first list, no event of it is expected. Returns true if
   * an event of another change was held, so that the object must be compared again. A change of status alone is none.
   */
  add(written: KubeObject, mirror: Mirrored | undefined, object = written): boolean {
    const { resourceVersion } = written.metadata;
    const held = mirror && this.#unanswered.get(mirror)?.get(keyOf(object));
    this.failed(object, mirror);
    const isOther = held !== undefined && held.metadata.resourceVersion !== resourceVersion && drifted(written, held);
    if (!mirror?.hasSynced || resourceVersion === undefined) return isOther;
    const key = keyOf(written);
    const seen = mirror.cached.get(key)?.revision;
    if (seen !== undefined && isAtLeastVersion(String(seen), resourceVersion)) return isOther;
    let writes = this.#awaitedIn(mirror);
    if (!writes) this.#writes.set(mirror, (writes = new ChurnMap()));
    writes.delete(key); // The latest write is the last entry.
    if (writes.size >= maxWrites) dropOldest(writes, () => true);
    writes.set(key, { resourceVersion, lists: mirror.lists.begun });
    return isOther;
  }

  /**
   * Reports whether the event of an object in a mirror shows the recorded write, or is held until the answer to one. `object` is the last state of a
   * deleted object.
   */
  take(object: KubeObject, mirror: Mirrored): boolean {
    const writes = this.#awaitedIn(mirror);
    const unanswered = this.#unanswered.get(mirror);
    if (!writes?.size && !unanswered?.size) return false;
    const key = keyOf(object);
    const { resourceVersion } = object.metadata;
    const write = writes?.get(key);
    if (write) writes?.delete(key);
    if (write !== undefined && write.resourceVersion === resourceVersion) return true;
    if (!unanswered?.has(key) || resourceVersion === undefined) return false;
    unanswered.set(key, object);
    return true;
  }

  /** hot: Returns the writes whose events are awaited, without those that a list has shown. */
  #awaitedIn(mirror: Mirrored): ChurnMap<Key, Write> | undefined {
    const writes = this.#writes.get(mirror);
    if (writes) while (dropOldest(writes, ({ lists }) => lists < mirror.lists.applied));
    return writes;
  }
}

/** Drops the oldest write if it is due. Returns whether it was dropped. */
function dropOldest(writes: ChurnMap<Key, Write>, isDue: (write: Write) => boolean): boolean {
  for (const [key, write] of writes.entries()) {
    if (!isDue(write)) return false;
    writes.delete(key);
    return true;
  }
  return false;
}
