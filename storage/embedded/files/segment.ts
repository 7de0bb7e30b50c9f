import fs, { type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { StorageError } from '../../error.js';
import type { Revision } from '../../interface.js';
import { toRevision } from '../../revision.js';
import { fileName } from './folder.js';
import { frameAt, frameFollows, frameOverhead, readFrames, readWritten } from './frame.js';
import { type Payload, type SegmentHeader, readPayload, segmentFrame } from './record.js';

/** The revision of an empty store, as in etcd: clients take 0 for no revision. */
export const firstRevision = toRevision(1);

export interface Segment {
  readonly sequence: number;
  readonly file: string;
  readonly header: SegmentHeader;
}

type Batch = Extract<Payload, { readonly type: 'batch' }>;

/** Bytes of a segment without records. */
export const headerBytes = segmentFrame({ type: 'segment', salt: 0, base: firstRevision }).length;

/** Returns a segment with its header, or 'unused': a segment is used once its header is durable. Throws 'corrupt'. */
export async function openSegment(directory: string, sequence: number): Promise<Segment | 'unused'> {
  const file = path.join(directory, fileName('log', sequence));
  const start = Buffer.alloc(headerBytes);
  const handle = await fs.open(file, 'r');
  try {
    await handle.read(start, 0, headerBytes, 0);
    const payload = frameAt(start, 0, 0);
    const header = payload === undefined ? undefined : readPayload(payload);
    if (header?.type === 'segment') return { sequence, file, header };
    if ((await handle.stat()).size <= headerBytes) return 'unused';
    throw new StorageError('corrupt', `${file}: its header is damaged`);
  } finally {
    await handle.close();
  }
}

interface SegmentEnd {
  /** The revision of the last batch. */
  readonly revision: Revision;
  /** Bytes written to the segment, without the room allocated behind them. */
  readonly bytes: number;
  /** Bytes of a torn end that was never acknowledged. */
  readonly torn: number;
}

/**
 * Returns the bytes of a torn end, where no valid frame began: none if another process has written one there since. Returns undefined for damage: the log
 * is made durable batch by batch, so that a frame which another one follows was complete once.
 */
async function tornBytes(handle: FileHandle, offset: number, salt: number): Promise<number | undefined> {
  // A read beside a write may see the later part of it without the earlier one.
  for (let look = 0; look < 2; look++) {
    const rest = await readWritten(handle, offset);
    if (frameAt(rest, 0, salt)) return 0;
    if (!frameFollows(rest, 1, salt)) return rest.length;
  }
  return undefined;
}

/**
 * Reads the batches of a segment up to `limit`, where the next one continues. Without limit it is the last segment, whose end may be torn.
 * Another process may write to it meanwhile. Throws 'corrupt', after the batches before the damage.
 */
export async function readSegment(
  { file, header }: Segment,
  limit: Revision | undefined,
  each: (batch: Batch, last: Revision) => void,
): Promise<SegmentEnd> {
  const { salt } = header;
  const corrupt = (what: string): StorageError => new StorageError('corrupt', `${file}: ${what}`);
  let revision = header.base;
  let offset = 0;
  let torn = 0;
  const handle = await fs.open(file, 'r');
  try {
    for await (const payload of readFrames(handle, () => salt)) {
      if (revision === limit) break;
      if (payload === undefined) {
        const unread = limit === undefined ? await tornBytes(handle, offset, salt) : undefined;
        if (unread === undefined) throw corrupt(`damaged at byte ${offset}, after revision ${revision}`);
        torn = unread;
        break;
      }
      if (offset > 0) {
        const batch = readPayload(payload);
        if (batch.type !== 'batch' || batch.first !== revision + 1) throw corrupt(`no batch at byte ${offset}`);
        revision = toRevision(batch.first + batch.records.length - 1);
        each(batch, revision);
      }
      offset += frameOverhead + payload.length;
    }
  } finally {
    await handle.close();
  }
  if (limit !== undefined && revision !== limit)
    throw corrupt(`it ends at revision ${revision}, the next one begins after ${limit}`);
  return { revision, bytes: offset + torn, torn };
}
