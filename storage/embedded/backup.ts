import { randomBytes } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { createFolders } from '../../lib/create-folders.js';
import { StorageError } from '../error.js';
import type { Revision } from '../interface.js';
import { silentLog } from '../log.js';
import { toRevision } from '../revision.js';
import { fileName, syncFolder, writeFormat } from './files/folder.js';
import { inspect } from './inspect.js';
import { Journal } from './files/journal.js';
import { lockFolder } from './lock.js';
import { lockPath } from './path-lock.js';
import type { Attached } from './files/record.js';
import { type State, readState, writeState } from './files/snapshot.js';

interface Saved {
  readonly revision: Revision;
  readonly objects: number;
}

/** The file of a backup cannot be written; `cause` is the system's error. */
export class BackupFileError extends Error {}

/**
 * Writes the folder's current state and other files into one file, durably and as a whole or not at all. Another process may use the folder
 * meanwhile; the file contains everything that it acknowledged before. Throws 'corrupt' when the state cannot be read to its end, and
 * BackupFileError.
 */
export async function saveBackup(directory: string, file: string, files: readonly Attached[]): Promise<Saved> {
  const { findings, state } = await inspect(directory, { thorough: false });
  if (state?.complete !== true) {
    const damaged = findings.find(finding => finding.damaged);
    throw new StorageError('corrupt', `${directory}: ${damaged?.file}: ${damaged?.text}`);
  }
  const { revision, items } = state;
  try {
    await writeState(file, { revision, items: items.values(), files });
  } catch (cause) {
    throw new BackupFileError(`${file} cannot be written: ${(cause as Error).message}`, { cause });
  }
  return { revision, objects: items.size };
}

/** Reads a file that `saveBackup` wrote. Throws 'corrupt' when anything is wrong with it. */
export const readBackup = readState;

/** An upper bound: no store commits so many revisions in a millisecond. */
const revisionsPerMs = 16;

/**
 * Returns the revision of a restored store: beyond every revision that was given out after the backup was made, so that a client that saw one of
 * them gets 410. Only a clock is certain to have moved on meanwhile.
 */
export const revisionAfter = (known: Revision, now: number): Revision =>
  toRevision(Math.max(known + 1, Math.floor(now) * revisionsPerMs));

interface RestoreOptions {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Existing data is moved aside; otherwise it is an error. */
  readonly replace: boolean;
}

interface Restored {
  readonly revision: Revision;
  /** Where the existing data was moved. */
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
 * Returns the newest revision of the existing data, as far as it can be read. Damage is no error: it may be the reason for the restore, and the
 * clock is ahead of what was written (`revisionAfter`). A failing disk is an error.
 */
async function existingRevision(directory: string): Promise<Revision> {
  try {
    const { state } = await inspect(directory, { thorough: false });
    return state?.revision ?? toRevision(0);
  } catch (error) {
    if (error instanceof StorageError) return toRevision(0);
    throw error;
  }
}

/** Creates a folder with this state and no history. */
async function build(directory: string, revision: Revision, items: State['items']): Promise<void> {
  await createFolders(directory);
  await writeFormat(directory);
  const journal = new Journal(directory, 0);
  await journal.rotate(revision);
  await journal.close();
  await writeState(path.join(directory, fileName('snapshot', journal.sequence)), { revision, items, files: [] });
}

/**
 * Replaces the folder's contents by this state, with newer revisions than anything before. The new folder is built beside the old one and takes
 * its name when it is durable. Throws 'locked' while a process uses the folder, and an EEXIST error when it holds data that is not to be
 * replaced.
 */
export async function restoreState(
  directory: string,
  state: Pick<State, 'revision' | 'items'>,
  options: RestoreOptions,
): Promise<Restored> {
  const hasExisting = await holdsData(directory);
  if (hasExisting && !options.replace)
    throw Object.assign(new Error(`${directory} holds data already`), { code: 'EEXIST' });
  const pathLock = await lockPath(directory, silentLog);
  try {
    return await replaceFolder(directory, state, { now: options.now, hasExisting });
  } finally {
    await pathLock.release();
  }
}

async function replaceFolder(
  directory: string,
  state: Pick<State, 'revision' | 'items'>,
  { now, hasExisting }: { readonly now: number; readonly hasExisting: boolean },
): Promise<Restored> {
  const lock = hasExisting ? await lockFolder(directory) : undefined;
  const draft = `${directory}.${randomBytes(4).toString('hex')}.tmp`;
  let movedTo: string | undefined;
  try {
    const known = hasExisting ? await existingRevision(directory) : state.revision;
    const revision = revisionAfter(toRevision(Math.max(known, state.revision)), now);
    await build(draft, revision, state.items);
    if (hasExisting) {
      movedTo = `${directory}.before-${new Date(now).toISOString().replace(/[:.]/g, '-')}`;
      await lock?.verify();
      await fs.rename(directory, movedTo);
    }
    // The rename replaces an empty folder, and fails when the folder has come into use.
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
