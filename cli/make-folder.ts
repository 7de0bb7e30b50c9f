import fs from 'node:fs/promises';
import path from 'node:path';
import { UsageError } from './flags/flags.js';

/**
 * Creates a missing folder and its parents, for their owner only. Rejects with the system's error, or UsageError. A recursive fs.mkdir would retry
 * forever when the parent exists and takes no folders, as in /proc.
 */
export async function makeFolder(directory: string): Promise<void> {
  if (await isFolder(directory)) return;
  const parent = path.dirname(directory);
  if (parent !== directory) await makeFolder(parent);
  try {
    await fs.mkdir(directory, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && (await isFolder(directory))) return; // another process was faster
    if (code === 'ENOENT') throw new UsageError(`no folder can be created in ${parent}`);
    throw error;
  }
}

/** Rejects when it exists and is no folder. */
async function isFolder(file: string): Promise<boolean> {
  const found = await fs.stat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (found?.isDirectory() === false) throw Object.assign(new Error(`${file} is no folder`), { code: 'ENOTDIR' });
  return found !== undefined;
}
