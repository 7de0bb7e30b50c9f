import type { Clock } from '../../lib/clock.js';
import { StorageError } from '../error.js';
import type { DiskState } from './disk-state.js';
import type { Journal } from './journal.js';
import type { Lock } from './lock.js';
import type { Writer } from './writer.js';

export interface GuardOptions {
  readonly lock: Lock;
  readonly journal: Journal;
  readonly writer: Writer;
  readonly state: DiskState;
  readonly clock: Clock;
}

export interface Guard {
  stop(): Promise<void>;
}

const everyMs = 1000;

/**
 * Checks once a second whether the folder still belongs to the store, and whether a disk that failed takes writes again: without writes and
 * health checks nothing else would notice.
 */
export function startGuard({ lock, journal, writer, state, clock }: GuardOptions): Guard {
  const stopping = new AbortController();

  async function look(): Promise<void> {
    try {
      await lock.verify();
      journal.verify();
      state.found();
    } catch (error) {
      // Other errors say nothing about the owner of the folder.
      if (error instanceof StorageError) state.lost(error.message);
    }
    await writer.check().catch(() => undefined); // the state logs it
  }

  async function keepLooking(): Promise<void> {
    while (!stopping.signal.aborted) {
      await clock.sleep(everyMs, stopping.signal);
      if (!stopping.signal.aborted) await look();
    }
  }

  const looking = keepLooking();
  return {
    async stop() {
      stopping.abort();
      await looking;
    },
  };
}
