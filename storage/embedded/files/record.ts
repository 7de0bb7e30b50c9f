import type { Revision } from '../../interface.js';
import { toRevision } from '../../revision.js';
import { changedKey } from '../../event-log/changed-key.js';
import { emptyFrame, frameOverhead, seal } from './frame.js';
import { type MemoryValue, MemoryItem, sizeOfItem } from './memory-item.js';

export type JournalRecord =
  | { readonly type: 'put'; readonly item: MemoryValue }
  | { readonly type: 'remove'; readonly key: string; readonly revision: Revision };

/** The kind of a payload, in its first byte. The numbers are on disk and are never reused. */
const kinds = { segment: 1, batch: 2, snapshot: 3, items: 4, end: 5, file: 6 } as const;
const operations = { put: 1, putExpiring: 2, remove: 3 } as const;

/** The first frame of a segment: the log continues after `base`. Earlier segments' records beyond `base` were never acknowledged. */
export interface SegmentHeader {
  readonly type: 'segment';
  readonly salt: number;
  readonly base: Revision;
}

/** The first frame of a snapshot: the state at `revision`. The segment whose file has the same sequence number continues from it. */
interface SnapshotHeader {
  readonly type: 'snapshot';
  readonly salt: number;
  readonly revision: Revision;
}

/** Another file that is kept with a backup. */
export interface Attached {
  readonly type: 'file';
  /** A relative path with slashes. */
  readonly name: string;
  readonly content: Buffer;
}

export type Payload =
  | SegmentHeader
  | SnapshotHeader
  /** Records that were made durable together, at `time` in milliseconds since the epoch; their revisions count on from `first`. */
  | {
      readonly type: 'batch';
      readonly time: number;
      readonly first: Revision;
      readonly records: readonly JournalRecord[];
    }
  | { readonly type: 'items'; readonly items: readonly MemoryValue[] }
  | Attached
  | { readonly type: 'end'; readonly count: number };

const recordOverhead = 1 + 4 + 4 + 8 + 8;
const headerOverhead = 1 + 8 + 8 + 4;

/** Returns an upper bound of the record's bytes in a frame. A UTF-16 unit is at most three bytes of UTF-8. */
export function recordBytes(record: JournalRecord): number {
  return recordOverhead + 3 * changedKey(record).length + (record.type === 'put' ? sizeOfItem(record.item) : 0);
}

function writeRecord(into: Buffer, offset: number, record: JournalRecord): number {
  const expiresAt = record.type === 'put' ? record.item.expiresAt : undefined;
  const operation =
    record.type === 'remove' ? operations.remove : expiresAt === undefined ? operations.put : operations.putExpiring;
  let at = into.writeUInt8(operation, offset);
  at = into.writeDoubleLE(record.type === 'put' ? record.item.revision : record.revision, at);
  if (expiresAt !== undefined) at = into.writeDoubleLE(expiresAt, at);
  const keyLength = into.write(changedKey(record), at + 4);
  into.writeUInt32LE(keyLength, at);
  at += 4 + keyLength;
  if (record.type === 'remove') return at;
  const { value } = record.item;
  at = into.writeUInt32LE(value.byteLength, at);
  into.set(value, at);
  return at + value.byteLength;
}

