import fs from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import t from 'tap';
import { openEmbedded } from '../../../storage/embedded/open-embedded.js';
import type { Backend } from '../../../storage/interface.js';
import { errorCode } from '../../conformance/store.js';
import { startWriter } from '../crash/child.js';
import { temporaryFolder } from '../folder.js';
import { until } from '../until.js';

t.test('only one process can open the folder', async t => {
  const directory = await temporaryFolder(t);
  const where = { type: 'embedded', directory, snapshotBytes: 1e9, historyBytes: 1e9 } as const;
  const store = await openEmbedded(where);
  t.equal(await errorCode(openEmbedded(where)), 'locked');
  const second = startWriter(t, where, 'second');
  t.not(await second.ended, 0);
  t.match(second.complaint, `StorageError: the data directory ${directory} is in use by process ${process.pid}\n`);
  t.equal(await errorCode(store.health()), 'none');
  await store.close();

  const killed = startWriter(t, where, 'killed');
  await until('it writes', () => killed.acknowledged.length > 0);
  t.equal(await errorCode(openEmbedded(where)), 'locked');
  await killed.kill();
  const after = await openEmbedded(where);
  t.ok((await after.range('/crash/')).items.length > 0);
  await after.close();
  t.same(
    (await fs.readdir(directory)).filter(name => name.startsWith('lock')),
    [],
  );
});

t.test('only one of several processes takes over a stale lock', async t => {
  const directory = path.join(
    await temporaryFolder(t),
    'with-a-name-that-is-too-long-for-the-path-of-a-socket'.repeat(3),
  );
  const where = { type: 'embedded', directory, snapshotBytes: 1e9, historyBytes: 1e9 } as const;
  for (let round = 0; round < 3; round++) {
    const killed = startWriter(t, where, `r${round}`);
    await until('it writes', () => killed.acknowledged.length > 0);
    await killed.kill();
    const opened: Backend[] = [];
    const codes = await Promise.all(
      Array.from({ length: 8 }, () => errorCode(openEmbedded(where).then(store => opened.push(store)))),
    );
    t.same(codes.sort(), [...Array<string>(7).fill('locked'), 'none']);
    for (const store of opened) await store.close();
  }
});
