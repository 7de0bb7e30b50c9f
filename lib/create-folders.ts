import fs from 'node:fs/promises';

/**
 * Creates a missing folder and its parents, for their owner only. Resolves with the first folder that it created; undefined when all exist. Rejects with
 * the system's error. A recursive fs.mkdir would report ENOENT for a parent on a file system that is read-only, instead of EROFS.
 */
export async function createFolders(directory: string): Promise<string | undefined> {
  const mode = 0o700;
  try {
    return await fs.mkdir(directory, { recursive: true, mode });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    await fs.mkdir(directory, { mode });
    return directory;
  }
}
