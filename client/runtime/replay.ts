import { eachInTurns } from '../../lib/time-slice.js';
import type { CachedObject } from '../interface.js';
import { MirrorChange } from './mirror-change.js';
import type { Key, ObjectChange } from './interface.js';

/** Number of objects up to which a mirror is replayed, or indexed, at once. Most mirrors are small, and an object takes microseconds. */
export const fewObjects = 100;

/**
 * Reports the existing objects of a mirror to a new listener, in several turns of the event loop if there are many: a listener that parses a hundred
 * thousand objects takes seconds. The mirror changes meanwhile, and the changes are passed on at once, so that the listener always gets the addition
 * of an object first, and hears of none twice.
 */
export class Replay {
  /** Resolves when the listener knows all objects, or the replay was stopped. Rejects with an error of the listener. */
  readonly done: Promise<void>;
  readonly #listener: (change: ObjectChange) => void;
  /** The keys of the objects that the listener knows; undefined after the replay, when it knows all. */
  #known: Set<Key> | undefined = new Set();
  #isStopped = false;

  constructor(objects: ReadonlyMap<Key, CachedObject>, listener: (change: ObjectChange) => void) {
    this.#listener = listener;
    this.done = this.#run(objects);
  }

  /** Replays few objects, and returns true; returns false if they take a Replay. */
  static atOnce(objects: ReadonlyMap<Key, CachedObject>, listener: (change: ObjectChange) => void): boolean {
    if (objects.size > fewObjects) return false;
    for (const [key, cached] of objects) listener(new MirrorChange(key, undefined, cached, true));
    return true;
  }

  /** Passes a change of the mirror on. That of an object which is not replayed yet is its addition, or nothing if it is gone. */
  readonly passOn = (change: ObjectChange): void => {
    if (this.#isStopped) return;
    const known = this.#known;
    if (!known) return this.#listener(change);
    const { key, newCached } = change;
    if (known.has(key)) {
      if (!newCached) known.delete(key);
      this.#listener(change);
    } else if (newCached) {
      known.add(key);
      this.#listener(change.oldCached ? new MirrorChange(key, undefined, newCached) : change);
    }
  };

  /** The listener is not called any more. */
  stop(): void {
    this.#isStopped = true;
  }

  async #run(objects: ReadonlyMap<Key, CachedObject>): Promise<void> {
    const known = new Set<Key>();
    this.#known = known;
    // An object that comes meanwhile is at the end of the map, and known by then.
    await eachInTurns(objects, ([key, cached]) => {
      if (this.#isStopped || known.has(key)) return;
      known.add(key);
      this.#listener(new MirrorChange(key, undefined, cached, true));
    });
    this.#known = undefined;
  }
}
