import { type Clock, systemClock } from '../../lib/clock.js';
import type { Backend } from '../interface.js';
import { type Log, silentLog } from '../log.js';
import { EventLog } from '../event-log/event-log.js';
import { EmbeddedBackend } from './backend.js';
import { sizeOfItem } from './files/memory-item.js';
import { DiskState } from './disk-state.js';
import { checkFormat, makeStoreFolder, removeFile } from './files/folder.js';
import { Journal } from './files/journal.js';
import { Snapshotter } from './snapshotter.js';
import { type Lock, lockFolder } from './lock.js';
import { lockPath } from './path-lock.js';
import { type Recovered, recover } from './recover.js';

export interface EmbeddedOptions {
  /** The data folder: created when missing, readable by its owner only, used by one process at a time. */
  readonly directory: string;
  readonly log?: Log;
  readonly clock?: Clock;
  /** How long the history can be read and watched: 5 min by default, as etcd's under Kubernetes. */
  readonly historyWindowMs?: number;
  /** Bytes of memory for the history, whatever its age. */
  readonly historyBytes?: number;
  /** Bytes of it for changes older than the history of a watch cache, which are seldom read. */
  readonly agedHistoryBytes?: number;
  /** The largest value in bytes: etcd's default limit for a request. */
  readonly maxValueBytes?: number;
  /** Bytes of log since the last snapshot that make a new one due (at least as many as the data has). */
  readonly snapshotBytes?: number;
}

const mebibyte = 1 << 20;
/** Milliseconds for which a watch cache around the store keeps changes: for so long both share them. */
const freshMs = 75_000;
/** History is dropped at least so often, even when nothing is written. */
const maxTickMs = 15_000;

/**
 * Opens a store in one folder: the values are in memory, and every change is durable in a log before it is visible. Throws StorageError
 * 'locked', 'format' or 'corrupt', and the system's error when the folder cannot be used.
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<Backend> {
  const { directory, log = silentLog, clock = systemClock } = options;
  const windowMs = options.historyWindowMs ?? 5 * 60_000;
  const lock = await lockFolderAndPath(directory, log);
  try {
    await checkFormat(directory);
    const recovered = await recover(
      directory,
      // The window begins anew with every start: clients that come back from an outage resume their watches.
      (start, items) =>
        new EventLog<Uint8Array>(
          {
            start,
            windowMs,
            windowBytes: options.historyBytes ?? 128 * mebibyte,
            agedBytes: options.agedHistoryBytes ?? 16 * mebibyte,
            freshMs,
            now: () => clock.now(),
            sizeOf: sizeOfItem,
          },
          items,
        ),
      log,
    );
    await lock.verify();
    return await serve({ ...options, log, clock, windowMs }, recovered, lock);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** Locks the path first: when another process has it, nothing is created there. */
async function lockFolderAndPath(directory: string, log: Log): Promise<Lock> {
  const pathLock = await lockPath(directory, log);
  try {
    await makeStoreFolder(directory);
    const lock = await lockFolder(directory);
    return {
      ...lock,
      async release() {
        await lock.release().finally(() => pathLock.release());
      },
    };
  } catch (error) {
    await pathLock.release();
    throw error;
  }
}

type Serving = EmbeddedOptions & { readonly log: Log; readonly clock: Clock; readonly windowMs: number };

/** Begins a new segment of the log, and starts the store. */
async function serve(options: Serving, recovered: Recovered, lock: Lock): Promise<Backend> {
  const { directory, log, clock } = options;
  const { eventLog } = recovered;
  // The folder's name may lead to another folder later; this path does not.
  const { folder } = lock;
  const state = new DiskState({ directory, log, now: () => clock.now() });
  const journal = new Journal(folder, recovered.lastSequence);
  await journal.rotate(eventLog.revision);
  for (const sequence of recovered.empty) await removeFile(folder, 'log', sequence);
  const snapshotter = new Snapshotter({
    ...{ directory, folder, state, log, clock, eventLog, journal, recovered },
    snapshotBytes: options.snapshotBytes ?? 64 * mebibyte,
    tickMs: Math.min(maxTickMs, options.windowMs),
  });
  const maxValueBytes = options.maxValueBytes ?? 1.5 * mebibyte;
  const backend = new EmbeddedBackend({ lock, state, clock, eventLog, journal, snapshotter, maxValueBytes });
  backend.start();
  return backend;
}
