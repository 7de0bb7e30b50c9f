/**
 * The objects whose documents may differ, oldest first. Keys are queued, not objects: an object that changes while it waits is sent once, in its
 * latest state. One that failed by itself waits, with a growing pause, and does not delay the others.
 */
import type { Source } from './interface.js';

/** An object whose document may differ. */
export interface Queued {
  readonly source: Source;
  /** '' for a document without an object. */
  readonly key: string;
  readonly uid: string;
  /** How often it failed by itself in this state. */
  readonly failures?: number;
}

interface Waiting {
  readonly queued: Queued;
  /** Milliseconds of the clock. */
  readonly until: number;
}

/** Pauses after failures in milliseconds; they double from the first to the last. */
export const minPauseMs = 100;
export const maxPauseMs = 30_000;

/** Returns the pause after one failure that follows on so many. */
export const pauseAfter = (failures: number): number => Math.min(minPauseMs * 2 ** failures, maxPauseMs);

/** Identifies a queued object among those of all sources. */
export const idOf = ({ source, uid }: Queued): string => `${source.id} ${uid}`;

/** Queues objects for a search backend, each at most once. Some wait until they may be sent again. */
export class SendQueue {
  readonly #ready = new Map<string, Queued>();
  readonly #waiting = new Map<string, Waiting>();
  /** No object that waits is ready before. */
  #nextAt = Infinity;

  /** All queued objects. */
  get size(): number {
    return this.#ready.size + this.#waiting.size;
  }

  /** The number of those that may be sent now. */
  get ready(): number {
    return this.#ready.size;
  }

  /** The number of those that failed by themselves, and wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** The time at which an object that waits may be sent; Infinity without one. */
  get nextAt(): number {
    return this.#nextAt;
  }

  has(id: string): boolean {
    return this.#ready.has(id) || this.#waiting.has(id);
  }

  isReady(id: string, queued: Queued): boolean {
    return this.#ready.get(id) === queued;
  }

  /** Yields the objects that may be sent, oldest first; those that are queued meanwhile follow. */
  entries(): IterableIterator<[string, Queued]> {
    return this.#ready.entries();
  }

  /** Queues an object, or its latest state. */
  add(queued: Queued): void {
    const id = idOf(queued);
    this.#waiting.delete(id);
    this.#ready.set(id, queued);
  }

  remove(id: string): void {
    this.#ready.delete(id);
    this.#waiting.delete(id);
  }

  removeSource(source: Source): void {
    for (const [id, queued] of this.#ready) if (queued.source === source) this.#ready.delete(id);
    for (const [id, { queued }] of this.#waiting) if (queued.source === source) this.#waiting.delete(id);
  }

  /** Queues an object for a later time; the more often it failed, the later. Unless its next state is queued already. */
  addLater(queued: Queued, now: number): void {
    const id = idOf(queued);
    if (this.has(id)) return;
    const { failures = 0 } = queued;
    const until = now + pauseAfter(failures);
    this.#waiting.set(id, { queued: { ...queued, failures: failures + 1 }, until });
    this.#nextAt = Math.min(this.#nextAt, until);
  }

  /** Makes the objects ready whose time has come. */
  wakeUntil(now: number): void {
    if (now < this.#nextAt) return;
    this.#nextAt = Infinity;
    for (const [id, { queued, until }] of this.#waiting) {
      if (until > now) {
        this.#nextAt = Math.min(this.#nextAt, until);
        continue;
      }
      this.#waiting.delete(id);
      this.#ready.set(id, queued);
    }
  }
}
