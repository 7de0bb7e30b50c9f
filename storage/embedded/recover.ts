import fs from 'node:fs/promises';
import path from 'node:path';
import { StorageError } from '../error.js';
import type { Revision } from '../interface.js';
import type { Log } from '../log.js';
import type { KeyChange } from '../event-log/history.js';
import { KeyMap } from '../event-log/key-map.js';
import { changedKey } from '../event-log/changed-key.js';
import { toRevision } from '../revision.js';
import type { EventLog } from '../event-log/event-log.js';
import { type FileKind, fileName, listFiles, readCompacted, removeFile, removeUnfinished } from './files/folder.js';
import type { MemoryValue } from './files/memory-item.js';
import type { JournalRecord } from './files/record.js';
import { type Segment, firstRevision, headerBytes, openSegment, readSegment } from './files/segment.js';
import { readSnapshot, snapshotRevision } from './files/snapshot.js';

/**
 * A point from which the log can be read: snapshot `sequence` holds the state at `revision` (or the state is empty), and segment `sequence`
 * continues.
 */
export interface Base {
  readonly sequence: number;
  readonly revision: Revision;
  readonly file: boolean;
}

export interface Recovered {
  readonly eventLog: EventLog<Uint8Array>;
  readonly lastSequence: number;
  /** Ascending. The first one is what the state was recovered from. */
  readonly bases: Base[];
  /** Segments in the folder that have records. */
  readonly segments: number[];
  /** Segments without records, which are useless as soon as the next one exists. */
  readonly empty: number[];
  /** Bytes of log since the newest base. */
  readonly logBytes: number;
}

type MakeEventLog = (start: Revision, items: KeyMap<MemoryValue>) => EventLog<Uint8Array>;

/**
 * Returns the state that the files of the folder describe: the oldest snapshot and every batch since, so that the recent history can be watched
 * and read again. A torn end of the last segment was never acknowledged and is skipped; any other damage throws 'corrupt'.
 */
export async function recover(directory: string, makeEventLog: MakeEventLog, log: Log): Promise<Recovered> {
  await removeUnfinished(directory);
  const files = await listFiles(directory);
  const bases = await findBases(directory, files);
  const oldest = bases[0] ?? { sequence: 1, revision: firstRevision, file: false };
  if (bases.length === 0) bases.push(oldest);
  // The process ended while it removed older segments.
  for (const sequence of files.log) if (sequence < oldest.sequence) await removeFile(directory, 'log', sequence);

  const items = oldest.file ? (await readSnapshot(directory, oldest.sequence)).items : new KeyMap<MemoryValue>();
  const eventLog = makeEventLog(oldest.revision, items);
  const wanted = files.log.filter(sequence => sequence >= oldest.sequence);
  const segments = await openSegments(directory, wanted);
  if ((segments[0]?.header.base ?? firstRevision) !== oldest.revision) {
    throw new StorageError('corrupt', `${directory}: the log after revision ${oldest.revision} is missing`);
  }
  let logBytes = 0;
  const empty: number[] = [];
  for (const [index, segment] of segments.entries()) {
    const bytes = await replay(segment, segments[index + 1]?.header.base, eventLog, log);
    if (segment.sequence >= (bases.at(-1)?.sequence ?? 0)) logBytes += bytes;
    if (bytes <= headerBytes) empty.push(segment.sequence);
  }
  eventLog.compact(toRevision(Math.min(await readCompacted(directory), eventLog.revision)));
  return {
    eventLog,
    lastSequence: Math.max(0, ...files.log, ...files.snapshot),
    bases,
    segments: segments.map(segment => segment.sequence).filter(sequence => !empty.includes(sequence)),
    empty,
    logBytes,
  };
}

async function findBases(
  directory: string,
  files: { readonly [kind in FileKind]: readonly number[] },
): Promise<Base[]> {
  const bases: Base[] = [];
  for (const sequence of files.snapshot) {
    const revision = await snapshotRevision(directory, sequence);
    if (revision === undefined) {
      throw new StorageError(
        'corrupt',
        `${path.join(directory, fileName('snapshot', sequence))}: its header is damaged`,
      );
    }
    bases.push({ sequence, revision, file: true });
  }
  // A log that reaches back to the empty store needs no snapshot.
  const first = files.log[0] ?? Infinity;
  if (first >= (bases[0]?.sequence ?? Infinity)) return bases;
  const [segment] = await openSegments(directory, [first]);
  if (segment?.header.base === firstRevision) bases.unshift({ sequence: first, revision: firstRevision, file: false });
  return bases;
}

async function openSegments(directory: string, sequences: readonly number[]): Promise<Segment[]> {
  const segments: Segment[] = [];
  for (const sequence of sequences) {
    const segment = await openSegment(directory, sequence);
    if (segment === 'unused') await removeFile(directory, 'log', sequence);
    else segments.push(segment);
  }
  return segments;
}

/** Applies the segment to the event log, to its end or to `limit`, where the next segment continues. Returns the segment's size in bytes. */
async function replay(
  segment: Segment,
  limit: Revision | undefined,
  eventLog: EventLog<Uint8Array>,
  log: Log,
): Promise<number> {
  const { file } = segment;
  const { bytes, torn } = await readSegment(segment, limit, (batch, last) =>
    eventLog.publish(changesOf(batch.records, eventLog), last, batch.time),
  );
  if (torn > 0) log.warn({ file, bytes: torn }, 'the end of the log was cut off before it was acknowledged');
  // After a kill it may be in the page cache only; from now on it counts as acknowledged.
  if (limit === undefined) await settle(file, bytes);
  return bytes;
}

/** Returns the records as changes of the state before them; one batch may change a key several times. */
function changesOf(records: readonly JournalRecord[], eventLog: EventLog<Uint8Array>): KeyChange<Uint8Array>[] {
  const within = new Map<string, MemoryValue | undefined>();
  return records.map(record => {
    const key = changedKey(record);
    const previous = within.has(key) ? within.get(key) : eventLog.get(key);
    within.set(key, record.type === 'put' ? record.item : undefined);
    return record.type === 'put'
      ? { type: 'put', item: record.item, previous, revision: record.item.revision }
      : { type: 'remove', key, previous, revision: record.revision };
  });
}

/** Makes the segment's data durable, and frees the room behind it. */
async function settle(file: string, bytes: number): Promise<void> {
  const handle = await fs.open(file, 'r+');
  try {
    await handle.truncate(bytes);
    await handle.datasync();
  } finally {
    await handle.close();
  }
}
