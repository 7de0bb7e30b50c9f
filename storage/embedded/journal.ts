import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { ExpectedError } from '../../lib/logging/cause.js';
import { StorageError } from '../error.js';
import type { Revision } from '../interface.js';
import { fileName, syncFolder } from './folder.js';
import { type Record, batchFrame, segmentFrame } from './record.js';

// The plain callback functions cost a third per write of what FileHandle costs.
const open = promisify(fs.open);
const close = promisify(fs.close);
const write = promisify(fs.write) as unknown as (
  fd: number,
  bytes: Buffer,
  offset: number,
  length: number,
  position: number,
) => Promise<{ bytesWritten: number }>;
const fdatasync = promisify(fs.fdatasync);
const ftruncate = promisify(fs.ftruncate);
const unlink = promisify(fs.unlink);

const { O_CREAT, O_DSYNC, O_EXCL, O_WRONLY } = fs.constants;

/** On Linux a write is durable when it returns: one access to the disk, and one job of the thread pool, instead of two. */
const writesThrough = process.platform === 'linux';
const openFlags = O_CREAT | O_EXCL | O_WRONLY | (writesThrough ? O_DSYNC : 0);

/** The log that is being written: one segment at a time, append only. Calls must not overlap. */
export interface Journal {
  /** The number of the newest segment. */
  readonly sequence: number;
  /** Bytes of the newest segment. */
  readonly bytes: number;
  /**
   * Resolves when the records are durable. After a failure nothing is known about what reached the disk; the next append starts a new segment,
   * whose header says where the acknowledged log ended.
   */
  append(records: readonly Record[], first: Revision, time: number): Promise<void>;
  /** Continues in a new segment after `base`. */
  rotate(base: Revision): Promise<void>;
  /** Throws when the disk has no room for more than a few small batches; starts a segment after `base` when there is none. */
  prove(base: Revision): Promise<void>;
  /** Throws 'unwritable' when the segment has been removed from its folder. */
  verify(): void;
  /** True while there is no segment to write to. */
  readonly broken: boolean;
  close(): Promise<void>;
}

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

export function createJournal(directory: string, lastSequence: number): Journal {
  let sequence = lastSequence;
  let bytes = 0;
  let salt = 0;
  let fd: number | undefined;
  /** The offset in the newest segment up to which room is allocated. */
  let allocated = 0;
  /** Batches written to the newest segment. */
  let batches = 0;
  /** A buffer for the one batch that is being written. */
  const scratch = Buffer.allocUnsafeSlow(scratchBytes);

  async function writeAll(to: number, frame: Buffer): Promise<void> {
    for (let done = 0; done < frame.length;) {
      const { bytesWritten } = await write(to, frame, done, frame.length - done, bytes + done);
      if (bytesWritten === 0) throw new ExpectedError('a write wrote nothing');
      done += bytesWritten;
    }
    if (!writesThrough) await fdatasync(to);
    bytes += frame.length;
    allocated = Math.max(allocated, bytes);
  }

  /** Allocates room, never beside a batch: a disk error is reported once, and could be reported to the wrong one of two writes. */
  async function allocate(to: number): Promise<void> {
    try {
      const { bytesWritten } = await write(to, zeros, 0, zeros.length, bytes);
      allocated = bytes + bytesWritten;
    } catch (error) {
      if (!isFull(error as NodeJS.ErrnoException)) throw error;
    }
  }

  /** Allocates room. Throws ENOSPC or its like when not all of it is available; what was allocated is kept. */
  async function mustAllocate(to: number): Promise<void> {
    while (allocated - bytes < zeros.length) {
      const at = Math.max(allocated, bytes);
      const { bytesWritten } = await write(to, zeros, 0, zeros.length - (at - bytes), at);
      allocated = at + bytesWritten;
    }
  }

  async function abandon(): Promise<void> {
    if (fd === undefined) return;
    const old = fd;
    fd = undefined;
    await ftruncate(old, bytes).catch(() => undefined); // allocated room is skipped when the log is read
    await close(old).catch(() => undefined); // the file is abandoned because it failed
  }

  async function start(base: Revision): Promise<number> {
    await abandon();
    // A number is used once, even when its file could not be finished.
    sequence++;
    const file = path.join(directory, fileName('log', sequence));
    const created = await open(file, openFlags, 0o600);
    try {
      salt = randomBytes(4).readUInt32LE();
      bytes = 0;
      allocated = 0;
      batches = 0;
      await writeAll(created, segmentFrame({ type: 'segment', salt, base }));
      await syncFolder(directory);
    } catch (error) {
      // If the file reappears after a crash, it is an empty segment between two others.
      await close(created).catch(() => undefined);
      await unlink(file).catch(() => undefined);
      throw error;
    }
    fd = created;
    return created;
  }

  return {
    get sequence() {
      return sequence;
    },
    get bytes() {
      return bytes;
    },
    get broken() {
      return fd === undefined;
    },
    async append(records, first, time) {
      const to = fd ?? (await start((first - 1) as Revision));
      try {
        const frame = batchFrame(records, { first, time }, salt, scratch);
        const needsRoom = bytes + frame.length > allocated && frame.length <= smallBytes;
        if (++batches > batchesWithoutAllocation && needsRoom) await allocate(to);
        await writeAll(to, frame);
      } catch (error) {
        await abandon();
        throw error;
      }
    },
    async rotate(base) {
      await start(base);
    },
    async prove(base) {
      const to = fd ?? (await start(base));
      try {
        await mustAllocate(to);
      } catch (error) {
        if (!isFull(error as NodeJS.ErrnoException)) await abandon();
        throw error;
      }
    },
    verify() {
      // Synchronous: in the next turn of the event loop the descriptor may be closed, and belong to another file.
      if (fd !== undefined && fs.fstatSync(fd).nlink === 0)
        throw new StorageError('unwritable', 'files of the data directory were removed');
    },
    close: abandon,
  };
}
