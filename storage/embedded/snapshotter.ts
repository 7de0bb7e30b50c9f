import { FailureState } from '../../lib/logging/failure-state.js';
import type { Clock } from '../../lib/clock.js';
import type { Log } from '../log.js';
import type { EventLog } from '../event-log/event-log.js';
import type { DiskState } from './disk-state.js';
import type { Journal } from './files/journal.js';
import type { MemoryValue } from './files/memory-item.js';
import type { Base, Recovered } from './recover.js';
import { RetainedFiles } from './retained-files.js';
import { writeSnapshot } from './files/snapshot.js';

interface SnapshotterOptions {
  readonly directory: string;
  /** A path to the directory that stays valid whatever happens to its name. */
  readonly folder: string;
  readonly state: DiskState;
  readonly log: Log;
  readonly clock: Clock;
  readonly eventLog: EventLog<Uint8Array>;
  readonly journal: Journal;
  readonly recovered: Recovered;
  readonly snapshotBytes: number;
  readonly tickMs: number;
}

/** Bytes of a segment, which is read as a whole when the store opens. */
const segmentBytes = 32 << 20;
/** Many starts make many segments: a snapshot replaces them, however short they are. */
const maxSegments = 64;
const retryMs = 60_000;

/** Keeps the folder small: writes snapshots beside the log, and removes files that are not needed any more (`RetainedFiles`). */
export class Snapshotter {
  readonly #options: SnapshotterOptions;
  readonly #clock: Clock;
  readonly #eventLog: EventLog<Uint8Array>;
  readonly #journal: Journal;
  readonly #files: RetainedFiles;
  readonly #stopping = new AbortController();
  readonly #unsaved: FailureState;
  readonly #unpruned: FailureState;
  /** Bytes of log since the newest base, without the current segment. */
  #earlierBytes: number;
  /** The snapshot that is being written. */
  #writing: Promise<void> | undefined;
  /** No segment or snapshot is begun before, in milliseconds since the epoch: an attempt has failed. */
  #notBefore = 0;
  /** Settles when the regular work has ended. */
  #ticking: Promise<void> | undefined;

  constructor(options: SnapshotterOptions) {
    const { clock, log, journal, recovered } = options;
    this.#options = options;
    this.#clock = clock;
    this.#eventLog = options.eventLog;
    this.#journal = journal;
    this.#files = new RetainedFiles(options.folder, recovered);
    this.#files.addSegment(journal.sequence);
    this.#earlierBytes = recovered.logBytes;
    const reporting = { log, now: () => clock.now(), graceMs: 0 };
    this.#unsaved = new FailureState({
      ...reporting,
      fails: 'no snapshot of the storage can be written; its log grows until one can',
      works: 'snapshots of the storage can be written again',
    });
    this.#unpruned = new FailureState({
      ...reporting,
      fails: 'old files of the storage cannot be removed',
      works: 'old files of the storage can be removed again',
    });
  }

  /** Starts to trim the history and to remove old files, every so often. */
  start(): void {
    this.#ticking ??= this.#tick();
  }

  /** Called between two batches; starts a snapshot when one is due. */
  afterBatch(): Promise<void> | undefined {
    this.#files.addSegment(this.#journal.sequence);
    if (this.#isDue()) return this.#begin();
    return this.#journal.bytes > segmentBytes && this.#clock.now() >= this.#notBefore
      ? this.#rotate().then(() => undefined)
      : undefined;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#writing;
    await this.#ticking;
  }

  #isDue(): boolean {
    if (this.#writing !== undefined || this.#stopping.signal.aborted) return false;
    if (this.#clock.now() < this.#notBefore) return false;
    const bytes = this.#earlierBytes + this.#journal.bytes;
    const dueBytes = Math.max(this.#options.snapshotBytes, this.#eventLog.valueBytes);
    return bytes > dueBytes || this.#files.segmentsSinceSnapshot > maxSegments;
  }

  /** Begins a snapshot, which is written while the log continues in a new segment. */
  async #begin(): Promise<void> {
    if (!(await this.#rotate())) return;
    const base: Base = { sequence: this.#journal.sequence, revision: this.#eventLog.revision, file: true };
    this.#writing = this.#write(base, this.#earlierBytes).finally(() => (this.#writing = undefined));
  }

  /** Continues the log in a new segment. Returns false when the disk fails. */
  async #rotate(): Promise<boolean> {
    const { bytes } = this.#journal;
    try {
      await this.#journal.rotate(this.#eventLog.revision);
    } catch (error) {
      this.#notBefore = this.#clock.now() + retryMs;
      this.#options.state.failed(error);
      return false;
    }
    this.#earlierBytes += bytes;
    this.#files.addSegment(this.#journal.sequence);
    return true;
  }

  /** Writes a snapshot, which replaces so many bytes of log. */
  async #write(base: Base, replaces: number): Promise<void> {
    const { directory, folder, log } = this.#options;
    const { signal } = this.#stopping;
    const started = this.#clock.now();
    const items = this.#eventLog.items();
    try {
      const values = items.values() as Iterable<MemoryValue>;
      await writeSnapshot(folder, base.sequence, base.revision, values, signal);
      this.#unsaved.worked();
      this.#files.addSnapshot(base);
      this.#earlierBytes -= replaces;
      const ms = this.#clock.now() - started;
      log.info({ directory, revision: base.revision, items: items.size, ms }, 'snapshot written');
      await this.#files.prune(this.#eventLog.floor);
    } catch (error) {
      if (signal.aborted) return;
      this.#notBefore = this.#clock.now() + retryMs;
      this.#unsaved.failed(error, { directory });
    }
  }

  async #tick(): Promise<void> {
    const { directory, tickMs } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.#clock.sleep(tickMs, signal);
      if (signal.aborted) return;
      this.#eventLog.trim();
      if (this.#writing !== undefined) continue;
      await this.#files.prune(this.#eventLog.floor).then(
        () => this.#unpruned.worked(),
        (error: unknown) => this.#unpruned.failed(error, { directory }),
      );
    }
  }
}
