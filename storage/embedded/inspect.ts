import { StorageError } from '../error.js';
import type { Revision } from '../interface.js';
import { KeyMap } from '../event-log/key-map.js';
import { checkVersion, fileName, listFiles } from './files/folder.js';
import type { MemoryValue } from './files/memory-item.js';
import type { JournalRecord } from './files/record.js';
import { type Segment, firstRevision, openSegment, readSegment } from './files/segment.js';
import { readSnapshot } from './files/snapshot.js';

/** A finding about one file. */
interface Finding {
  readonly file: string;
  /** Describes the contents; with `damaged`, the damage. */
  readonly text: string;
  readonly damaged: boolean;
}

/** The current state, as far as it can be read. */
interface Reachable {
  readonly revision: Revision;
  readonly items: KeyMap<MemoryValue>;
  /** The state is the newest one that was written: nothing is lost. */
  readonly complete: boolean;
}

export interface Inspection {
  readonly findings: readonly Finding[];
  /** Undefined: no state can be read at all. */
  readonly state: Reachable | undefined;
}

type Read<T> = T | StorageError;

/** Returns damage of the data as a value. Throws when a file cannot be opened or read. */
async function attempt<T>(work: () => Promise<T>): Promise<Read<T>> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StorageError) return error;
    // The frame has a valid checksum and was not written by this program.
    if (error instanceof RangeError) return new StorageError('corrupt', error.message, { cause: error });
    throw error;
  }
}

function play(items: KeyMap<MemoryValue>, record: JournalRecord): void {
  if (record.type === 'put') items.set(record.item.key, record.item);
  else items.delete(record.key);
}

type Opened = readonly { readonly sequence: number; readonly segment: Read<Segment> }[];

const plural = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

/** Applies the segments from `sequence` on to the state, and reports a finding for each with `note`. */
async function follow(
  segments: Opened,
  base: { readonly sequence: number; readonly revision: Revision; readonly items: KeyMap<MemoryValue> },
  note: (sequence: number, text: string, damaged: boolean) => void,
): Promise<Reachable> {
  const { items } = base;
  let { revision } = base;
  const wanted = segments.filter(one => one.sequence >= base.sequence);
  if (wanted.length === 0) {
    note(base.sequence, 'it is missing', true);
    return { revision, items, complete: false };
  }
  for (const [index, { sequence, segment }] of wanted.entries()) {
    if (segment instanceof StorageError) {
      note(sequence, segment.message, true);
      return { revision, items, complete: false };
    }
    if (segment.header.base !== revision) {
      note(sequence, `it goes on after revision ${segment.header.base}; what comes before it is missing`, true);
      return { revision, items, complete: false };
    }
    const next = wanted[index + 1]?.segment;
    const limit = next === undefined || next instanceof StorageError ? undefined : next.header.base;
    const from = revision;
    const end = await attempt(() =>
      readSegment(segment, limit, (batch, last) => {
        for (const record of batch.records) play(items, record);
        revision = last;
      }),
    );
    if (end instanceof StorageError) {
      note(sequence, end.message, true);
      return { revision, items, complete: false };
    }
    const torn = end.torn === 0 ? '' : `; ${end.torn} bytes after it were never acknowledged`;
    note(sequence, `${plural(revision - from, 'change')} up to revision ${revision}${torn}`, false);
  }
  return { revision, items, complete: true };
}

async function openAll(directory: string, sequences: readonly number[]): Promise<Opened> {
  const segments = [];
  for (const sequence of sequences) {
    const segment = await attempt(() => openSegment(directory, sequence));
    if (segment !== 'unused') segments.push({ sequence, segment });
  }
  return segments;
}

/** Returns whether the process that uses the folder removed a file while it was read. */
const hasGone = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';
const maxAttempts = 5;

/**
 * Reads a folder without changing it, also while a process uses it: the result is what that process would recover after a crash. Throws
 * 'format', 'corrupt' for a folder that holds no store, and the system's errors.
 */
export async function inspect(directory: string, how: { readonly thorough: boolean }): Promise<Inspection> {
  for (let round = 1; ; round++) {
    try {
      return await look(directory, how.thorough);
    } catch (error) {
      if (!hasGone(error) || round === maxAttempts) throw error;
    }
  }
}

/** Reads every file from the oldest on when thorough; otherwise from the newest readable snapshot. */
async function look(directory: string, thorough: boolean): Promise<Inspection> {
  await checkVersion(directory);
  const files = await listFiles(directory);
  const findings = new Map<string, Finding>();
  const note = (file: string, text: string, damaged: boolean): void => {
    // A finding of damage is kept; the same file may be read over several bases.
    if (findings.get(file)?.damaged !== true)
      findings.set(file, { file, text: text.replace(`${directory}/${file}: `, ''), damaged });
  };
  const segments = await openAll(directory, files.log);
  const noteLog = (sequence: number, text: string, damaged: boolean): void =>
    note(fileName('log', sequence), text, damaged);
  let best: Reachable | undefined;
  for (const sequence of [...files.snapshot].reverse()) {
    if (best?.complete === true && !thorough) break;
    const file = fileName('snapshot', sequence);
    const read = await attempt(() => readSnapshot(directory, sequence));
    if (read instanceof StorageError) {
      note(file, read.message, true);
      continue;
    }
    note(file, `${plural(read.items.size, 'object')} at revision ${read.revision}`, false);
    const reached = await follow(segments, { sequence, revision: read.revision, items: read.items }, noteLog);
    if (best === undefined || (!best.complete && reached.revision > best.revision)) best = reached;
  }
  const first = segments[0];
  const startsEmpty =
    first !== undefined && !(first.segment instanceof StorageError) && first.segment.header.base === firstRevision;
  if ((thorough || best?.complete !== true) && (startsEmpty || (files.snapshot.length === 0 && first !== undefined))) {
    const empty = { sequence: first.sequence, revision: firstRevision, items: new KeyMap<MemoryValue>() };
    const reached = await follow(segments, empty, noteLog);
    if (best === undefined || (!best.complete && reached.revision > best.revision)) best = reached;
  }
  if (files.log.length + files.snapshot.length === 0)
    best = { revision: firstRevision, items: new KeyMap<MemoryValue>(), complete: true };
  const order = [...findings.values()].sort((a, b) => (a.file < b.file ? -1 : 1));
  return { findings: order, state: best };
}
