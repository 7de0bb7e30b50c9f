import { ChurnMap } from '../../lib/collections/churn-map.js';
import { ExpectedError } from '../../lib/logging/cause.js';
import { StorageError } from '../error.js';
import type { Item, Revision } from '../interface.js';
import { toRevision } from '../revision.js';
import type { KeyChange } from '../event-log/history.js';
import { keyOf } from '../event-log/key-of.js';
import type { EventLog } from '../event-log/event-log.js';
import { type DiskState, failureText } from './disk-state.js';
import type { Journal } from './journal.js';
import { type MemoryValue, MemoryItem } from './memory-item.js';
import { type Record, recordBytes } from './record.js';

/** A write that is decided and not durable yet. */
interface Pending {
  readonly record: Record;
  readonly change: KeyChange<Uint8Array>;
  /** The key's item after the write; undefined when it is a removal. */
  readonly item: MemoryValue | undefined;
  /** Settles when the write is durable, or when its outcome is unknown. */
  readonly done: Promise<void>;
  resolve(): void;
  reject(error: unknown): void;
}

/** What a key holds once all decided writes are durable. */
export interface Standing {
  readonly item: Item<Uint8Array> | undefined;
  /** Undefined: it is durable already. */
  readonly done: Promise<void> | undefined;
}

export interface Writer {
  standing(key: string): Standing;
  /**
   * Resolves when the change is durable and published; rejects with 'unwritable' when its outcome is unknown. `previous`: the item that
   * `standing` has just returned.
   */
  put(
    key: string,
    value: Uint8Array,
    expiresAt: number | undefined,
    previous: Item<Uint8Array> | undefined,
  ): Promise<MemoryValue>;
  /** Removes the key. Returns the revision of the removal. */
  remove(key: string, previous: Item<Uint8Array> | undefined): Promise<Revision>;
  /** Throws 'unwritable' when the log cannot be written, after an attempt to repair it. */
  check(): Promise<void>;
  /** Resolves when nothing is left to write. */
  idle(): Promise<void>;
}

export interface WriterOptions {
  readonly journal: Journal;
  readonly state: DiskState;
  readonly timeline: EventLog<Uint8Array>;
  readonly now: () => number;
  readonly maxBatchBytes: number;
  readonly maxBatchRecords: number;
  /** Runs when a batch is durable, before it becomes visible; must not throw. */
  readonly committed: (newest: Revision) => void;
  /** Runs after every batch, before the next; must not throw. */
  readonly afterBatch: (records: readonly Record[]) => Promise<void> | undefined;
}

/** Milliseconds after which a batch counts as stuck: the disk does not answer. */
const stuckAfterMs = 10_000;
const stuck = new ExpectedError('it does not answer');

/**
 * The single writer. Writes are decided in memory, one after the other, against the state with all decided writes applied. All writes that came
 * meanwhile are made durable together, and are then visible and acknowledged.
 */
export function createWriter(options: WriterOptions): Writer {
  const { journal, state, timeline, now } = options;
  /** The last write of a key that is not durable yet. */
  const latest = new ChurnMap<string, Pending>();
  let queue: Pending[] = [];
  let decided: number = timeline.revision;
  let running: Promise<void> | undefined;
  let batchSince: number | undefined;

  function enqueue(record: Record, change: KeyChange<Uint8Array>, item: MemoryValue | undefined): Promise<void> {
    let resolve = (): void => undefined;
    let reject = (_error: unknown): void => undefined;
    const done = new Promise<void>((res, rej) => {
      resolve = res;
      reject = rej;
    });
    const pending: Pending = { record, change, item, done, resolve, reject };
    latest.set(keyOf(record), pending);
    queue.push(pending);
    running ??= Promise.resolve().then(run);
    return done;
  }

  function nextBatch(): Pending[] {
    let bytes = 0;
    let count = 0;
    for (const pending of queue) {
      bytes += recordBytes(pending.record);
      if (count > 0 && (bytes > options.maxBatchBytes || count >= options.maxBatchRecords)) break;
      count++;
    }
    const batch = queue.slice(0, count);
    queue = queue.slice(count);
    return batch;
  }

  /** Fails the batch and all later writes: they were decided on top of each other. */
  function failAll(batch: readonly Pending[], error: StorageError): void {
    const failed = [...batch, ...queue];
    queue = [];
    latest.clear();
    decided = timeline.revision;
    for (const pending of failed) pending.reject(error);
  }

  async function writeBatch(batch: readonly Pending[]): Promise<void> {
    if (state.isLost) return failAll(batch, state.refusal());
    const records = batch.map(pending => pending.record);
    const time = now();
    const first = toRevision(timeline.revision + 1);
    batchSince = time;
    try {
      await journal.append(records, first, time);
    } catch (error) {
      state.failed(error);
      return failAll(batch, new StorageError('unwritable', failureText(error), { cause: error }));
    } finally {
      batchSince = undefined;
    }
    const newest = toRevision(first + batch.length - 1);
    options.committed(newest);
    timeline.publish(
      batch.map(pending => pending.change),
      newest,
      time,
    );
    for (const pending of batch) {
      const key = keyOf(pending.record);
      if (latest.get(key) === pending) latest.delete(key);
      pending.resolve();
    }
    await options.afterBatch(records);
  }

  async function run(): Promise<void> {
    while (queue.length > 0) await writeBatch(nextBatch());
    running = undefined;
  }

  /** Checks, while there is nothing to write, whether the disk takes more than the next small batch. */
  async function tryDisk(): Promise<void> {
    try {
      await journal.prove(timeline.revision);
      state.worked();
    } catch (error) {
      state.failed(error);
    } finally {
      // Writes may have come meanwhile.
      running = queue.length > 0 ? run() : undefined;
    }
  }

  function standing(key: string): Standing {
    const pending = latest.get(key);
    return pending === undefined
      ? { item: timeline.get(key), done: undefined }
      : { item: pending.item, done: pending.done };
  }

  return {
    standing,
    async put(key, value, expiresAt, previous) {
      if (state.isLost) throw state.refusal();
      const revision = toRevision(++decided);
      const item = new MemoryItem(key, value, revision, expiresAt);
      await enqueue({ type: 'put', item }, { type: 'put', item, previous, revision }, item);
      return item;
    },
    async remove(key, previous) {
      if (state.isLost) throw state.refusal();
      const revision = toRevision(++decided);
      await enqueue({ type: 'remove', key, revision }, { type: 'remove', key, previous, revision }, undefined);
      return revision;
    },
    async check() {
      if (batchSince !== undefined && now() - batchSince > stuckAfterMs) state.failed(stuck);
      else if (!state.isLost && (!state.isGood || journal.broken)) await (running ??= tryDisk());
      if (!state.isGood) throw state.refusal();
    },
    async idle() {
      while (running !== undefined) await running.catch(() => undefined); // each write's caller gets the error
    },
  };
}