/** Reads forward through a payload. Values that outlive the payload are copied. */
class PayloadReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  byte(): number {
    return this.#bytes.readUInt8(this.#at++);
  }

  integer(): number {
    this.#at += 4;
    return this.#bytes.readUInt32LE(this.#at - 4);
  }

  double(): number {
    this.#at += 8;
    return this.#bytes.readDoubleLE(this.#at - 8);
  }

  take(): Buffer {
    const length = this.integer();
    this.#at += length;
    if (this.#at > this.#bytes.length) throw new RangeError('a record is longer than its frame');
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  record(): JournalRecord {
    const operation = this.byte();
    const revision = toRevision(this.double());
    const expiresAt = operation === operations.putExpiring ? this.double() : undefined;
    const key = this.take().toString('utf8');
    if (operation === operations.remove) return { type: 'remove', key, revision };
    return { type: 'put', item: new MemoryItem(key, Buffer.from(this.take()), revision, expiresAt) };
  }
}

function smallFrame(write: (payload: Buffer) => number, salt: number): Buffer {
  const payload = Buffer.alloc(64);
  const length = write(payload);
  const frame = emptyFrame(length);
  payload.copy(frame, frameOverhead, 0, length);
  return seal(frame, salt);
}

/** Returns the first frame of a segment of the log. Its checksum has no salt, since it tells the salt of the frames that follow. */
export const segmentFrame = (header: SegmentHeader): Buffer =>
  smallFrame(p => p.writeDoubleLE(header.base, p.writeUInt32LE(header.salt, p.writeUInt8(kinds.segment))), 0);

/** Returns the first frame of a snapshot. Its checksum has no salt, since it tells the salt of the frames that follow. */
export const snapshotFrame = (header: SnapshotHeader): Buffer =>
  smallFrame(p => p.writeDoubleLE(header.revision, p.writeUInt32LE(header.salt, p.writeUInt8(kinds.snapshot))), 0);

/** Returns the last frame of a snapshot. `count` is the number of its items, by which a snapshot that is cut short is recognised. */
export const endFrame = (count: number, salt: number): Buffer =>
  smallFrame(p => p.writeDoubleLE(count, p.writeUInt8(kinds.end)), salt);

/** Returns the frame of another file that a backup holds. */
export function attachedFrame({ name, content }: Attached, salt: number): Buffer {
  const bytes = Buffer.from(name);
  const frame = emptyFrame(1 + 4 + bytes.length + 4 + content.length);
  let at = frame.writeUInt8(kinds.file, frameOverhead);
  at = frame.writeUInt32LE(bytes.length, at);
  at += bytes.copy(frame, at);
  at = frame.writeUInt32LE(content.length, at);
  content.copy(frame, at);
  return seal(frame, salt);
}

function framed(
  kind: number,
  records: readonly JournalRecord[],
  salt: number,
  batchHeader: { readonly time: number; readonly first: number },
  scratch?: Buffer,
): Buffer {
  let bound = headerOverhead;
  for (const record of records) bound += recordBytes(record);
  const frame = emptyFrame(bound, scratch);
  let at = frame.writeUInt8(kind, frameOverhead);
  at = frame.writeDoubleLE(batchHeader.time, at);
  at = frame.writeDoubleLE(batchHeader.first, at);
  at = frame.writeUInt32LE(records.length, at);
  for (const record of records) at = writeRecord(frame, at, record);
  frame.writeUInt32LE(at - frameOverhead, 4);
  return seal(frame.subarray(0, at), salt);
}

/** Copies each value once, on its way to the disk; into `scratch` if all fit. hot: runs for every write, measured by bench/storage.ts. */
export const batchFrame = (
  records: readonly JournalRecord[],
  batchHeader: { readonly first: Revision; readonly time: number },
  salt: number,
  scratch: Buffer | undefined,
): Buffer => framed(kinds.batch, records, salt, batchHeader, scratch);

/** Returns a frame with some items of a snapshot. */
export const itemsFrame = (items: readonly MemoryValue[], salt: number): Buffer =>
  framed(
    kinds.items,
    items.map(item => ({ type: 'put', item })),
    salt,
    { time: 0, first: 0 },
  );

/** Throws RangeError when the payload is of no known kind (its checksum was right, so another program wrote it). */
export function readPayload(bytes: Buffer): Payload {
  const reader = new PayloadReader(bytes);
  const kind = reader.byte();
  if (kind === kinds.segment) return { type: 'segment', salt: reader.integer(), base: toRevision(reader.double()) };
  if (kind === kinds.snapshot)
    return { type: 'snapshot', salt: reader.integer(), revision: toRevision(reader.double()) };
  if (kind === kinds.end) return { type: 'end', count: reader.double() };
  if (kind === kinds.file)
    return { type: 'file', name: reader.take().toString('utf8'), content: Buffer.from(reader.take()) };
  if (kind !== kinds.batch && kind !== kinds.items) throw new RangeError(`a frame of unknown kind ${kind}`);
  const time = reader.double();
  const first = reader.double();
  const records = Array.from({ length: reader.integer() }, () => reader.record());
  if (kind === kinds.batch) return { type: 'batch', time, first: toRevision(first), records };
  return { type: 'items', items: records.flatMap(record => (record.type === 'put' ? [record.item] : [])) };
}
