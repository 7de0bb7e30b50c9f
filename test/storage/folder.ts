import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Test } from 'tap';

/** Creates a folder that is removed when the test ends. */
export async function temporaryFolder(t: Test): Promise<string> {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'flagship-storage-'));
  t.teardown(() => fs.rm(folder, { recursive: true, force: true }));
  return folder;
}
