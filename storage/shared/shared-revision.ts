/**
 * The newest revision of a store in a file, written by the process that owns the store and read by the processes that share it, without a
 * request. The file is in memory (or at least in the page cache), has no name, and is removed when the last process closes it.
 *
 *   revision, high and low half · checksum of both · number of the writing process        four numbers of 32 bits
 */
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { StorageError } from '../error.js';
import type { Backend, Revision } from '../interface.js';
import { toRevision } from '../revision.js';

const recordBytes = 16;
const two32 = 2 ** 32;
/** Attempts to read a revision that is being written; a write takes about a microsecond. */
const maxTries = 1000;

/** Linux keeps files in memory there only; other folders may wait for a disk. */
const inMemory = '/dev/shm';

/** Returns a checksum of the two halves, different for every revision, which detects a revision that is half written. */
const checkOf = (high: number, low: number): number =>
  (Math.imul(low ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(high, 0xc2b2ae35)) >>> 0;

export interface SharedRevision {
  /** The file descriptor, for processes that inherit it. */
  readonly descriptor: number;
  /** Ends the writing. */
  close(): void;
}

function isWritable(folder: string): boolean {
  try {
    fs.accessSync(folder, fs.constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function openNameless(): number {
  const folder = isWritable(inMemory) ? inMemory : os.tmpdir();
  const file = path.join(folder, `flagship-${randomUUID()}`);
  const descriptor = fs.openSync(file, 'wx+', 0o600);
  fs.unlinkSync(file);
  return descriptor;
}

/**
 * Writes every revision of the store to the file before its changes are visible. Throws the system's error. If a revision cannot be written
 * later, the store stops: processes that share it would read stale data.
 */
export function openSharedRevision(store: Pick<Backend, 'announce'>): SharedRevision {
  if (store.announce === undefined) throw new Error('the store does not say when it moves');
  const descriptor = openNameless();
  const bytes = Buffer.alloc(recordBytes);
  bytes.writeUInt32LE(process.pid, 12);
  const stop = store.announce(revision => {
    const high = Math.floor(revision / two32);
    const low = revision % two32;
    bytes.writeUInt32LE(high, 0);
    bytes.writeUInt32LE(low, 4);
    bytes.writeUInt32LE(checkOf(high, low), 8);
    fs.writeSync(descriptor, bytes, 0, recordBytes, 0);
  });
  return {
    descriptor,
    close() {
      stop();
      fs.closeSync(descriptor);
    },
  };
}

/**
 * hot: every consistent read. Returns a function that reads the newest revision. It throws 'unavailable' when the process that wrote it
 * (`isThere`) has ended: the revision is stale as soon as another process owns the store.
 */
export function sharedRevisionReader(descriptor: number, isAlive: (pid: number) => boolean): () => Revision {
  const bytes = Buffer.alloc(recordBytes);
  return () => {
    for (let tries = 0; tries < maxTries; tries++) {
      fs.readSync(descriptor, bytes, 0, recordBytes, 0);
      const high = bytes.readUInt32LE(0);
      const low = bytes.readUInt32LE(4);
      if (bytes.readUInt32LE(8) !== checkOf(high, low)) continue;
      // Checked after the read: if the owner is alive now, no other process can have written since.
      if (isAlive(bytes.readUInt32LE(12))) return toRevision(high * two32 + low);
      throw new StorageError('unavailable', 'the process that has the store is gone');
    }
    throw new StorageError('unavailable', 'the newest revision cannot be read');
  };
}
