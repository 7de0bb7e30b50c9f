import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { ExpectedError } from '../../../lib/logging/cause.js';
import { StorageError } from '../../error.js';
import type { Revision } from '../../interface.js';
import { fileName, syncFolder } from './folder.js';
import { type JournalRecord, batchFrame, segmentFrame } from './record.js';

// The plain callback functions cost a third per write of what FileHandle costs.
const open = promisify(fs.open);
const close = promisify(fs.close);
const write = promisify(fs.write);
const fdatasync = promisify(fs.fdatasync);
const ftruncate = promisify(fs.ftruncate);
const unlink = promisify(fs.unlink);

const { O_CREAT, O_DSYNC, O_EXCL, O_WRONLY } = fs.constants;

/** On Linux a write is durable when it returns: one access to the disk, and one job of the thread pool, instead of two. */
const writesThrough = process.platform === 'linux';
const openFlags = O_CREAT | O_EXCL | O_WRONLY | (writesThrough ? O_DSYNC : 0);

const scratchBytes = 2 << 20;

/**
 * Zeros that are written behind the end of the log when there is no room for a batch. Overwriting them changes neither the file's size nor its
 * blocks, which a file system would have to make durable with every batch.
 */
const zeros = Buffer.alloc(512 << 10);
/** Returns whether the disk has no room for the zeros; it may still have enough for the batch, which is written next. */
const isFull = ({ code }: NodeJS.ErrnoException): boolean => code === 'ENOSPC' || code === 'EDQUOT';
/** Bytes of a small batch. A larger one outweighs the cost of a growing file. */
const smallBytes = 16 << 10;
/** Batches before room is allocated: a start writes fewer, and must be quick. */
const batchesWithoutAllocation = 64;

/** The log that is being written: one segment at a time, append only. Calls must not overlap. */
export class Journal {
  readonly #directory: string;
  #sequence: number;
  #bytes = 0;
  /** The salt of the checksums of the newest segment. */
  #salt = 0;
  /** The descriptor of the newest segment; undefined when it failed, and before the first one. */
  #fd: number | undefined;
  /** The offset in the newest segment up to which room is allocated. */
  #allocated = 0;
  /** Batches written to the newest segment. */
  #batches = 0;
  /** A buffer for the one batch that is being written. The first batch of a store holds all initial objects, and must not make it resident. */
  #scratch: Buffer | undefined;

  /** `lastSequence`: the number of the newest segment in the directory. */
  constructor(directory: string, lastSequence: number) {
    this.#directory = directory;
    this.#sequence = lastSequence;
  }

  /** The number of the newest segment. */
  get sequence(): number {
    return this.#sequence;
  }

  /** Bytes of the newest segment. */
  get bytes(): number {
    return this.#bytes;
  }

  /** True while there is no segment to write to. */
  get broken(): boolean {
    return this.#fd === undefined;
  }

  /**
   * Resolves when the records are durable. After a failure nothing is known about what reached the disk; the next append starts a new segment,
   * whose header says where the acknowledged log ended.
   */
  async append(records: readonly JournalRecord[], first: Revision, time: number): Promise<void> {
    const to = this.#fd ?? (await this.#start((first - 1) as Revision));
    try {
      if (this.#batches > 0) this.#scratch ??= Buffer.allocUnsafeSlow(scratchBytes);
      const frame = batchFrame(records, { first, time }, this.#salt, this.#scratch);
      const needsRoom = this.#bytes + frame.length > this.#allocated && frame.length <= smallBytes;
      if (++this.#batches > batchesWithoutAllocation && needsRoom) await this.#allocate(to);
      await this.#writeAll(to, frame);
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** Continues in a new segment after `base`. */
  async rotate(base: Revision): Promise<void> {
    await this.#start(base);
  }

  /** Throws when the disk has no room for more than a few small batches; starts a segment after `base` when there is none. */
  async prove(base: Revision): Promise<void> {
    const to = this.#fd ?? (await this.#start(base));
    try {
      await this.#mustAllocate(to);
    } catch (error) {
      if (!isFull(error as NodeJS.ErrnoException)) await this.close();
      throw error;
    }
  }

  /** Throws 'unwritable' when the segment has been removed from its folder. */
  verify(): void {
    // Synchronous: in the next turn of the event loop the descriptor may be closed, and belong to another file.
    if (this.#fd !== undefined && fs.fstatSync(this.#fd).nlink === 0)
      throw new StorageError('unwritable', 'files of the data directory were removed');
  }

  /** Closes the segment, if there is one. A later append starts another one. */
  async close(): Promise<void> {
    if (this.#fd === undefined) return;
    const old = this.#fd;
    this.#fd = undefined;
    await ftruncate(old, this.#bytes).catch(() => undefined); // allocated room is skipped when the log is read
    await close(old).catch(() => undefined); // a file that failed is abandoned
  }

  async #start(base: Revision): Promise<number> {
    await this.close();
    // A number is used once, even when its file could not be finished.
    this.#sequence++;
    const file = path.join(this.#directory, fileName('log', this.#sequence));
    const created = await open(file, openFlags, 0o600);
    try {
      this.#salt = randomBytes(4).readUInt32LE();
      this.#bytes = 0;
      this.#allocated = 0;
      this.#batches = 0;
      await this.#writeAll(created, segmentFrame({ type: 'segment', salt: this.#salt, base }));
      await syncFolder(this.#directory);
    } catch (error) {
      // If the file reappears after a crash, it is an empty segment between two others.
      await close(created).catch(() => undefined);
      await unlink(file).catch(() => undefined);
      throw error;
    }
    this.#fd = created;
    return created;
  }

  async #writeAll(to: number, frame: Buffer): Promise<void> {
    for (let done = 0; done < frame.length;) {
      const { bytesWritten } = await write(to, frame, done, frame.length - done, this.#bytes + done);
      if (bytesWritten === 0) throw new ExpectedError('a write wrote nothing');
      done += bytesWritten;
    }
    if (!writesThrough) await fdatasync(to);
    this.#bytes += frame.length;
    this.#allocated = Math.max(this.#allocated, this.#bytes);
  }

  /** Allocates room, never beside a batch: a disk error is reported once, and could be reported to the wrong one of two writes. */
  async #allocate(to: number): Promise<void> {
    try {
      const { bytesWritten } = await write(to, zeros, 0, zeros.length, this.#bytes);
      this.#allocated = this.#bytes + bytesWritten;
    } catch (error) {
      if (!isFull(error as NodeJS.ErrnoException)) throw error;
    }
  }

  /** Allocates room. Throws ENOSPC or its like when not all of it is available; what was allocated is kept. */
  async #mustAllocate(to: number): Promise<void> {
    while (this.#allocated - this.#bytes < zeros.length) {
      const at = Math.max(this.#allocated, this.#bytes);
      const { bytesWritten } = await write(to, zeros, 0, zeros.length - (at - this.#bytes), at);
      this.#allocated = at + bytesWritten;
    }
  }
}
