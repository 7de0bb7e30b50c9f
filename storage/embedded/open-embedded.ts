import { type Clock, systemClock } from '../../lib/clock.js';
import { StorageError } from '../error.js';
import type { Backend, Item, Outcome, Page, RangeOptions, Revision } from '../interface.js';
import { type Log, silent } from '../log.js';
import { EventLog } from '../event-log/event-log.js';
import { createExpirer } from './expirer.js';
import { sizeOf } from './memory-item.js';
import { DiskState } from './disk-state.js';
import { startGuard } from './guard.js';
import { checkFormat, makeFolder, removeFile, writeCompacted } from './folder.js';
import { createJournal } from './journal.js';
import { createSnapshotter } from './snapshotter.js';
import { type Lock, lockFolder } from './lock.js';
import { recover } from './recover.js';
import { createWriter } from './writer.js';

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
/** Limits of what is written and published at once, so that one step of the event loop stays below a millisecond. */
const batch = { maxBatchBytes: mebibyte, maxBatchRecords: 256 };

/**
 * Opens a store in one folder: the values are in memory, and every change is durable in a log before it is visible. Throws StorageError
 * 'locked', 'format' or 'corrupt', and the system's error when the folder cannot be used.
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<Backend> {
  const { directory, log = silent, clock = systemClock } = options;
  const windowMs = options.historyWindowMs ?? 5 * 60_000;
  await makeFolder(directory);
  const lock = await lockFolder(directory);
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
            sizeOf,
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

type Serving = EmbeddedOptions & { readonly log: Log; readonly clock: Clock; readonly windowMs: number };

async function serve(options: Serving, recovered: Awaited<ReturnType<typeof recover>>, lock: Lock): Promise<Backend> {
  const { directory, log, clock } = options;
  const { timeline } = recovered;
  const maxValueBytes = options.maxValueBytes ?? 1.5 * mebibyte;
  // The folder's name may lead to another folder later; this path does not.
  const { folder } = lock;
  const state = new DiskState({ directory, log, now: () => clock.now() });
  const journal = createJournal(folder, recovered.lastSequence);
  await journal.rotate(timeline.revision);
  for (const sequence of recovered.empty) await removeFile(folder, 'log', sequence);
  const keeper = createSnapshotter({
    ...{ directory, folder, state, log, clock, timeline, journal, recovered },
    snapshotBytes: options.snapshotBytes ?? 64 * mebibyte,
    tickMs: Math.min(maxTickMs, options.windowMs),
  });
  const listeners = new Set<(revision: Revision) => void>();
  const writer = createWriter({
    ...batch,
    ...{ journal, state, timeline },
    now: () => clock.now(),
    committed: newest => listeners.forEach(listener => listener(newest)),
    afterBatch: records => {
      expirer.add(records);
      return keeper.afterBatch();
    },
  });
  const expirer = createExpirer(timeline, clock, async (key, revision) => {
    const { item } = writer.standing(key);
    if (item?.revision === revision) await writer.remove(key, item);
  });
  const guard = startGuard({ lock, journal, writer, state, clock });
  let closing: Promise<void> | undefined;
  let compacting = Promise.resolve();

  const mustBeOpen = (): void => {
    if (closing !== undefined) throw new StorageError('unavailable', 'the store is closed');
  };
  const mustBeReached = (notBefore: Revision | undefined): void => {
    if (notBefore === undefined || notBefore <= timeline.revision) return;
    throw new StorageError('future', `revision ${notBefore} is not reached yet`, { revision: timeline.revision });
  };

  /** Returns the current item as a conflict, once it is durable. */
  async function conflict(key: string): Promise<Outcome<Uint8Array>> {
    const { item, done } = writer.standing(key);
    await done;
    return { type: 'conflict', current: item };
  }

  /** Makes the compaction durable first: history that was gone stays gone after a restart. */
  async function forget(upTo: Revision): Promise<void> {
    if (upTo <= timeline.floor) return;
    await writeCompacted(folder, upTo);
    timeline.compact(upTo);
  }

  async function close(): Promise<void> {
    expirer.stop();
    await guard.stop();
    await writer.idle();
    await compacting.catch(() => undefined); // the caller of compact gets the error
    timeline.end();
    await keeper.stop();
    await journal.close();
    await lock.release();
  }

  return {
    async get(key, { notBefore } = {}): Promise<Item<Uint8Array> | undefined> {
      mustBeOpen();
      mustBeReached(notBefore);
      return timeline.get(key);
    },
    async range(prefix, range: RangeOptions = {}): Promise<Page<Uint8Array>> {
      mustBeOpen();
      mustBeReached(range.notBefore);
      return range.at === undefined ? timeline.range(prefix, range) : timeline.viewAt(range.at).range(prefix, range);
    },
    async put(key, expect, value, { ttlSeconds } = {}): Promise<Outcome<Uint8Array>> {
      mustBeOpen();
      if (value.byteLength > maxValueBytes) {
        throw new StorageError(
          'tooLarge',
          `a value of ${value.byteLength} bytes; at most ${maxValueBytes} can be stored`,
        );
      }
      const { item: previous } = writer.standing(key);
      if ((previous?.revision ?? 'absent') !== expect) return conflict(key);
      const expiresAt = ttlSeconds === undefined ? undefined : clock.now() + ttlSeconds * 1000;
      const item = await writer.put(key, value, expiresAt, previous);
      return { type: 'done', item, revision: item.revision };
    },
    async remove(key, expect): Promise<Outcome<Uint8Array>> {
      mustBeOpen();
      const { item } = writer.standing(key);
      if (item?.revision !== expect) return conflict(key);
      const revision = await writer.remove(key, item);
      return { type: 'done', item: { key, value: item.value, revision }, revision };
    },
    watch: (prefix, from, signal) => {
      mustBeOpen();
      return timeline.watch(prefix, from, signal);
    },
    async revision() {
      mustBeOpen();
      return timeline.revision;
    },
    requestProgress(prefix) {
      timeline.requestProgress(prefix);
      return true;
    },
    async compact(upTo) {
      mustBeOpen();
      mustBeReached(upTo);
      // The error of the previous compaction went to its caller.
      compacting = compacting.catch(() => undefined).then(() => forget(upTo));
      await compacting;
    },
    announce(listener) {
      listeners.add(listener);
      listener(timeline.revision);
      return () => void listeners.delete(listener);
    },
    get refusesWrites() {
      return !state.isGood;
    },
    async health() {
      mustBeOpen();
      await writer.check();
    },
    close: () => (closing ??= close()),
  };
}
