/** `flagship snapshot save FILE` and `flagship snapshot restore FILE`. */
import fs from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { StorageError } from '../storage/error.js';
import { BackupFileError, readBackup, restoreState, saveBackup } from '../storage/embedded/backup.js';
import { syncFolder } from '../storage/embedded/files/folder.js';
import type { Attached } from '../storage/embedded/files/record.js';
import { dataDirectory, directoryOf, keysOf, storageOf } from './flags/data-directory.js';
import { explain } from './explain-failure.js';
import { describeFlags, type FlagTable, type FlagValues, parseFlags, UsageError } from './flags/flags.js';
import { ifExists } from './if-exists.js';
import { makeFolder } from './make-folder.js';

const flags = {
  'data-dir': dataDirectory,
  replace: { type: 'boolean', help: 'restore: move existing storage aside' },
  force: { type: 'boolean', help: 'save: overwrite an existing file' },
  help: { type: 'boolean', short: 'h', help: 'Show this text' },
} as const satisfies FlagTable;

const help = `Backs up the embedded storage of a data directory and its keys, and restores them.

Usage:
  flagship snapshot save FILE [flags]       also while Flagship runs
  flagship snapshot restore FILE [flags]    while it does not

Flags:
${describeFlags(flags)}
`;

async function exists(file: string): Promise<boolean> {
  return (await ifExists(fs.stat(file))) !== undefined;
}

/** Returns keys and certificates, without which no kubeconfig or token would be valid after a restore. */
async function keyFiles(directory: string): Promise<Attached[]> {
  const folder = keysOf(directory);
  const names = ((await ifExists(fs.readdir(folder))) ?? []).filter(name => /\.(crt|key|pub)$/.test(name)).sort();
  return Promise.all(
    names.map(async name => ({
      type: 'file' as const,
      name: `pki/${name}`,
      content: await fs.readFile(path.join(folder, name)),
    })),
  );
}

/** Messages for the system's errors about the target file. */
const targetTexts: Readonly<Record<string, (file: string) => string>> = {
  ENOENT: file => `there is no folder ${path.dirname(file)}`,
  ENOTDIR: file => `${path.dirname(file)} is no folder`,
  EACCES: file => `no permission to write ${file}`,
  EPERM: file => `no permission to write ${file}`,
  EROFS: file => `${file} is on a file system that is read-only`,
  ENOSPC: file => `no space left for ${file}`,
  EDQUOT: file => `the disk quota of ${file} is used up`,
  EFBIG: file => `${file} may not grow as large as the backup is`,
};

/** Throws when a backup may not have this name. */
async function mustBeFreeName(file: string, force: boolean): Promise<void> {
  const found = await ifExists(fs.stat(file));
  if (found === undefined) return;
  if (!found.isFile()) throw new UsageError(`${file} is no file`);
  if (!force) throw new UsageError(`${file} exists already; with --force it is overwritten`);
}

async function save(file: string, directory: string, { force }: FlagValues<typeof flags>): Promise<string> {
  await mustBeFreeName(file, force);
  const storage = storageOf(directory);
  if (!(await exists(storage)))
    throw new UsageError(`${directory} has no embedded storage; an etcd is backed up with etcdctl snapshot save`);
  const { revision, objects } = await saveBackup(storage, file, await keyFiles(directory)).catch((error: unknown) => {
    if (!(error instanceof BackupFileError)) throw error;
    const text = targetTexts[(error.cause as NodeJS.ErrnoException).code ?? '']?.(file);
    throw new UsageError(text === undefined ? error.message : `${text}; no backup was made`);
  });
  return `Saved ${objects} objects at revision ${revision} to ${file}`;
}

/** Restores keys and certificates from the backup, unless there are any. */
async function restoreKeys(directory: string, files: readonly Attached[]): Promise<void> {
  const folder = keysOf(directory);
  if (await exists(folder)) return;
  const temporaryFolder = `${folder}.${process.pid}.tmp`;
  await fs.rm(temporaryFolder, { recursive: true, force: true });
  try {
    await fs.mkdir(temporaryFolder, { recursive: true, mode: 0o700 });
    for (const { name, content } of files) {
      const [, base] = /^pki\/([\w.-]+)$/.exec(name) ?? [];
      if (base !== undefined)
        await fs.writeFile(path.join(temporaryFolder, base), content, { mode: 0o600, flush: true });
    }
    await syncFolder(temporaryFolder);
    await fs.rename(temporaryFolder, folder);
    await syncFolder(directory);
  } catch (error) {
    await fs.rm(temporaryFolder, { recursive: true, force: true });
    throw error;
  }
}

async function restore(file: string, directory: string, values: FlagValues<typeof flags>): Promise<string> {
  const { revision, items, files } = await readBackup(file).catch((error: unknown) => {
    if (error instanceof StorageError) throw new UsageError(`this is not a complete backup: ${error.message}`);
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw error; // handled below
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`);
  });
  await makeFolder(directory);
  const storage = storageOf(directory);
  if ((await exists(storage)) && (await fs.readdir(storage)).length > 0 && !values.replace)
    throw new UsageError(`${storage} contains data already; with --replace it is moved aside`);
  const restored = await restoreState(
    storage,
    { revision, items: items.values() },
    { now: Date.now(), replace: values.replace },
  );
  await restoreKeys(directory, files);
  const moved = restored.movedTo === undefined ? '' : `\nThe previous storage is now in ${restored.movedTo}`;
  return `Restored ${items.size} objects of revision ${revision}; the next revision is ${restored.revision + 1}${moved}`;
}

/** Returns the exit status. */
export async function snapshot(args: readonly string[]): Promise<number> {
  const { values, rest } = parseFlags(flags, args);
  const [action, file, ...more] = rest;
  if (values.help || action === undefined) {
    process.stdout.write(help);
    return values.help ? 0 : 1;
  }
  if (action !== 'save' && action !== 'restore') throw new UsageError(`unknown command: snapshot ${action}`);
  if (file === undefined) throw new UsageError(`snapshot ${action} needs a file`);
  if (more.length > 0) throw new UsageError(`unknown argument: ${more[0]}`);
  const directory = directoryOf(values);
  const target = path.resolve(file);
  try {
    const message =
      action === 'save' ? await save(target, directory, values) : await restore(target, directory, values);
    process.stdout.write(`${message}\n`);
    return 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new UsageError(`there is no ${(error as NodeJS.ErrnoException).path ?? target}`);
    throw error instanceof UsageError ? error : explain(error, { directory, bind: '' });
  }
}
