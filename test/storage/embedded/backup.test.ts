import fs from 'node:fs/promises';
import path from 'node:path';
import t from 'tap';
import { readBackup, restoreState, revisionAfter, saveBackup } from '../../../storage/embedded/backup.js';
import { openCache } from '../../../storage/cache/open-cache.js';
import { inspect } from '../../../storage/embedded/inspect.js';
import { openEmbedded } from '../../../storage/embedded/open-embedded.js';
import type { Revision } from '../../../storage/interface.js';
import { bytes, errorCode, text, written } from '../../conformance/store.js';
import { temporaryFolder } from '../folder.js';

const never = new AbortController().signal;

t.test('backups are consistent during writes and the removal of old files', async t => {
  const folder = await temporaryFolder(t);
  const directory = path.join(folder, 'store');
  const file = path.join(folder, 'backup');
  const store = await openEmbedded({ directory, snapshotBytes: 20_000, historyBytes: 20_000 });
  let writing = true;
  let acknowledged = 0;
  let counter = written(await store.put('/counter', 'absent', bytes('0')));
  // The counter is always written before the key that it counts.
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
    t.ok(count >= before, 'it contains the writes that were acknowledged before');
    t.ok(objects === count + 1 || objects === count, `a state that existed: ${count}, ${objects}`);
    t.same((await fs.readdir(folder)).sort(), ['backup', 'store'], 'no draft is left');
  }
  writing = false;
  await writer;
  await store.close();
});

t.test('a restored store continues with a higher revision', async t => {
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
  t.equal(revisionAfter(1e15 as Revision, 1), 1e15 + 1, 'never lower, whatever the clock');
});

t.test('a restore replaces a damaged store, and keeps one that cannot be read', async t => {
  const folder = await temporaryFolder(t);
  const directory = path.join(folder, 'store');
  const given = { revision: 7 as Revision, items: [] };
  const options = { now: 1, replace: true };
  await restoreState(directory, given, options);
  await fs.writeFile(path.join(directory, 'FORMAT'), 'something else');
  const { revision, movedTo = '' } = await restoreState(directory, given, options);
  t.equal(revision, 16, 'the revision of a damaged store is not known');
  t.equal(await fs.readFile(path.join(movedTo, 'FORMAT'), 'utf8'), 'something else');

  await fs.rm(path.join(directory, 'FORMAT'));
  await fs.mkdir(path.join(directory, 'FORMAT'));
  await t.rejects(restoreState(directory, given, options), { code: 'EISDIR' });
  t.same((await fs.readdir(folder)).sort(), ['store', path.basename(movedTo)], 'it is kept');
  await fs.rmdir(path.join(directory, 'FORMAT'));
  t.equal((await restoreState(directory, given, { now: 2, replace: true })).revision, 32, 'it is not locked');
});

t.test('values that the cache has taken over are written to snapshots and backups with the same bytes', async t => {
  const folder = await temporaryFolder(t);
  const directory = path.join(folder, 'store');
  const options = { directory, snapshotBytes: 20_000, historyBytes: 10_000 };
  const store = await openEmbedded(options);
  let restored = 0;
  /** A codec that keeps a value as text, and encodes it again for its bytes. */
  class Kept {
    readonly #text: string;
    constructor(given: Uint8Array) {
      this.#text = Buffer.from(given).toString();
    }
    restore(): Uint8Array {
      restored++;
      return Buffer.from(this.#text);
    }
  }
  const codec = {
    decode: (given: Uint8Array) => new Kept(given),
    encode: (value: Kept) => value.restore(),
    restorable: (value: Kept) => value,
  };
  const cache = openCache(store, '/k/', codec, {});
  await cache.ready;
  const expected: Record<string, string> = {};
  for (let i = 0; i < 300; i++) {
    const value = `${i} ${'v'.repeat(200)}`;
    expected[`/k/${i}`] = value;
    written(await store.put(`/k/${i}`, 'absent', bytes(value)));
  }
  await cache.range('/k/');
  t.equal((await store.get('/k/7'))?.value.byteLength, 202);
  t.ok(restored > 0, 'the store asks the cache for the bytes');
  const contents = async (): Promise<Record<string, string | undefined>> => {
    const reopened = await openEmbedded(options);
    const { items } = await reopened.range('/k/');
    await reopened.close();
    return Object.fromEntries(items.map(item => [item.key, text(item.value)]));
  };
  await saveBackup(directory, path.join(folder, 'backup'), []);
  await cache.close();
  await store.close();
  t.ok(
    (await fs.readdir(directory)).some(name => name.endsWith('.snapshot')),
    'a snapshot was written',
  );
  t.same(await contents(), expected);
  const backup = await readBackup(path.join(folder, 'backup'));
  t.same(Object.fromEntries([...backup.items.values()].map(item => [item.key, text(item.value)])), expected);
});
