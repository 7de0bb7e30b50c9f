import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import t from 'tap';
import { openEmbedded } from '../../../storage/embedded/open-embedded.js';
import type { Revision } from '../../../storage/interface.js';
import { type Seen, check } from '../crash/check.js';
import { startWriter } from '../crash/child.js';
import { temporaryFolder } from '../folder.js';
import { until } from '../until.js';

const prlimit = '/usr/bin/prlimit';
const skip = fs.existsSync(prlimit) ? false : 'there is no prlimit to make writes fail with';

/** Limits the size of files of the process in bytes: a write beyond is cut short, and the next one fails. */
function limitFiles(pid: number | undefined, size: number | 'unlimited'): void {
  execFileSync(prlimit, [`--pid=${pid}`, `--fsize=${size}:`]);
}

t.test('a full disk loses no acknowledged write, and the store continues when there is space', { skip }, async t => {
  const directory = await temporaryFolder(t);
  const where = { type: 'embedded', directory, snapshotBytes: 1_000_000, historyBytes: 1e9 } as const;
  const writer = startWriter(t, where, 'w');
  const more = async (count: number): Promise<void> => {
    const target = writer.acknowledged.length + count;
    await until(`${count} more writes`, () => writer.acknowledged.length >= target);
  };
  await more(50);
  // Cuts every segment in the middle of a batch.
  limitFiles(writer.process.pid, 20_000);
  await until('several segments are cut off', () => writer.failures.length >= 5, 60_000);
  await more(50);
  // Fails every write.
  limitFiles(writer.process.pid, 0);
  const failed = writer.failures.length;
  await until('writes fail', () => writer.failures.length > failed + 20);
  await until('it is not healthy', () => writer.health === 'unwritable');
  const until0 = writer.acknowledged.length;
  limitFiles(writer.process.pid, 'unlimited');
  await until('it writes again', () => writer.acknowledged.length > until0);
  await more(50);
  await writer.kill();
  t.same(
    writer.failures.filter(failure => failure !== 'failed unwritable'),
    [],
  );
  const seen: Seen = { revision: 1 as Revision, changes: new Map() };
  t.ok(fs.readdirSync(directory).length < 100, 'failed attempts leave nothing behind');
  const store = await openEmbedded(where);
  await check(t, store, seen, writer.acknowledged, 'afterwards');
  await store.close();
});
