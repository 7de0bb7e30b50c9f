import type { Clock } from '../../lib/clock.js';
import { StorageError } from '../error.js';
import type { Backend, Change, Item, Outcome, Page, PutOptions, RangeOptions, Revision } from '../interface.js';
import type { EventLog } from '../event-log/event-log.js';
import type { WatchStream } from '../watch-stream.js';
import type { DiskState } from './disk-state.js';
import { Expirer } from './expirer.js';
import { writeCompacted } from './files/folder.js';
import { FolderGuard } from './guard.js';
import type { Journal } from './files/journal.js';
import type { Lock } from './lock.js';
import type { Snapshotter } from './snapshotter.js';
import { EmbeddedWriter } from './writer.js';

interface EmbeddedBackendOptions {
  readonly lock: Lock;
  readonly state: DiskState;
  readonly clock: Clock;
  readonly eventLog: EventLog<Uint8Array>;
  /** A journal with a segment that can be written to. */
  readonly journal: Journal;
  readonly snapshotter: Snapshotter;
  readonly maxValueBytes: number;
}

/** Limits of what is written and published at once, so that one step of the event loop stays below a millisecond. */
const batch = { maxBatchBytes: 1 << 20, maxBatchRecords: 256 };

/** A store in one folder, which it owns until it is closed. */
export class EmbeddedBackend implements Backend {
  readonly #options: EmbeddedBackendOptions;
  readonly #eventLog: EventLog<Uint8Array>;
  readonly #writer: EmbeddedWriter;
  readonly #expirer: Expirer;
  readonly #guard: FolderGuard;
  /** Called with every committed revision before its changes are visible. */
  readonly #listeners = new Set<(revision: Revision) => void>();
  /** Set by the first `close`. */
  #closing: Promise<void> | undefined;
  /** Settles when the requested compactions are done. */
  #compacting = Promise.resolve();

  constructor(options: EmbeddedBackendOptions) {
    const { lock, state, clock, eventLog, journal, snapshotter } = options;
    this.#options = options;
    this.#eventLog = eventLog;
    const expirer = new Expirer(clock, (key, revision) => this.#expire(key, revision));
    const writer = new EmbeddedWriter({
      ...batch,
      ...{ journal, state, eventLog },
      now: () => clock.now(),
      committed: newest => this.#listeners.forEach(listener => listener(newest)),
      afterBatch: records => {
        expirer.add(records);
        return snapshotter.afterBatch();
      },
    });
    this.#expirer = expirer;
    this.#writer = writer;
    this.#guard = new FolderGuard({ lock, journal, writer, state, clock });
  }

  /** Starts the work in the background: snapshots, expiry, checks of the folder. */
  start(): void {
    this.#options.snapshotter.start();
    void this.#expirer.start(this.#eventLog.items().values());
    this.#guard.start();
  }

  async get(key: string, { notBefore }: { readonly notBefore?: Revision } = {}): Promise<Item<Uint8Array> | undefined> {
    this.#mustBeOpen();
    this.#mustBeReached(notBefore);
    return this.#eventLog.get(key);
  }

  async range(prefix: string, range: RangeOptions = {}): Promise<Page<Uint8Array>> {
    this.#mustBeOpen();
    this.#mustBeReached(range.notBefore);
    return range.at === undefined
      ? this.#eventLog.range(prefix, range)
      : this.#eventLog.viewAt(range.at).range(prefix, range);
  }

  async put(
    key: string,
    expect: Revision | 'absent',
    value: Uint8Array,
    { ttlSeconds, maxDelayMs }: PutOptions = {},
  ): Promise<Outcome<Uint8Array>> {
    this.#mustBeOpen();
    const { maxValueBytes, clock } = this.#options;
    if (value.byteLength > maxValueBytes) {
      const text = `a value of ${value.byteLength} bytes; at most ${maxValueBytes} can be stored`;
      throw new StorageError('tooLarge', text);
    }
    const { item: previous } = this.#writer.latest(key);
    if ((previous?.revision ?? 'absent') !== expect) return this.#conflict(key);
    const expiresAt = ttlSeconds === undefined ? undefined : clock.now() + ttlSeconds * 1000;
    const item = await this.#writer.put({ key, value, expiresAt, previous, maxDelayMs });
    return { type: 'done', item, revision: item.revision };
  }

  async remove(key: string, expect: Revision): Promise<Outcome<Uint8Array>> {
    this.#mustBeOpen();
    const { item } = this.#writer.latest(key);
    if (item?.revision !== expect) return this.#conflict(key);
    const revision = await this.#writer.remove(key, item);
    return { type: 'done', item: { key, value: item.value, revision }, revision };
  }

  watch(prefix: string, from: Revision, signal: AbortSignal): WatchStream<Change<Uint8Array>> {
    this.#mustBeOpen();
    return this.#eventLog.watch(prefix, from, signal);
  }

  async revision(): Promise<Revision> {
    this.#mustBeOpen();
    return this.#eventLog.revision;
  }

  requestProgress(prefix: string): boolean {
    this.#eventLog.requestProgress(prefix);
    return true;
  }

  async compact(upTo: Revision): Promise<void> {
    this.#mustBeOpen();
    this.#mustBeReached(upTo);
    // The error of the previous compaction went to its caller.
    this.#compacting = this.#compacting.catch(() => undefined).then(() => this.#compactTo(upTo));
    await this.#compacting;
  }

  announce(listener: (revision: Revision) => void): () => void {
    this.#listeners.add(listener);
    listener(this.#eventLog.revision);
    return () => void this.#listeners.delete(listener);
  }

  get refusesWrites(): boolean {
    return !this.#options.state.isGood;
  }

  async health(): Promise<void> {
    this.#mustBeOpen();
    await this.#writer.check();
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    const { snapshotter, journal, lock } = this.#options;
    this.#expirer.stop();
    await this.#guard.stop();
    await this.#writer.idle();
    await this.#compacting.catch(() => undefined); // the caller of compact gets the error
    this.#eventLog.end();
    await snapshotter.stop();
    await journal.close();
    await lock.release();
  }

  #mustBeOpen(): void {
    if (this.#closing !== undefined) throw new StorageError('unavailable', 'the store is closed');
  }

  #mustBeReached(notBefore: Revision | undefined): void {
    const { revision } = this.#eventLog;
    if (notBefore === undefined || notBefore <= revision) return;
    throw new StorageError('future', `revision ${notBefore} is not reached yet`, { revision });
  }

  /** Returns the current item as a conflict, once it is durable. */
  async #conflict(key: string): Promise<Outcome<Uint8Array>> {
    const { item, done } = this.#writer.latest(key);
    await done;
    return { type: 'conflict', current: item };
  }

  async #expire(key: string, revision: Revision): Promise<void> {
    const { item } = this.#writer.latest(key);
    if (item?.revision === revision) await this.#writer.remove(key, item);
  }

  /** Makes the compaction durable first: history that was gone stays gone after a restart. */
  async #compactTo(upTo: Revision): Promise<void> {
    if (upTo <= this.#eventLog.floor) return;
    await writeCompacted(this.#options.lock.folder, upTo);
    this.#eventLog.compact(upTo);
  }
}
