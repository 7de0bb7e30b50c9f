import type { Clock } from '../../lib/clock.js';
import type { Revision } from '../interface.js';
import type { EventLog } from '../event-log/event-log.js';
import { ExpiryQueue } from './expiry-queue.js';
import type { MemoryValue } from './memory-item.js';
import type { Record } from './record.js';

export interface Expirer {
  /** Schedules the values among the records that expire. */
  add(records: readonly Record[]): void;
  stop(): void;
}

/** Milliseconds before a removal that could not be written is tried again. */
const retryMs = 1000;

/** Removes values when they expire: as ordinary removals, which watchers see and the log records. */
export function createExpirer(
  timeline: EventLog<Uint8Array>,
  clock: Clock,
  remove: (key: string, revision: Revision) => Promise<void>,
): Expirer {
  const deadlines = new ExpiryQueue();
  let stopped = false;
  let sleeping: { readonly until: number; readonly controller: AbortController } | undefined;

  function note(item: MemoryValue): void {
    if (item.expiresAt !== undefined) deadlines.add({ at: item.expiresAt, key: item.key, revision: item.revision });
  }

  function due(): void {
    const now = clock.now();
    for (let next = deadlines.next; next !== undefined && next.at <= now; next = deadlines.next) {
      const { key, revision } = next;
      deadlines.take();
      // The store cannot be written now; the removal is tried again later.
      remove(key, revision).catch(() => {
        deadlines.add({ at: clock.now() + retryMs, key, revision });
        arm();
      });
    }
  }

  /** Sleeps until the next deadline, unless an earlier sleep is under way. */
  function arm(): void {
    const { next } = deadlines;
    if (stopped || next === undefined || (sleeping !== undefined && sleeping.until <= next.at)) return;
    sleeping?.controller.abort();
    const sleep = { until: next.at, controller: new AbortController() };
    sleeping = sleep;
    void clock.sleep(next.at - clock.now(), sleep.controller.signal).then(() => {
      if (sleeping !== sleep) return;
      sleeping = undefined;
      if (stopped) return;
      due();
      arm();
    });
  }

  for (const item of timeline.items().values()) note(item as MemoryValue);
  arm();
  return {
    add(records) {
      let found = false;
      for (const record of records) {
        if (record.type !== 'put' || record.item.expiresAt === undefined) continue;
        note(record.item);
        found = true;
      }
      if (found) arm();
    },
    stop() {
      stopped = true;
      sleeping?.controller.abort();
    },
  };
}
