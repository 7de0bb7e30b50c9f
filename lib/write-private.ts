import fs from 'node:fs/promises';
import process from 'node:process';

/**
 * Writes a file for its owner only, as a whole: readers never see half of it, and a failure leaves nothing behind. The contents are durable before
 * they replace the former ones; that they do is durable once the folder is synced.
 */
export async function writePrivate(file: string, contents: string | Uint8Array): Promise<void> {
  const draft = `${file}.${process.pid}.tmp`;
  try {
    await fs.writeFile(draft, contents, { mode: 0o600, flush: true });
    await fs.rename(draft, file);
  } catch (error) {
    await fs.rm(draft, { force: true });
    throw error;
  }
}
