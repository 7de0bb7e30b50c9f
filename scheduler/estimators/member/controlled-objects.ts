import type { KubeObject } from '../../../apimachinery/interface.js';
import { controllerOf } from '../../../apimachinery/meta/owner.js';
import type { Informer, Key } from '../../../client/runtime/interface.js';
import type { MirrorUse } from '../../../client/runtime/mirrors/mirror-use.js';
import { ExpectedError } from '../../../lib/logging/cause.js';
import { eachInTurns } from '../../../lib/time-slice.js';
import { unlessAborted } from '../../../lib/unless-aborted.js';
import { PendingChanges } from './pending-changes.js';

/** Milliseconds for which the first list of a mirror is waited for at most: a call may have no deadline. */
const maxSyncMs = 30_000;

/** Resolves when the first list is in the mirror. Rejects when the signal aborts, or after half a minute. */
export async function mirrored(informer: Pick<Informer, 'synced' | 'hasSynced'>, signal: AbortSignal): Promise<void> {
  if (informer.hasSynced) return;
  const late = AbortSignal.timeout(maxSyncMs);
  try {
    await unlessAborted(informer.synced, AbortSignal.any([signal, late]));
  } catch (error) {
    throw late.aborted ? new ExpectedError('the objects of the member are not known yet', { cause: error }) : error;
  }
}

/**
 * The objects of a mirror by the uid of their controller. It is kept up to date in time slices: an index of the informer would be made in one turn of
 * the event loop, and a namespace may have more objects than can be looked through in one.
 */
export class ControlledObjects<T extends KubeObject> {
  readonly #use: MirrorUse<T>;
  readonly #changes: PendingChanges<T>;
  readonly #controllers = new Map<Key, string>();
  readonly #keys = new Map<string, Set<Key>>();

  constructor(use: MirrorUse<T>) {
    this.#use = use;
    this.#changes = new PendingChanges(use.informer, (key, object) =>
      this.#set(key, object && controllerOf(object)?.uid),
    );
  }

  /** Returns the objects of a controller. Rejects when the signal aborts, or if the mirror is not complete for half a minute. */
  async of(uid: string, signal: AbortSignal): Promise<readonly T[]> {
    const { informer } = this.#use;
    await mirrored(informer, signal);
    await unlessAborted(this.#changes.settled(), signal);
    const found: T[] = [];
    await eachInTurns([...(this.#keys.get(uid) ?? [])], key => {
      signal.throwIfAborted();
      const object = informer.get(key);
      if (object) found.push(object);
    });
    return found;
  }

  /** Ends the use of the mirror. Called once. */
  end(): void {
    this.#changes.end();
    this.#use.end();
  }

  #set(key: Key, uid: string | undefined): void {
    const before = this.#controllers.get(key);
    if (before === uid) return;
    if (before !== undefined) {
      const keys = this.#keys.get(before);
      keys?.delete(key);
      if (keys?.size === 0) this.#keys.delete(before);
      this.#controllers.delete(key);
    }
    if (uid === undefined) return;
    this.#controllers.set(key, uid);
    const keys = this.#keys.get(uid);
    if (keys) keys.add(key);
    else this.#keys.set(uid, new Set([key]));
  }
}
