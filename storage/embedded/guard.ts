import type { Clock } from '../../lib/clock.js';
import { StorageError } from '../error.js';
import type { DiskState } from './disk-state.js';
import type { Journal } from './files/journal.js';
import type { Lock } from './lock.js';
import type { EmbeddedWriter } from './writer.js';

interface FolderGuardOptions {
  readonly lock: Lock;
  readonly journal: Journal;
  readonly writer: EmbeddedWriter;
  readonly state: DiskState;
  readonly clock: Clock;
}

const everyMs = 1000;

/**
 * Checks once a second whether the folder still belongs to the store, and whether a disk that failed takes writes again: without writes and
 * health checks nothing else would notice.
 */
export class FolderGuard {
  readonly #options: FolderGuardOptions;
  readonly #stopping = new AbortController();
  /** Settles when the checks have ended. */
  #looking: Promise<void> | undefined;

  constructor(options: FolderGuardOptions) {
    this.#options = options;
  }

  start(): void {
    this.#looking ??= this.#keepLooking();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#looking;
  }

  async #keepLooking(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.#options.clock.sleep(everyMs, signal);
      if (!signal.aborted) await this.#look();
    }
  }

  async #look(): Promise<void> {
    const { lock, journal, writer, state } = this.#options;
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
}
