import { ChurnMap } from '../../lib/collections/churn-map.js';
import { ExpectedError } from '../../lib/logging/cause.js';
import { StorageError } from '../error.js';
import type { Item, Revision } from '../interface.js';
import { toRevision } from '../revision.js';
import type { KeyChange } from '../event-log/history.js';
import { changedKey } from '../event-log/changed-key.js';
import type { EventLog } from '../event-log/event-log.js';
import { type DiskState, failureText } from './disk-state.js';
import type { Journal } from './files/journal.js';
import { type MemoryValue, MemoryItem } from './files/memory-item.js';
import { type JournalRecord, recordBytes } from './files/record.js';

/** A write that is decided and not durable yet. */
interface Pending {
  readonly record: JournalRecord;
  readonly change: KeyChange<Uint8Array>;
  /** The key's item after the write; undefined when it is a removal. */
  readonly item: MemoryValue | undefined;
  /** Settles when the write is durable, or when its outcome is unknown. */
  readonly done: Promise<void>;
  resolve(): void;
  reject(error: unknown): void;
}

/** The state of a key once all decided writes are durable. */
interface LatestState {
  readonly item: Item<Uint8Array> | undefined;
  /** Undefined: it is durable already. */
  readonly done: Promise<void> | undefined;
}

interface PutRequest {
  readonly key: string;
  readonly value: Uint8Array;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number | undefined;
  /** The item that `latest` has just returned. */
  readonly previous: Item<Uint8Array> | undefined;
  /** Milliseconds for which the batch with this write may wait for others; 0 if absent. */
  readonly maxDelayMs?: number | undefined;
}

interface WriterOptions {
  readonly journal: Journal;
  readonly state: DiskState;
  readonly eventLog: EventLog<Uint8Array>;
  readonly now: () => number;
  readonly maxBatchBytes: number;
  readonly maxBatchRecords: number;
  /** Runs when a batch is durable, before it becomes visible; must not throw. */
  readonly committed: (newest: Revision) => void;
  /** Runs after every batch, before the next; must not throw. */
  readonly afterBatch: (records: readonly JournalRecord[]) => Promise<void> | undefined;
}

/** Number of waiting records from which on the next batch begins at once. */
const manyRecords = 16;

/** Resolves when the event loop has run what was ready in this turn. */
const endOfTurn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

/** Milliseconds after which a batch counts as stuck: the disk does not answer. */
const stuckAfterMs = 10_000;
const stuck = new ExpectedError('it does not answer');

/**
 * The single writer. Writes are decided in memory, one after the other, against the state with all decided writes applied. All writes that came
 * meanwhile are made durable together, and are then visible and acknowledged.
 */
