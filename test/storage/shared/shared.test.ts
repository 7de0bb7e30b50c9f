import t, { type Test } from 'tap';
import { openEmbedded } from '../../../storage/embedded/open-embedded.js';
import type { Backend, Revision } from '../../../storage/interface.js';
import { sharedRevisionReader, openSharedRevision } from '../../../storage/shared/shared-revision.js';
import { Frames } from '../../../storage/shared/frames.js';
import { openShared } from '../../../storage/shared/open-shared.js';
import { serveStore } from '../../../storage/shared/serve-store.js';
import { bytes, errorCode, storeConformance, take, text, written } from '../../conformance/store.js';
import { temporaryFolder } from '../folder.js';
import { until } from '../until.js';
import { socketPair } from './pair.js';

interface Shared {
  readonly owner: Backend;
  readonly shared: Backend;
  /** Simulates that the process with the store was killed. */
  readonly cut: () => void;
}

async function share(t: Test): Promise<Shared> {
  const owner = await openEmbedded({ directory: await temporaryFolder(t) });
  const [near, far] = await socketPair(t);
  serveStore(owner, far);
  const board = openSharedRevision(owner);
  const shared = openShared(
    near,
    sharedRevisionReader(board.descriptor, pid => pid === process.pid),
  );
  t.teardown(async () => {
    await shared.close();
    board.close();
    await owner.close();
  });
  return { owner, shared, cut: () => far.destroy() };
}

storeConformance(t, 'shared', async () => {
  const { shared } = await share(t);
  return {
    store: shared,
    compact: upTo => shared.compact(upTo),
    maxValueBytes: 1.5 * (1 << 20),
    close: () => shared.close(),
  };
});

const never = new AbortController().signal;

t.test('a shared store sees the writes of its owner, and vice versa', async t => {
  const { owner, shared } = await share(t);
  const watching = take(shared.watch('/a/', await owner.revision(), never), 2);
  const first = written(await owner.put('/a/1', 'absent', bytes('by the owner')));
  written(await shared.put('/a/2', 'absent', bytes('by the other')));
  t.same(
    (await watching).map(change => change.type === 'put' && text(change.item.value)),
    ['by the owner', 'by the other'],
  );
  t.equal((await shared.put('/a/1', 'absent', bytes('x'))).type, 'conflict');
  t.equal((await owner.remove('/a/1', first.revision)).type, 'done');
});

t.test('a range of many megabytes arrives in parts, complete and in order', async t => {
  const { owner, shared } = await share(t);
  const value = Buffer.alloc(100_000, 'v');
  await Promise.all(Array.from({ length: 80 }, (_, i) => owner.put(`/big/${100 + i}`, 'absent', value)));
  const page = await shared.range('/big/');
  t.same(
    page.items.map(item => item.key),
    Array.from({ length: 80 }, (_, i) => `/big/${100 + i}`),
  );
  t.ok(page.items.every(item => value.equals(item.value)));
  t.equal(page.revision, await owner.revision());
});

t.test('a watch from far behind gets many megabytes of changes', async t => {
  const { owner, shared } = await share(t);
  const from = await owner.revision();
  let expect: Revision | 'absent' = 'absent';
  const count = 90;
  for (let i = 0; i < count; i++)
    expect = written(await owner.put('/far/1', expect, Buffer.alloc(800_000, i))).revision;
  const changes = await take(shared.watch('/far/', from, never), count); // 72 MB, more than a message may hold
  t.ok(changes.every((change, i) => change.type === 'put' && change.item.value[0] === i));
});

t.test('many waiters for a slow reader leave no listeners behind', async t => {
  const [near, far] = await socketPair(t);
  const frames = new Frames(far, () => undefined);
  const listeners = (): number => far.listenerCount('close') + far.listenerCount('error') + far.listenerCount('drain');
  const before = listeners();
  const waits: Promise<void>[] = [];
  for (let i = 0; i < 50; i++) {
    frames.send(Buffer.alloc(100_000));
    waits.push(frames.drained());
  }
  near.resume();
  await Promise.all(waits);
  t.equal(listeners(), before);
});

t.test('a watch that is not read does not block others, and is ended by the owner when it falls behind', async t => {
  const { owner, shared } = await share(t);
  const began = await owner.revision();
  const slow = shared.watch('/s/', began, never)[Symbol.asyncIterator]();
  const put = async (from: number, to: number): Promise<void> => {
    await Promise.all(Array.from({ length: to - from }, (_, i) => owner.put(`/s/${from + i}`, 'absent', bytes('x'))));
  };
  await put(0, 1);
  t.match(await slow.next(), { value: { type: 'put', item: { key: '/s/0' } } });
  await put(1, 4000);
  const others = await take(shared.watch('/s/', (began + 3990) as Revision, never), 10);
  t.equal(others.length, 10);
  await owner.compact(await owner.revision());
  const rest = async (): Promise<void> => {
    while (!(await slow.next()).done);
  };
  t.equal(await errorCode(rest()), 'compacted');
});

t.test('another process sees the revision of a write as soon as a watch or the writer does', async t => {
  const { owner, shared } = await share(t);
  t.equal(await shared.revision(), await owner.revision());
  for (let n = 0; n < 20; n++) {
    const told = take(owner.watch('/a/', await owner.revision(), never), 1);
    const seen = told.then(async ([change]) => [change?.revision, await shared.revision()]);
    const { revision } = written(await owner.put(`/a/${n}`, 'absent', bytes('x')));
    t.equal(await shared.revision(), revision);
    t.same(await seen, [revision, revision]);
  }
});

t.test('when the owner is gone, running and new operations fail as unavailable', async t => {
  const { shared, cut } = await share(t);
  const from = await shared.revision();
  const watching = errorCode(take(shared.watch('/a/', from, never), 1));
  t.equal((await shared.health()) ?? 'healthy', 'healthy');
  cut();
  t.equal(await watching, 'unavailable');
  t.equal(await errorCode(shared.get('/a/1')), 'unavailable');
  t.equal(await errorCode(shared.health()), 'unavailable');
  t.equal(await errorCode(shared.revision()), 'unavailable');
  t.equal(await errorCode(take(shared.watch('/a/', from, never), 1)), 'unavailable');
});

t.test('a stream with unknown content is closed', async t => {
  const owner = await openEmbedded({ directory: await temporaryFolder(t) });
  t.teardown(() => owner.close());
  const [near, far] = await socketPair(t);
  serveStore(owner, far);
  near.write('GET / HTTP/1.1\r\n\r\n');
  await until('it is closed', () => far.destroyed);
  t.ok(far.destroyed);
});
