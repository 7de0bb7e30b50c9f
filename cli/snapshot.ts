/** `flagship snapshot save FILE` and `flagship snapshot restore FILE`. */
import fs from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { StorageError } from '../storage/error.js';
import { readBackup, restoreState, saveBackup } from '../storage/embedded/backup.js';
import type { Attached } from '../storage/embedded/record.js';
import { dataDirectory, directoryOf, keysOf, storageOf } from './data-directory.js';
import { explain } from './explain-failure.js';
import { describeFlags, type FlagTable, type FlagValues, parseFlags, UsageError } from './flags.js';
import { ifThere } from './if-there.js';
import { makeFolder } from './make-folder.js';

const flags = {
  'data-dir': dataDirectory,
  replace: { type: 'boolean', help: 'restore: move storage that is there aside' },
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
  return (await ifThere(fs.stat(file))) !== undefined;
}

/** Keys and certificates: without them nobody's kubeconfig or token would be believed after a restore. */
async function keyFiles(directory: string): Promise<Attached[]> {
  const folder = keysOf(directory);
  const names = ((await ifThere(fs.readdir(folder))) ?? []).filter(name => /\.(crt|key|pub)$/.test(name)).sort();
  return Promise.all(
    names.map(async name => ({
      type: 'file' as const,
      name: `pki/${name}`,
      content: await fs.readFile(path.join(folder, name)),
    })),
  );
}

async function save(file: string, directory: string): Promise<string> {
  const storage = storageOf(directory);
  if (!(await exists(storage)))
    throw new UsageError(`${directory} has no embedded storage; an etcd is backed up with etcdctl snapshot save`);
  const { revision, objects } = await saveBackup(storage, file, await keyFiles(directory));
  return `Saved ${objects} objects at revision ${revision} to ${file}`;
}

/** Keys that are there stay; of those that are missing, all come from the backup. */
async function restoreKeys(directory: string, files: readonly Attached[]): Promise<void> {
  const folder = keysOf(directory);
  if (await exists(folder)) return;
  const draft = `${folder}.${process.pid}.tmp`;
  await fs.rm(draft, { recursive: true, force: true });
  await fs.mkdir(draft, { recursive: true, mode: 0o700 });
  for (const { name, content } of files) {
    const [, base] = /^pki\/([\w.-]+)$/.exec(name) ?? [];
    if (base !== undefined) await fs.writeFile(path.join(draft, base), content, { mode: 0o600, flush: true });
  }
  await fs.rename(draft, folder);
}

async function restore(file: string, directory: string, values: FlagValues<typeof flags>): Promise<string> {
  const { revision, items, files } = await readBackup(file).catch((error: unknown) => {
    if (error instanceof StorageError) throw new UsageError(`this is no whole backup: ${error.message}`);
    throw error;
  });
  await makeFolder(directory);
  const storage = storageOf(directory);
  if ((await exists(storage)) && (await fs.readdir(storage)).length > 0 && !values.replace)
    throw new UsageError(`${storage} holds data already; with --replace it is moved aside`);
  const restored = await restoreState(
    storage,
    { revision, items: items.values() as Iterable<never> },
    { now: Date.now(), replace: values.replace },
  );
  await restoreKeys(directory, files);
  const moved = restored.movedTo === undefined ? '' : `\nWhat was there is now in ${restored.movedTo}`;
  return `Restored ${items.size} objects of revision ${revision}; the next revision is ${restored.revision + 1}${moved}`;
}

/** The exit status. */
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
    const said = action === 'save' ? await save(target, directory) : await restore(target, directory, values);
    process.stdout.write(`${said}\n`);
    return 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new UsageError(`there is no ${(error as NodeJS.ErrnoException).path ?? target}`);
    throw error instanceof UsageError ? error : explain(error, { directory, bind: '' });
  }
}
