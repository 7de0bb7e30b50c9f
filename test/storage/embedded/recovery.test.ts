import fs from 'node:fs/promises';
import path from 'node:path';
import t from 'tap';
import { type EmbeddedOptions, openEmbedded } from '../../../storage/embedded/open-embedded.js';
import type { Backend, Revision } from '../../../storage/interface.js';
import { silentLog } from '../../../storage/log.js';
import { bytes, errorCode, take, text, written } from '../../conformance/store.js';
import { steppedClock } from '../../lib/clock.js';
import { temporaryFolder } from '../folder.js';
import { until } from '../until.js';

const never = new AbortController().signal;

/** Opens the store, runs the work, and closes it. */
async function session<T>(options: EmbeddedOptions, work: (store: Backend) => Promise<T>): Promise<T> {
  const store = await openEmbedded(options);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

async function contents(store: Backend): Promise<Record<string, string | undefined>> {
  const { items } = await store.range('');
  return Object.fromEntries(items.map(item => [item.key, text(item.value)]));
}

const files = async (directory: string, ending: string): Promise<string[]> =>
  (await fs.readdir(directory)).filter(name => name.endsWith(ending)).sort();

async function newestLog(directory: string): Promise<string> {
  const sized = [];
  for (const name of await files(directory, '.log')) {
    const file = path.join(directory, name);
    if ((await fs.stat(file)).size > 64) sized.push(file);
  }
  return sized.at(-1) ?? '';
}

/** Writes /k/0 and so on sequentially, each in a batch of its own. */
async function fill(store: Backend, count: number): Promise<Revision[]> {
  const revisions: Revision[] = [];
  for (let i = 0; i < count; i++)
    revisions.push(written(await store.put(`/k/${i}`, 'absent', bytes(`v${i}`))).revision);
  return revisions;
}

t.test('acknowledged writes and their history are there after a restart', async t => {
  const directory = path.join(await temporaryFolder(t), 'deep', 'data');
  const before = await session({ directory }, async store => {
    const start = await store.revision();
    const a = written(await store.put('/a', 'absent', bytes('1')));
    written(await store.put('/a', a.revision, bytes('2')));
    const b = written(await store.put('/b/é', 'absent', bytes('')));
    await store.remove('/b/é', b.revision);
    return { start, a, revision: await store.revision() };
  });
  t.equal((await fs.stat(directory)).mode & 0o777, 0o700);
  for (const name of await fs.readdir(directory)) {
    t.equal((await fs.stat(path.join(directory, name))).mode & 0o777, 0o600, name);
  }
  await session({ directory }, async store => {
    t.equal(await store.revision(), before.revision);
    t.same(await contents(store), { '/a': '2' });
    t.equal(text((await store.range('/', { at: before.a.revision })).items[0]?.value), '1');
    const changes = await take(store.watch('/', before.start, never), 4);
    t.same(
      changes.map(change => [change.type, change.revision - before.start, text(change.previous?.value)]),
      [
        ['put', 1, undefined],
        ['put', 2, '1'],
        ['put', 3, undefined],
        ['remove', 4, ''],
      ],
    );
    t.equal(written(await store.put('/c', 'absent', bytes('3'))).revision, before.revision + 1);
  });
});

t.test('a log that is cut anywhere in its last batch opens without that batch', async t => {
  const directory = await temporaryFolder(t);
  await session({ directory }, store => fill(store, 2));
  const file = await newestLog(directory);
  const short = (await fs.stat(file)).size;
  await fs.rm(directory, { recursive: true });
  await session({ directory }, store => fill(store, 3));
  const whole = await fs.readFile(file);
  t.ok(whole.length > short + 20);
  for (const room of [0, 5000]) {
    for (let length = short; length <= whole.length; length++) {
      // Again after another start, when a segment follows the cut.
      await fs.rm(directory, { recursive: true });
      await fs.mkdir(directory);
      await fs.writeFile(path.join(directory, 'FORMAT'), 'flagship-storage 1\n');
      await fs.writeFile(file, Buffer.concat([whole.subarray(0, length), Buffer.alloc(room)]));
      const expected: Record<string, string> = { '/k/0': 'v0', '/k/1': 'v1' };
      if (length === whole.length) expected['/k/2'] = 'v2';
      await session({ directory }, async store => {
        t.same(await contents(store), expected, `${length} of ${whole.length} bytes, and ${room} preallocated`);
        await store.put('/more', 'absent', bytes(String(length)));
      });
      t.ok((await fs.stat(file)).size <= length, 'preallocated space was released');
      await session({ directory }, async store =>
        t.same(await contents(store), { ...expected, '/more': String(length) }),
      );
    }
  }
});

t.test('preallocated space of the log is used, skipped after a crash, and released', async t => {
  const directory = await temporaryFolder(t);
  const crashed = await temporaryFolder(t);
  const warned: unknown[] = [];
  const log = { ...silentLog, warn: (fields: object) => void warned.push(fields) };
  const large = (i: number): Uint8Array => new Uint8Array(300_000 + i).fill(65 + i);
  const logSize = async (): Promise<number> => (await fs.stat(await newestLog(directory))).size;
  await session({ directory }, async store => {
    await fill(store, 100);
    await until('there is room', async () => (await logSize()) > 500_000);
    for (const name of await fs.readdir(directory)) {
      if (name !== 'lock') await fs.copyFile(path.join(directory, name), path.join(crashed, name));
    }
    for (let i = 0; i < 12; i++) await store.put(`/large/${i}`, 'absent', large(i)); // beyond the preallocated space
  });
  t.ok((await logSize()) < 12 * 300_100 + 20_000);
  await session({ directory }, async store => {
    const { items } = await store.range('/large/');
    for (const { key, value } of items)
      t.ok(Buffer.compare(value, large(Number(key.slice('/large/'.length)))) === 0, key);
    t.equal(items.length, 12);
    t.equal((await store.range('/k/')).items.length, 100);
  });
  await session({ directory: crashed, log }, async store => t.equal(Object.keys(await contents(store)).length, 100));
  t.same(warned, [], 'preallocated space is not a torn end');
});

t.test('a change of any byte is detected', async t => {
  const directory = await temporaryFolder(t);
  await session({ directory }, store => fill(store, 3));
  const file = await newestLog(directory);
  const whole = await fs.readFile(file);
  const lastFrame = whole.lastIndexOf(Buffer.from([0xf7, 0xf5, 0xc1, 0xff]));
  for (let at = 0; at < whole.length; at++) {
    const damaged = Buffer.from(whole);
    damaged[at] = (damaged[at] ?? 0) ^ 0x10;
    await fs.writeFile(file, damaged);
    if (at < lastFrame) {
      t.equal(await errorCode(openEmbedded({ directory })), 'corrupt', `byte ${at}`);
      continue;
    }
    // A damaged last batch looks like one that was being written, unless a next segment proves that it was acknowledged.
    const copy = path.join(directory, 'copy');
    await fs.rm(copy, { recursive: true, force: true });
    await fs.mkdir(copy);
    await fs.copyFile(path.join(directory, 'FORMAT'), path.join(copy, 'FORMAT'));
    await fs.copyFile(file, path.join(copy, path.basename(file)));
    await session({ directory: copy }, async store => {
      t.same(await contents(store), { '/k/0': 'v0', '/k/1': 'v1' }, `byte ${at}`);
    });
  }
  await fs.writeFile(file, whole);
  await session({ directory }, async store => t.equal((await store.range('')).items.length, 3));
  const closed = Buffer.from(whole);
  closed[lastFrame + 20] = (closed[lastFrame + 20] ?? 0) ^ 1;
  await fs.writeFile(file, closed);
  t.equal(await errorCode(openEmbedded({ directory })), 'corrupt', 'a later segment requires it');
});

t.test('snapshots replace the log, and keep the segments that the history needs', async t => {
  const directory = await temporaryFolder(t);
  const clock = steppedClock();
  const options = { directory, clock, snapshotBytes: 20_000, historyWindowMs: 60_000 };
  const value = Buffer.alloc(1000, 'x');
  const half = await session(options, async store => {
    let revision: Revision | 'absent' = 'absent';
    let middle = await store.revision();
    for (let i = 0; i < 200; i++) {
      revision = written(await store.put(`/k/${i % 7}`, i < 7 ? 'absent' : await standing(store, i), value)).revision;
      clock.advance(100);
      if (i === 100) middle = revision;
    }
    await until('there are snapshots', async () => (await files(directory, '.snapshot')).length > 1);
    t.equal((await take(store.watch('/k/', middle, never), 99)).length, 99);
    return middle;
  });
  await session(options, async store => {
    t.equal((await store.range('/k/')).items.length, 7);
    t.equal((await take(store.watch('/k/', half, never), 99)).length, 99, 'the history is there after a restart, too');
    await until('one snapshot is left', async () => {
      clock.advance(1000);
      return (await files(directory, '.snapshot')).length === 1;
    });
    t.equal(await errorCode(take(store.watch('/k/', half, never), 1)), 'compacted');
    const kept = await files(directory, '.log');
    await until('old segments are gone', async () => (await files(directory, '.log')).length < 4);
    t.ok(kept.length < 20);
  });
  await session(options, async store => {
    t.equal((await store.range('/k/')).items.length, 7);
    t.equal(Buffer.compare((await store.get('/k/3'))?.value ?? bytes(''), value), 0);
  });
  const snapshot = path.join(directory, (await files(directory, '.snapshot'))[0] ?? '');
  const whole = await fs.readFile(snapshot);
  for (const at of [0, 13, 20, 100, whole.length >> 1, whole.length - 1]) {
    const damaged = Buffer.from(whole);
    damaged[at] = (damaged[at] ?? 0) ^ 1;
    await fs.writeFile(snapshot, damaged);
    t.equal(await errorCode(openEmbedded(options)), 'corrupt', `byte ${at} of the snapshot`);
  }
  await fs.writeFile(snapshot, whole.subarray(0, whole.length - 21));
  t.equal(await errorCode(openEmbedded(options)), 'corrupt', 'the end of the snapshot is missing');
});

async function standing(store: Backend, i: number): Promise<Revision> {
  const item = await store.get(`/k/${i % 7}`);
  if (item === undefined) throw new Error('it stands there');
  return item.revision;
}

t.test('a missing segment is an error, not an empty store', async t => {
  const directory = await temporaryFolder(t);
  await session({ directory }, store => fill(store, 2));
  const first = await newestLog(directory);
  await session({ directory }, store => store.put('/later', 'absent', bytes('1')));
  await fs.rm(first);
  t.equal(await errorCode(openEmbedded({ directory })), 'corrupt');
});

t.test('times to live survive a restart', async t => {
  const directory = await temporaryFolder(t);
  const clock = steppedClock();
  await session({ directory, clock }, async store => {
    for (const [key, ttlSeconds] of [
      ['/a', 10],
      ['/b', 30],
      ['/c', 20],
    ] as const) {
      await store.put(key, 'absent', bytes(key), { ttlSeconds });
    }
    await store.put('/stays', 'absent', bytes('s'));
  });
  clock.advance(12_000);
  await session({ directory, clock }, async store => {
    await until('/a is gone', async () => (await store.get('/a')) === undefined);
    const from = await store.revision();
    t.same(Object.keys(await contents(store)), ['/b', '/c', '/stays']);
    clock.advance(7_999);
    t.same(Object.keys(await contents(store)), ['/b', '/c', '/stays'], 'not a millisecond early');
    clock.advance(1);
    const [gone] = await take(store.watch('/', from, never), 1);
    t.match(gone, { type: 'remove', key: '/c' });
    const b = await store.get('/b');
    await store.put('/b', b?.revision ?? 'absent', bytes('renewed'), { ttlSeconds: 100 });
    clock.advance(50_000);
    t.equal(text((await store.get('/b'))?.value), 'renewed');
    clock.advance(50_000);
    await until('/b is gone', async () => (await store.get('/b')) === undefined);
  });
});

t.test('the history is limited by time and by bytes', async t => {
  const clock = steppedClock();
  await session({ directory: await temporaryFolder(t), clock, historyWindowMs: 1000 }, async store => {
    const [first = 0 as Revision, second = 0 as Revision] = await fill(store, 2);
    clock.advance(999);
    t.equal(await errorCode(store.range('/', { at: first })), 'none');
    clock.advance(2000);
    await store.put('/x', 'absent', bytes('1'));
    t.equal(await errorCode(store.range('/', { at: first })), 'compacted');
    t.equal(await errorCode(take(store.watch('/', first, never), 1)), 'compacted');
    t.equal((await take(store.watch('/', second, never), 1)).length, 1);
  });
  const small = { directory: await temporaryFolder(t), historyBytes: 100_000 };
  await session(small, async store => {
    let item = written(await store.put('/big', 'absent', Buffer.alloc(10_000)));
    const first = item.revision;
    for (let i = 0; i < 50; i++) item = written(await store.put('/big', item.revision, Buffer.alloc(10_000)));
    t.equal(await errorCode(store.range('/', { at: first })), 'compacted');
    t.equal(await errorCode(store.range('/', { at: (item.revision - 5) as Revision })), 'none');
  });
});

t.test('history older than the watch cache has a smaller limit, and is also dropped without writes', async t => {
  const clock = steppedClock();
  const options = { directory: await temporaryFolder(t), clock, historyBytes: 1_000_000, agedHistoryBytes: 100_000 };
  await session(options, async store => {
    let item = written(await store.put('/big', 'absent', Buffer.alloc(10_000)));
    const first = item.revision;
    for (let i = 0; i < 50; i++) item = written(await store.put('/big', item.revision, Buffer.alloc(10_000)));
    clock.advance(60_000);
    t.equal(await errorCode(store.range('/', { at: first })), 'none');
    await until('the first is forgotten', async () => {
      clock.advance(5000);
      return (await errorCode(store.range('/', { at: first }))) === 'compacted';
    });
    t.equal(await errorCode(store.range('/', { at: (item.revision - 5) as Revision })), 'none');
  });
});

t.test('a compacted history stays compacted after a restart', async t => {
  const directory = await temporaryFolder(t);
  const [first, second, third] = await session({ directory }, async store => {
    const revisions = await fill(store, 3);
    await Promise.all([store.compact(revisions[1] as Revision), store.compact(revisions[0] as Revision)]);
    return revisions as [Revision, Revision, Revision];
  });
  await session({ directory }, async store => {
    t.equal(await errorCode(store.range('/k/', { at: first })), 'compacted');
    t.equal(await errorCode(take(store.watch('/k/', first, never), 1)), 'compacted');
    t.equal((await store.range('/k/', { at: second })).items.length, 2);
    t.equal((await take(store.watch('/k/', second, never), 1))[0]?.revision, third);
    t.same(await contents(store), { '/k/0': 'v0', '/k/1': 'v1', '/k/2': 'v2' });
  });
  await fs.writeFile(path.join(directory, 'COMPACTED'), 'x\n');
  t.equal(await errorCode(openEmbedded({ directory })), 'corrupt');
});

t.test('unknown formats are refused', async t => {
  const directory = await temporaryFolder(t);
  await session({ directory }, store => fill(store, 1));
  const format = path.join(directory, 'FORMAT');
  await fs.writeFile(format, 'flagship-storage 2\n');
  t.equal(await errorCode(openEmbedded({ directory })), 'format');
  await fs.writeFile(format, 'something else\n');
  t.equal(await errorCode(openEmbedded({ directory })), 'corrupt');
  await fs.rm(format);
  t.equal(await errorCode(openEmbedded({ directory })), 'corrupt');
  await fs.writeFile(format, 'flagship-storage 1\n');
  t.equal(await errorCode(session({ directory }, () => Promise.resolve())), 'none');
});

t.test('operations on a closed store fail with an error that says so', async t => {
  const store = await openEmbedded({ directory: await temporaryFolder(t) });
  const [revision = 0 as Revision] = await fill(store, 1);
  const watching = take(store.watch('/', revision, never), 1);
  const last = store.put('/last', 'absent', bytes('1'));
  await Promise.all([store.close(), store.close()]);
  t.match(await last, { type: 'done' });
  t.equal((await watching).length, 1, 'a watch gets all writes before the end');
  t.equal(await errorCode(store.get('/k/0')), 'unavailable');
  t.equal(await errorCode(store.put('/x', 'absent', bytes('1'))), 'unavailable');
  t.equal(await errorCode(store.health()), 'unavailable');
});
