import { eachInTurns } from '../../../lib/time-slice.js';
import type { CachedObject } from '../../interface.js';
import { MirrorChange } from './mirror-change.js';
import type { Key, ObjectChange } from '../interface.js';

/** Number of objects up to which a mirror is replayed, or indexed, at once. Most mirrors are small, and an object takes microseconds. */
export const fewObjects = 100;

/**
 * Reports the existing objects of a mirror to a new listener, in several turns of the event loop if there are many: a listener that parses a hundred
 * thousand objects takes seconds. The mirror changes meanwhile, and the changes are passed on in their order, within some turns, so that the listener
 * always gets the addition of an object first, and hears of none twice.
 *
 * hot: most mirrors do not change during a replay. A Set of the objects that the listener knows, which takes several times as long as a listener of keys,
 * is built at the first change.
 */
export class Replay {
  /** Resolves when the listener knows all objects, or the replay was stopped. Rejects with an error of the listener. */
  readonly done: Promise<void>;
  readonly #listener: (change: ObjectChange) => void;
  /** The keys of the objects that were reported before the first change. */
  #reported: Key[] = [];
  /** The keys of the objects that the listener knows; empty before the first change, and after the replay. */
  readonly #known = new Set<Key>();
  /** The changes that wait until `#known` is complete; undefined when it is. */
  #waiting: ObjectChange[] | undefined = [];
  #isOver = false;
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
    if (this.#isOver && !this.#isStopped) this.#listener(change);
    else if (this.#waiting) this.#waiting.push(change);
    else this.#report(change);
  };

  /** The listener is not called any more. */
  stop(): void {
    this.#isStopped = true;
  }

  async #run(objects: ReadonlyMap<Key, CachedObject>): Promise<void> {
    const entries = objects.entries();
    await eachInTurns(this.#untilChange(entries), ([key, cached]) => {
      if (this.#isStopped) return;
      this.#reported.push(key);
      this.#listener(new MirrorChange(key, undefined, cached, true));
    });
    if (this.#waiting?.length) await this.#runWithChanges(entries);
    this.#isOver = true;
    this.#reported = [];
    this.#known.clear();
  }

  *#untilChange(
    entries: Iterator<readonly [Key, CachedObject], undefined>,
  ): Generator<readonly [Key, CachedObject], void> {
    while (this.#waiting?.length === 0) {
      const { done, value } = entries.next();
      if (done) return;
      yield value;
    }
  }

  async #runWithChanges(rest: Iterable<readonly [Key, CachedObject]>): Promise<void> {
    const known = this.#known;
    await eachInTurns(this.#reported, key => known.add(key));
    this.#reported = [];
    while (this.#waiting?.length) {
      const changes = this.#waiting;
      this.#waiting = [];
      await eachInTurns(changes, this.#report);
    }
    this.#waiting = undefined;
    // An object that comes meanwhile is at the end of the map, and known by then.
    await eachInTurns(rest, ([key, cached]) => {
      if (this.#isStopped || known.has(key)) return;
      known.add(key);
      this.#listener(new MirrorChange(key, undefined, cached, true));
    });
  }

  readonly #report = (change: ObjectChange): void => {
    if (this.#isStopped) return;
    const { key, newCached } = change;
    if (this.#known.has(key)) {
      if (!newCached) this.#known.delete(key);
      this.#listener(change);
    } else if (newCached) {
      this.#known.add(key);
      this.#listener(change.oldCached ? new MirrorChange(key, undefined, newCached) : change);
    }
  };
}
