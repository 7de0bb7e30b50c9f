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

/** From now on a file of the process grows to so many bytes at most; a write beyond is cut short, the next one fails. */
function limitFiles(pid: number | undefined, size: number | 'unlimited'): void {
  execFileSync(prlimit, [`--pid=${pid}`, `--fsize=${size}:`]);
}

t.test('a disk that takes no more: nothing acknowledged is lost, and it goes on when it can', { skip }, async t => {
  const directory = await temporaryFolder(t);
  const where = { type: 'embedded', directory, snapshotBytes: 1_000_000, historyBytes: 1e9 } as const;
  const writer = startWriter(t, where, 'w');
  const more = async (count: number): Promise<void> => {
    const target = writer.acknowledged.length + count;
    await until(`${count} more writes`, () => writer.acknowledged.length >= target);
  };
  await more(50);
  // Cuts every segment off in the middle of a batch.
  limitFiles(writer.process.pid, 20_000);
  await until('several segments are cut off', () => writer.failures.length >= 5, 60_000);
  await more(50);
  // Takes nothing at all.
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
