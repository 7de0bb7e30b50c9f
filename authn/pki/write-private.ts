import fs from 'node:fs/promises';
import process from 'node:process';

/** A file for its owner alone. Whole or not at all: a reader never sees half of it. */
export async function writePrivate(file: string, text: string): Promise<void> {
  const draft = `${file}.${process.pid}.tmp`;
  await fs.writeFile(draft, text, { mode: 0o600 });
  await fs.rename(draft, file);
}
