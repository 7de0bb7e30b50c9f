import type { Clock } from '../../lib/clock.js';
import { eachInTurns, yieldToEventLoop } from '../../lib/time-slice.js';
import type { Item, Revision } from '../interface.js';
import { ExpiryQueue } from './expiry-queue.js';
import type { MemoryValue } from './files/memory-item.js';
import type { JournalRecord } from './files/record.js';

/** Milliseconds before a removal that could not be written is tried again. */
const retryMs = 1000;

/** Removes values when they expire: as ordinary removals, which watchers see and the log records. */
export class Expirer {
  readonly #clock: Clock;
  readonly #remove: (key: string, revision: Revision) => Promise<void>;
  readonly #deadlines = new ExpiryQueue();
  /** The sleep until the next deadline. */
  #sleeping: { readonly until: number; readonly controller: AbortController } | undefined;
  #isStopped = false;

  /** `remove` removes a key that still has this revision. */
  constructor(clock: Clock, remove: (key: string, revision: Revision) => Promise<void>) {
    this.#clock = clock;
    this.#remove = remove;
  }

  /** Schedules the values that a store has at its start, in turns, since there may be many. `items` must not change meanwhile. */
  async start(items: Iterable<Item<Uint8Array>>): Promise<void> {
    await eachInTurns(items, item => this.#isStopped || this.#note(item as MemoryValue));
    this.#arm();
  }

  /** Schedules the values among the records that expire. */
  add(records: readonly JournalRecord[]): void {
    let found = false;
    for (const record of records) {
      if (record.type !== 'put' || record.item.expiresAt === undefined) continue;
      this.#note(record.item);
      found = true;
    }
    if (found) this.#arm();
  }

  stop(): void {
    this.#isStopped = true;
    this.#sleeping?.controller.abort();
  }

  #note({ key, revision, expiresAt }: MemoryValue): void {
    if (expiresAt !== undefined) this.#deadlines.add({ at: expiresAt, key, revision });
  }

  /** Sleeps until the next deadline, unless an earlier sleep is under way. */
  #arm(): void {
    const { next } = this.#deadlines;
    if (this.#isStopped || next === undefined) return;
    if (this.#sleeping !== undefined && this.#sleeping.until <= next.at) return;
    this.#sleeping?.controller.abort();
    const sleep = { until: next.at, controller: new AbortController() };
    this.#sleeping = sleep;
    void this.#clock.sleep(next.at - this.#clock.now(), sleep.controller.signal).then(() => {
      if (this.#sleeping !== sleep) return;
      this.#sleeping = undefined;
      void this.#removeDue().then(() => this.#arm());
    });
  }

  /** Removes what is due, in turns: after a long stop, that may be most of the store. */
  async #removeDue(): Promise<void> {
    const deadlines = this.#deadlines;
    const now = this.#clock.now();
    for (let next = deadlines.next; next !== undefined && next.at <= now; next = deadlines.next) {
      if (this.#isStopped) return;
      const { key, revision } = next;
      deadlines.take();
      // The store cannot be written now; the removal is tried again later.
      this.#remove(key, revision).catch(() => {
        deadlines.add({ at: this.#clock.now() + retryMs, key, revision });
        this.#arm();
      });
      const pause = yieldToEventLoop();
      if (pause) await pause;
    }
  }
}
