import fs from 'node:fs/promises';
import process from 'node:process';

/** Writes a file for its owner only, durably and as a whole: readers never see half of it, and a failure leaves nothing behind. */
export async function writePrivate(file: string, text: string): Promise<void> {
  const draft = `${file}.${process.pid}.tmp`;
  try {
    await fs.writeFile(draft, text, { mode: 0o600, flush: true });
    await fs.rename(draft, file);
  } catch (error) {
    await fs.rm(draft, { force: true });
    throw error;
  }
}
