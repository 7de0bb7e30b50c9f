import fs from 'node:fs/promises';
import path from 'node:path';
import t from 'tap';
import { readBackup, restoreState, revisionAfter, saveBackup } from '../../../storage/embedded/backup.js';
import { inspect } from '../../../storage/embedded/inspect.js';
import { openEmbedded } from '../../../storage/embedded/open-embedded.js';
import type { Revision } from '../../../storage/interface.js';
import { bytes, errorCode, text, written } from '../../conformance/store.js';
import { temporaryFolder } from '../folder.js';

const never = new AbortController().signal;

t.test('backups of a store that is written to, and that removes its old files meanwhile', async t => {
  const folder = await temporaryFolder(t);
  const directory = path.join(folder, 'store');
  const file = path.join(folder, 'backup');
  const store = await openEmbedded({ directory, snapshotBytes: 20_000, historyBytes: 20_000 });
  let writing = true;
  let acknowledged = 0;
  let counter = written(await store.put('/counter', 'absent', bytes('0')));
  // Always first the counter, then the key that it counts.
  const writer = (async () => {
    for (let i = 1; writing; i++) {
      counter = written(await store.put('/counter', counter.revision, bytes(String(i))));
      written(await store.put(`/k/${i % 300}/${i}`, 'absent', bytes('v'.repeat(200))));
      acknowledged = i;
    }
  })();
  for (let round = 0; round < 25; round++) {
    const before = acknowledged;
    const { revision, objects } = await saveBackup(directory, file, []);
    const backup = await readBackup(file);
    t.equal(backup.revision, revision);
    const count = Number(text(backup.items.get('/counter')?.value));
    t.ok(count >= before, 'what was acknowledged before is in it');
    t.ok(objects === count + 1 || objects === count, `a state that there was: ${count}, ${objects}`);
    t.same((await fs.readdir(folder)).sort(), ['backup', 'store'], 'no draft is left');
  }
  writing = false;
  await writer;
  await store.close();
});

t.test('where a restored store goes on', async t => {
  const folder = await temporaryFolder(t);
  const directory = path.join(folder, 'store');
  const store = await openEmbedded({ directory });
  written(await store.put('/a', 'absent', bytes('1')));
  const seen = await store.revision();
  await store.close();
  const { state } = await inspect(directory, { thorough: true });
  if (state === undefined) throw new Error('there is a state');
  const given = { revision: state.revision, items: [...state.items.values()] };
  await t.rejects(restoreState(directory, given, { now: 1, replace: false }), { code: 'EEXIST' });
  const { revision } = await restoreState(directory, given, { now: Date.now(), replace: true });
  t.ok(revision > seen);
  const restored = await openEmbedded({ directory });
  t.equal(await restored.revision(), revision);
  t.equal(text((await restored.get('/a'))?.value), '1');
  for (const old of [1, seen, revision - 1] as Revision[])
    t.equal(await errorCode(restored.watch('/', old, never)[Symbol.asyncIterator]().next()), 'compacted', `${old}`);
  t.ok(written(await restored.put('/b', 'absent', bytes('2'))).revision === revision + 1);
  await restored.close();
  t.equal(revisionAfter(1e15 as Revision, 1), 1e15 + 1, 'never back, whatever the clock says');
});
