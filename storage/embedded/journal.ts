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

// The plain callback functions cost a third of what FileHandle costs per write.
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

/** Linux makes a write durable before it answers: one trip to the disk, and through the thread pool, in place of two. */
const writesThrough = process.platform === 'linux';
const openFlags = O_CREAT | O_EXCL | O_WRONLY | (writesThrough ? O_DSYNC : 0);

/** The log being written: one segment at a time, only ever appended to. One call at a time. */
export interface Journal {
  /** Of the newest segment. */
  readonly sequence: number;
  /** In the newest segment. */
  readonly bytes: number;
  /**
   * Resolves when the records are durable. After a failure nothing is known about what reached the disk; the next append starts a new segment,
   * whose header says where the acknowledged log ended.
   */
  append(records: readonly Record[], first: Revision, time: number): Promise<void>;
  /** Goes on in a new segment after `base`. */
  rotate(base: Revision): Promise<void>;
  /** Throws when the disk has no room for more than a few small batches; starts a segment after `base` when there is none. */
  prove(base: Revision): Promise<void>;
  /** Throws 'unwritable' when the segment has been removed from its folder. */
  verify(): void;
  /** No segment can be written to at the moment. */
  readonly broken: boolean;
  close(): Promise<void>;
}

const scratchBytes = 2 << 20;

/**
 * So many zeros are written behind the end of the log when there is no room for a batch. What is written over them changes neither the
 * file's size nor where its bytes are, which a file system would have to make durable with every batch.
 */
const zeros = Buffer.alloc(512 << 10);
/** How a disk says that it has no room for them; it may have enough for the batch, which is asked next. */
const isFull = ({ code }: NodeJS.ErrnoException): boolean => code === 'ENOSPC' || code === 'EDQUOT';
/** What so many bytes share costs each of them little. */
const smallBytes = 16 << 10;
/** A start writes less, and has no time for it. */
const batchesWithoutRoom = 64;

export function createJournal(directory: string, lastSequence: number): Journal {
  let sequence = lastSequence;
  let bytes = 0;
  let salt = 0;
  let fd: number | undefined;
  /** Up to where there is room in the newest segment. */
  let room = 0;
  /** Of the newest segment. */
  let batches = 0;
  /** One batch is written at a time. */
  const scratch = Buffer.allocUnsafeSlow(scratchBytes);

  async function writeAll(to: number, frame: Buffer): Promise<void> {
    for (let done = 0; done < frame.length;) {
      const { bytesWritten } = await write(to, frame, done, frame.length - done, bytes + done);
      if (bytesWritten === 0) throw new ExpectedError('a write wrote nothing');
      done += bytesWritten;
    }
    if (!writesThrough) await fdatasync(to);
    bytes += frame.length;
    room = Math.max(room, bytes);
  }

  /** Not beside a batch: an error of the disk is told once, and might be told to the wrong one of two writes. */
  async function makeRoom(to: number): Promise<void> {
    try {
      const { bytesWritten } = await write(to, zeros, 0, zeros.length, bytes);
      room = bytes + bytesWritten;
    } catch (error) {
      if (!isFull(error as NodeJS.ErrnoException)) throw error;
    }
  }

  /** Throws ENOSPC or its like when not all of the room can be had; what was had of it is kept. */
  async function mustMakeRoom(to: number): Promise<void> {
    while (room - bytes < zeros.length) {
      const at = Math.max(room, bytes);
      const { bytesWritten } = await write(to, zeros, 0, zeros.length - (at - bytes), at);
      room = at + bytesWritten;
    }
  }

  async function abandon(): Promise<void> {
    if (fd === undefined) return;
    const old = fd;
    fd = undefined;
    await ftruncate(old, bytes).catch(() => undefined); // room that stays is passed over
    await close(old).catch(() => undefined); // it is abandoned because it failed
  }

  async function start(base: Revision): Promise<number> {
    await abandon();
    // A name is used once, even when its file could not be finished.
    sequence++;
    const file = path.join(directory, fileName('log', sequence));
    const created = await open(file, openFlags, 0o600);
    try {
      salt = randomBytes(4).readUInt32LE();
      bytes = 0;
      room = 0;
      batches = 0;
      await writeAll(created, segmentFrame({ type: 'segment', salt, base }));
      await syncFolder(directory);
    } catch (error) {
      // Should it come back after a crash, it is an empty segment between two others.
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
        const wantsRoom = bytes + frame.length > room && frame.length <= smallBytes;
        if (++batches > batchesWithoutRoom && wantsRoom) await makeRoom(to);
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
        await mustMakeRoom(to);
      } catch (error) {
        if (!isFull(error as NodeJS.ErrnoException)) await abandon();
        throw error;
      }
    },
    verify() {
      // At once: the descriptor may be closed, and be another file's, in the next turn of the event loop.
      if (fd !== undefined && fs.fstatSync(fd).nlink === 0)
        throw new StorageError('unwritable', 'files of the data directory were removed');
    },
    close: abandon,
  };
}
