import fs from 'node:fs/promises';
import path from 'node:path';
import { createFolders } from '../../../lib/create-folders.js';
import { writePrivate } from '../../../lib/write-private.js';
import { StorageError } from '../../error.js';
import type { Revision } from '../../interface.js';
import { noRevision, toRevision } from '../../revision.js';

/**
 * The files of a store:
 *
 *     FORMAT                     version of everything else
 *     COMPACTED                  the revision up to which the history is compacted; absent: nothing is
 *     lock                       socket of the process that uses the folder
 *     0000000007.log             segment 7 of the log
 *     0000000007.snapshot        the state with which segment 7 begins
 *     *.tmp                      unfinished
 */
const version = 1;
/** Error codes of chmod when the folder has another owner, or its file system has no modes. */
const fixedModes: ReadonlySet<string> = new Set(['EPERM', 'EROFS', 'ENOTSUP', 'ENOSYS']);
const formatLine = /^flagship-storage (\d+)\n$/;

export type FileKind = 'log' | 'snapshot';

/** Returns the name of a segment or a snapshot. */
export const fileName = (kind: FileKind, sequence: number): string => `${String(sequence).padStart(10, '0')}.${kind}`;

/** Makes names durable that were created, renamed or removed in the folder. */
export async function syncFolder(directory: string): Promise<void> {
  const handle = await fs.open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Creates the folder when it is missing, readable by its owner only. */
export async function makeStoreFolder(directory: string): Promise<void> {
  const created = await createFolders(directory);
  if (created !== undefined) return syncFolder(path.dirname(created));
  const { mode } = await fs.stat(directory);
  // A mounted volume may have another owner, which decides about its mode.
  if ((mode & 0o077) !== 0)
    await fs.chmod(directory, 0o700).catch((error: NodeJS.ErrnoException) => {
      if (!fixedModes.has(error.code ?? '')) throw error;
    });
}

/** Checks the version as `checkVersion`; an empty folder gets the current version. */
export async function checkFormat(directory: string): Promise<void> {
  if ((await checkVersion(directory)) === undefined) await writeFormat(directory);
}

/** Records durably that the folder has the current version. */
export const writeFormat = (directory: string): Promise<void> =>
  writeDurably(directory, 'FORMAT', `flagship-storage ${version}\n`);

/**
 * Returns the version of the folder's data; undefined when it has none. Throws 'format' for a newer version, 'corrupt' for data without version.
 */
export async function checkVersion(directory: string): Promise<number | undefined> {
  const file = path.join(directory, 'FORMAT');
  const text = await fs.readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) {
    const { log, snapshot } = await listFiles(directory);
    if (log.length + snapshot.length > 0)
      throw new StorageError('corrupt', `${directory} holds data but no FORMAT file`);
    return undefined;
  }
  const found = Number(formatLine.exec(text)?.[1]);
  if (Number.isNaN(found)) throw new StorageError('corrupt', `${file} does not name a format`);
  if (found > version) {
    throw new StorageError(
      'format',
      `${directory} was written in format ${found}; this version knows up to ${version}`,
    );
  }
  return found;
}

/** Records durably that the history up to this revision is compacted. */
export const writeCompacted = (directory: string, upTo: Revision): Promise<void> =>
  writeDurably(directory, 'COMPACTED', `${upTo}\n`);

/** Returns the revision up to which the history was compacted. Throws 'corrupt' when the file holds none. */
export async function readCompacted(directory: string): Promise<Revision> {
  const file = path.join(directory, 'COMPACTED');
  const text = await fs.readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return `${noRevision}\n`;
    throw error;
  });
  if (!/^\d{1,16}\n$/.test(text)) throw new StorageError('corrupt', `${file} does not name a revision`);
  return toRevision(Number(text));
}

/** Writes a file of the folder durably, as a whole or not at all. */
async function writeDurably(directory: string, name: string, text: string): Promise<void> {
  await writePrivate(path.join(directory, name), text);
  await syncFolder(directory);
}

/** Returns the sequence numbers of the segments and snapshots, ascending. */
export async function listFiles(directory: string): Promise<{ [kind in FileKind]: number[] }> {
  const found: { [kind in FileKind]: number[] } = { log: [], snapshot: [] };
  for (const name of (await fs.readdir(directory)).sort()) {
    const match = /^(\d{10,})\.(log|snapshot)$/.exec(name);
    if (match !== null) found[match[2] as FileKind].push(Number(match[1]));
  }
  return found;
}

/** Removes the drafts that a process left when it ended. */
export async function removeUnfinished(directory: string): Promise<void> {
  for (const name of await fs.readdir(directory)) {
    if (name.endsWith('.tmp')) await fs.rm(path.join(directory, name), { force: true });
  }
}

/** Removes a segment or a snapshot; a missing one is ignored. */
export async function removeFile(directory: string, kind: FileKind, sequence: number): Promise<void> {
  await fs.rm(path.join(directory, fileName(kind, sequence)), { force: true });
}
