/**
 * Where the process that has a store writes down its newest revision, for the processes that share it: they read it as they read memory, and
 * ask nobody. The file is in memory too (or at least in the page cache), has no name, and goes with the last who has it open.
 *
 *   revision, high and low half · what both together make · process that writes        four numbers of 32 bits
 */
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { StorageError } from '../error.js';
import type { Backend, Revision } from '../interface.js';
import { toRevision } from '../revision.js';

const boardBytes = 16;
const two32 = 2 ** 32;
/** What was half written when it was read is whole a microsecond later. */
const maxTries = 1000;

/** Linux keeps it in memory only there; what is elsewhere may have to wait for a disk. */
const inMemory = '/dev/shm';

/** A different one for every revision, so that halves of two revisions are known for what they are. */
const checkOf = (high: number, low: number): number =>
  (Math.imul(low ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(high, 0xc2b2ae35)) >>> 0;

export interface SharedRevision {
  /** Of the file: for who is started with it. */
  readonly descriptor: number;
  /** Nothing is written any more. */
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
 * Writes down every revision of the store before anybody can see what is in it. Throws the system's error. Should a revision not be written one day, the
 * store goes no further: who shares it would be told what is old.
 */
export function openSharedRevision(store: Pick<Backend, 'announce'>): SharedRevision {
  if (store.announce === undefined) throw new Error('the store does not say when it moves');
  const descriptor = openNameless();
  const bytes = Buffer.alloc(boardBytes);
  bytes.writeUInt32LE(process.pid, 12);
  const quiet = store.announce(revision => {
    const high = Math.floor(revision / two32);
    const low = revision % two32;
    bytes.writeUInt32LE(high, 0);
    bytes.writeUInt32LE(low, 4);
    bytes.writeUInt32LE(checkOf(high, low), 8);
    fs.writeSync(descriptor, bytes, 0, boardBytes, 0);
  });
  return {
    descriptor,
    close() {
      quiet();
      fs.closeSync(descriptor);
    },
  };
}

/**
 * hot: every consistent read. Answers the newest revision; throws 'unavailable' when the process that wrote it (`isThere`) has ended: what stands
 * there is old as soon as another one has the store.
 */
export function sharedRevisionReader(descriptor: number, isThere: (pid: number) => boolean): () => Revision {
  const bytes = Buffer.alloc(boardBytes);
  return () => {
    for (let tries = 0; tries < maxTries; tries++) {
      fs.readSync(descriptor, bytes, 0, boardBytes, 0);
      const high = bytes.readUInt32LE(0);
      const low = bytes.readUInt32LE(4);
      if (bytes.readUInt32LE(8) !== checkOf(high, low)) continue;
      // Looked at afterwards: as long as it was there then, no other can have moved on.
      if (isThere(bytes.readUInt32LE(12))) return toRevision(high * two32 + low);
      throw new StorageError('unavailable', 'the process that has the store is gone');
    }
    throw new StorageError('unavailable', 'the newest revision cannot be read');
  };
}
