import { randomBytes } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { StorageError } from '../error.js';
import type { Revision } from '../interface.js';
import { toRevision } from '../revision.js';
import { fileName, syncFolder, writeFormat } from './folder.js';
import { inspect } from './inspect.js';
import { createJournal } from './journal.js';
import { lockFolder } from './lock.js';
import type { Attached } from './record.js';
import { type State, readState, writeState } from './snapshot.js';

export interface Saved {
  readonly revision: Revision;
  readonly objects: number;
}

/** The file of a backup cannot be written; `cause` is the system's error. */
export class BackupFileError extends Error {}

/**
 * Writes the folder's current state into a file, with other files beside it: whole and durable, or not at all. A process may work in the
 * folder meanwhile; what it acknowledged before is in the file. Throws 'corrupt' when the state cannot be read to its end, and BackupFileError.
 */
export async function saveBackup(directory: string, file: string, files: readonly Attached[]): Promise<Saved> {
  const { findings, state } = await inspect(directory, { thorough: false });
  if (state?.complete !== true) {
    const damaged = findings.find(finding => finding.damaged);
    throw new StorageError('corrupt', `${directory}: ${damaged?.file}: ${damaged?.text}`);
  }
  const { revision, items } = state;
  try {
    await writeState(file, { revision, items: items.values() as Iterable<never>, files });
  } catch (cause) {
    throw new BackupFileError(`${file} cannot be written: ${(cause as Error).message}`, { cause });
  }
  return { revision, objects: items.size };
}

/** A file that `saveBackup` wrote. Throws 'corrupt' when anything is wrong with it. */
export const readBackup = readState;

/** More than any store commits in a millisecond. */
const revisionsPerMs = 16;

/**
 * Where a restored store goes on: beyond every revision that was given out after the backup was made, known or not, so that whoever saw one of
 * them learns that it is gone. A clock is the only thing that is certain to have moved on meanwhile.
 */
export const revisionAfter = (known: Revision, now: number): Revision =>
  toRevision(Math.max(known + 1, Math.floor(now) * revisionsPerMs));

export interface RestoreOptions {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Data that stands there is moved aside; otherwise it is an error. */
  readonly replace: boolean;
}

export interface Restored {
  readonly revision: Revision;
  /** Where the data went that stood there. */
  readonly movedTo: string | undefined;
}

async function holdsData(directory: string): Promise<boolean> {
  const found = await fs.readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return found.length > 0;
}

/**
 * The newest revision of what stands there, as far as it can be read. Damage is no error: it may be why somebody restores, and the clock
 * leads beyond what was written (`revisionAfter`). A disk that fails is one.
 */
async function standingRevision(directory: string): Promise<Revision> {
  try {
    const { state } = await inspect(directory, { thorough: false });
    return state?.revision ?? toRevision(0);
  } catch (error) {
    if (error instanceof StorageError) return toRevision(0);
    throw error;
  }
}

/** Makes a folder with this state and nothing of its past. */
async function build(directory: string, revision: Revision, items: State['items']): Promise<void> {
  await fs.mkdir(directory, { recursive: true, mode: 0o700 });
  await writeFormat(directory);
  const journal = createJournal(directory, 0);
  await journal.rotate(revision);
  await journal.close();
  await writeState(path.join(directory, fileName('snapshot', journal.sequence)), { revision, items, files: [] });
}

/**
 * Makes the folder hold this state, with newer revisions than anything before. It is built beside the folder and takes its name when it is
 * durable. Throws 'locked' while a process works in the folder, and an EEXIST error when it holds data that is not to be replaced.
 */
export async function restoreState(
  directory: string,
  state: Pick<State, 'revision' | 'items'>,
  options: RestoreOptions,
): Promise<Restored> {
  const standing = await holdsData(directory);
  if (standing && !options.replace)
    throw Object.assign(new Error(`${directory} holds data already`), { code: 'EEXIST' });
  const lock = standing ? await lockFolder(directory) : undefined;
  const draft = `${directory}.${randomBytes(4).toString('hex')}.tmp`;
  let movedTo: string | undefined;
  try {
    const known = standing ? await standingRevision(directory) : state.revision;
    const revision = revisionAfter(toRevision(Math.max(known, state.revision)), options.now);
    await build(draft, revision, state.items);
    if (standing) {
      movedTo = `${directory}.before-${new Date(options.now).toISOString().replace(/[:.]/g, '-')}`;
      await lock?.verify();
      await fs.rename(directory, movedTo);
    }
    // An empty folder gives way; one that somebody has begun to use does not.
    await fs.rename(draft, directory);
    await syncFolder(path.dirname(directory));
    return { revision, movedTo };
  } catch (error) {
    await fs.rm(draft, { recursive: true, force: true });
    throw error;
  } finally {
    await lock?.release();
  }
}
