import fs from 'node:fs/promises';
import path from 'node:path';
import { UsageError } from './flags.js';

/**
 * Makes a folder that is missing, and those it is in, for their owner alone. Rejects with what stands in the way.
 * differs from a recursive fs.mkdir: that one tries forever where the parent is there and takes no folders, as in /proc.
 */
export async function makeFolder(directory: string): Promise<void> {
  if (await isFolder(directory)) return;
  const parent = path.dirname(directory);
  if (parent !== directory) await makeFolder(parent);
  try {
    await fs.mkdir(directory, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && (await isFolder(directory))) return; // somebody else was quicker
    if (code === 'ENOENT') throw new UsageError(`no folder can be made in ${parent}`);
    throw error;
  }
}

/** Rejects when something else is there. */
async function isFolder(file: string): Promise<boolean> {
  const found = await fs.stat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (found?.isDirectory() === false) throw Object.assign(new Error(`${file} is no folder`), { code: 'ENOTDIR' });
  return found !== undefined;
}