export class EmbeddedWriter {
  readonly #options: WriterOptions;
  readonly #journal: Journal;
  readonly #state: DiskState;
  readonly #eventLog: EventLog<Uint8Array>;
  /** The last write of a key that is not durable yet. */
  readonly #latest = new ChurnMap<string, Pending>();
  /** Decided writes that are not in a batch yet. */
  #queue: Pending[] = [];
  /** The revision of the last decided write. */
  #decided: number;
  /** Settles when nothing is left to write; undefined while nothing is written. */
  #running: Promise<void> | undefined;
  /** Begins a batch of writes that may wait. */
  #delay: NodeJS.Timeout | undefined;
  /** When the batch that is being written began, in milliseconds since the epoch. */
  #batchSince: number | undefined;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#journal = options.journal;
    this.#state = options.state;
    this.#eventLog = options.eventLog;
    this.#decided = options.eventLog.revision;
  }

  /** Returns the state of a key after all decided writes, durable or not. */
  latest(key: string): LatestState {
    const pending = this.#latest.get(key);
    return pending === undefined
      ? { item: this.#eventLog.get(key), done: undefined }
      : { item: pending.item, done: pending.done };
  }

  /** Resolves when the change is durable and published; rejects with 'unwritable' when its outcome is unknown. */
  async put({ key, value, expiresAt, previous, maxDelayMs = 0 }: PutRequest): Promise<MemoryValue> {
    if (this.#state.isLost) throw this.#state.refusal();
    const revision = toRevision(++this.#decided);
    const item = new MemoryItem(key, value, revision, expiresAt);
    await this.#enqueue({ type: 'put', item }, { type: 'put', item, previous, revision }, item, maxDelayMs);
    return item;
  }

  /** Removes the key. Returns the revision of the removal. */
  async remove(key: string, previous: Item<Uint8Array> | undefined): Promise<Revision> {
    if (this.#state.isLost) throw this.#state.refusal();
    const revision = toRevision(++this.#decided);
    await this.#enqueue({ type: 'remove', key, revision }, { type: 'remove', key, previous, revision }, undefined);
    return revision;
  }

  /** Throws 'unwritable' when the log cannot be written, after an attempt to repair it. */
  async check(): Promise<void> {
    const state = this.#state;
    if (this.#batchSince !== undefined && this.#options.now() - this.#batchSince > stuckAfterMs) state.failed(stuck);
    else if (!state.isLost && (!state.isGood || this.#journal.broken)) await (this.#running ??= this.#tryDisk());
    if (!state.isGood) throw state.refusal();
  }

  /** Resolves when nothing is left to write. */
  async idle(): Promise<void> {
    if (this.#queue.length > 0) this.#begin();
    while (this.#running !== undefined) await this.#running.catch(() => undefined); // each write's caller gets the error
  }

  #enqueue(
    record: JournalRecord,
    change: KeyChange<Uint8Array>,
    item: MemoryValue | undefined,
    maxDelayMs = 0,
  ): Promise<void> {
    let resolve = (): void => undefined;
    let reject = (_error: unknown): void => undefined;
    const done = new Promise<void>((res, rej) => {
      resolve = res;
      reject = rej;
    });
    const pending: Pending = { record, change, item, done, resolve, reject };
    this.#latest.set(changedKey(record), pending);
    this.#queue.push(pending);
    if (maxDelayMs <= 0) this.#begin();
    else this.#delay ??= setTimeout(() => this.#begin(), maxDelayMs);
    return done;
  }

  #begin(): void {
    clearTimeout(this.#delay);
    this.#delay = undefined;
    this.#running ??= endOfTurn().then(this.#run);
  }

  /**
   * Writes the queue. A batch costs a job of the thread pool and an access to the disk, however small it is. So one of few records begins at the end
   * of a turn of the event loop, with all writes of that turn. A field, so that a write creates no function.
   */
  readonly #run = async (): Promise<void> => {
    while (this.#queue.length > 0) {
      await this.#writeBatch(this.#nextBatch());
      if (this.#queue.length > 0 && this.#queue.length < manyRecords) await endOfTurn();
    }
    this.#running = undefined;
  };

  #nextBatch(): Pending[] {
    const { maxBatchBytes, maxBatchRecords } = this.#options;
    let bytes = 0;
    let count = 0;
    for (const pending of this.#queue) {
      bytes += recordBytes(pending.record);
      if (count > 0 && (bytes > maxBatchBytes || count >= maxBatchRecords)) break;
      count++;
    }
    const batch = this.#queue.slice(0, count);
    this.#queue = this.#queue.slice(count);
    return batch;
  }

  async #writeBatch(batch: readonly Pending[]): Promise<void> {
    if (this.#state.isLost) return this.#failAll(batch, this.#state.refusal());
    const eventLog = this.#eventLog;
    const records = batch.map(pending => pending.record);
    const time = this.#options.now();
    const first = toRevision(eventLog.revision + 1);
    this.#batchSince = time;
    try {
      await this.#journal.append(records, first, time);
    } catch (error) {
      this.#state.failed(error);
      return this.#failAll(batch, new StorageError('unwritable', failureText(error), { cause: error }));
    } finally {
      this.#batchSince = undefined;
    }
    const newest = toRevision(first + batch.length - 1);
    this.#options.committed(newest);
    eventLog.publish(
      batch.map(pending => pending.change),
      newest,
      time,
    );
    for (const pending of batch) {
      const key = changedKey(pending.record);
      if (this.#latest.get(key) === pending) this.#latest.delete(key);
      pending.resolve();
    }
    await this.#options.afterBatch(records);
  }

  /** Fails the batch and all later writes: they were decided on top of each other. */
  #failAll(batch: readonly Pending[], error: StorageError): void {
    const failed = [...batch, ...this.#queue];
    this.#queue = [];
    this.#latest.clear();
    this.#decided = this.#eventLog.revision;
    for (const pending of failed) pending.reject(error);
  }

  /** Checks, while there is nothing to write, whether the disk takes more than the next small batch. */
  async #tryDisk(): Promise<void> {
    try {
      await this.#journal.prove(this.#eventLog.revision);
      this.#state.worked();
    } catch (error) {
      this.#state.failed(error);
    } finally {
      // Writes may have come meanwhile.
      this.#running = this.#queue.length > 0 ? this.#run() : undefined;
    }
  }
}
