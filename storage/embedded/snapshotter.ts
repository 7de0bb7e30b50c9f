import { Trouble } from '../../lib/logging/trouble.js';
import type { Clock } from '../../lib/clock.js';
import type { Log } from '../log.js';
import type { EventLog } from '../event-log/event-log.js';
import type { DiskState } from './disk-state.js';
import { removeFile } from './folder.js';
import type { Journal } from './journal.js';
import type { MemoryValue } from './memory-item.js';
import type { Base, Recovered } from './recover.js';
import { writeSnapshot } from './snapshot.js';

export interface Snapshotter {
  /** Called between two batches; starts a snapshot when one is due. */
  afterBatch(): Promise<void> | undefined;
  stop(): Promise<void>;
}

export interface SnapshotterOptions {
  readonly directory: string;
  /** A path to the directory that stays valid whatever happens to its name. */
  readonly folder: string;
  readonly state: DiskState;
  readonly log: Log;
  readonly clock: Clock;
  readonly timeline: EventLog<Uint8Array>;
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

/**
 * Keeps the folder small: writes snapshots beside the log, and removes files that neither recovery nor the retained history needs.
 *
 *     snapshot 3      snapshot 9            the history reaches back to revision F
 *     log 3 4 ... 8   log 9 10              F before snapshot 9: all stay. F after it: 3 and log 3..8 go
 */
export function createSnapshotter(options: SnapshotterOptions): Snapshotter {
  const { directory, folder, state, log, clock, timeline, journal, recovered } = options;
  const stopping = new AbortController();
  const bases: Base[] = recovered.bases;
  let segments = [...recovered.segments, journal.sequence];
  /** Bytes of log since the newest base, without the current segment. */
  let earlierBytes = recovered.logBytes;
  let writing: Promise<void> | undefined;
  let notBefore = 0;
  const reporting = { log, now: () => clock.now(), graceMs: 0 };
  const unsaved = new Trouble({
    ...reporting,
    fails: 'no snapshot of the storage can be written; its log grows until one can',
    works: 'snapshots of the storage can be written again',
  });
  const unpruned = new Trouble({
    ...reporting,
    fails: 'old files of the storage cannot be removed',
    works: 'old files of the storage can be removed again',
  });

  function isDue(): boolean {
    if (writing !== undefined || stopping.signal.aborted || clock.now() < notBefore) return false;
    const bytes = earlierBytes + journal.bytes;
    const since = segments.filter(sequence => sequence >= (bases.at(-1)?.sequence ?? 0)).length;
    return bytes > Math.max(options.snapshotBytes, timeline.valueBytes) || since > maxSegments;
  }

  async function snapshot(base: Base, replaces: number): Promise<void> {
    const started = clock.now();
    const items = timeline.items();
    try {
      await writeSnapshot(
        folder,
        base.sequence,
        base.revision,
        items.values() as Iterable<MemoryValue>,
        stopping.signal,
      );
      unsaved.worked();
      bases.push(base);
      earlierBytes -= replaces;
      log.info(
        { directory, revision: base.revision, items: items.size, ms: clock.now() - started },
        'snapshot written',
      );
      await prune();
    } catch (error) {
      if (stopping.signal.aborted) return;
      notBefore = clock.now() + retryMs;
      unsaved.failed(error, { directory });
    }
  }

  async function prune(): Promise<void> {
    for (let next = bases[1]; next !== undefined && next.revision <= timeline.floor; next = bases[1]) {
      const first = bases[0];
      // The base is removed first: a folder must not have a base whose segments are gone.
      if (first?.file === true) await removeFile(folder, 'snapshot', first.sequence);
      bases.shift();
      const { sequence } = next;
      for (const old of segments.filter(s => s < sequence)) await removeFile(folder, 'log', old);
      segments = segments.filter(s => s >= sequence);
    }
  }

  function noteSegment(): void {
    if (segments.at(-1) !== journal.sequence) segments.push(journal.sequence);
  }

  async function rotate(): Promise<boolean> {
    const bytes = journal.bytes;
    try {
      await journal.rotate(timeline.revision);
    } catch (error) {
      notBefore = clock.now() + retryMs;
      state.failed(error);
      return false;
    }
    earlierBytes += bytes;
    noteSegment();
    return true;
  }

  async function start(): Promise<void> {
    if (!(await rotate())) return;
    const base: Base = { sequence: journal.sequence, revision: timeline.revision, file: true };
    writing = snapshot(base, earlierBytes).finally(() => (writing = undefined));
  }

  async function tick(): Promise<void> {
    while (!stopping.signal.aborted) {
      await clock.sleep(options.tickMs, stopping.signal);
      if (stopping.signal.aborted) return;
      timeline.trim();
      if (writing === undefined) {
        await prune().then(
          () => unpruned.worked(),
          (error: unknown) => unpruned.failed(error, { directory }),
        );
      }
    }
  }

  const ticking = tick();
  return {
    afterBatch() {
      noteSegment();
      if (isDue()) return start();
      return journal.bytes > segmentBytes && clock.now() >= notBefore ? rotate().then(() => undefined) : undefined;
    },
    async stop() {
      stopping.abort();
      await writing;
      await ticking;
    },
  };
}
