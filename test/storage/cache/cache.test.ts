/** The items of a cache: reads, writes, indexes, the past. */
import t from 'tap';
import type { Change, Revision } from '../../../storage/interface.js';
import { openCache } from '../../../storage/cache/open-cache.js';
import { openEmbedded } from '../../../storage/embedded/open-embedded.js';
import { bytes, errorCode } from '../../conformance/store.js';
import { steppedClock } from '../../lib/clock.js';
import { temporaryFolder } from '../folder.js';
import { overriding } from '../overriding.js';
import { until } from '../until.js';
import { collect, counting, json, opened, stored, type Thing } from './opened.js';

t.test('the cache starts with the existing items, and follows the changes', async t => {
  const { backend, cache } = await opened(t, {}, store => stored(store, '/things/a', json('a')));
  t.equal(cache.getCached('/things/a')?.value.name, 'a');
  t.equal(cache.seen, await backend.revision());
  const view = cache.snapshot();
  await stored(backend, '/things/a', json('a2'));
  await stored(backend, '/things/b', json('b'));
  await until('it has seen the change', () => cache.getCached('/things/b') !== undefined);
  t.equal(view.get('/things/a')?.value.name, 'a');
  t.equal(view.size, 1);
  t.same(view.range('/things/').items.map(item => item.value.name), ['a']); // prettier-ignore
  t.same(cache.snapshot().range('/things/').items.map(item => item.value.name), ['a2', 'b']); // prettier-ignore
});

t.test('a writer reads its own write at once', async t => {
  const { cache } = await opened(t);
  const keys = Array.from({ length: 20 }, (_, i) => `/things/${i}`);
  const found = keys.map(async key => {
    const made = await cache.put(key, 'absent', { name: 'first' });
    const fromMemory = cache.getCached(key)?.value.name;
    const changed = await cache.put(key, made.type === 'done' ? made.revision : 'absent', { name: 'second' });
    return [changed.type, fromMemory, cache.getCached(key)?.value.name];
  });
  for (const each of await Promise.all(found)) t.same(each, ['done', 'first', 'second']);
});

t.test('every value is decoded once, and one that was written through the cache never', async t => {
  const { backend, cache, codec, signal } = await opened(t);
  const from = await cache.revision();
  const told: Change<Thing>[] = [];
  const watching = (async () => {
    for await (const change of cache.watch('/things/', from, signal)) told.push(change);
  })();
  watching.catch(() => undefined); // missing events fail the checks below
  await Promise.all(Array.from({ length: 20 }, (_, i) => cache.put(`/things/${i}`, 'absent', { name: `n${i}` })));
  await until('it has seen them', () => told.length === 20);
  t.equal(codec.decoded, 0);
  t.equal(codec.adopted, 20);
  const outcome = await cache.put('/things/x', 'absent', { name: 'x' });
  await until('it has seen x', () => told.length === 21);
  const change = told[20];
  const fromMemory = cache.getCached('/things/x');
  t.equal(fromMemory?.value.revision, fromMemory?.revision);
  t.ok(outcome.type === 'done' && outcome.item.value === fromMemory?.value, 'the writer has the shared value');
  t.ok(change?.type === 'put' && change.item.value === fromMemory?.value, 'watchers too');
  t.ok((await cache.get('/things/x'))?.value === fromMemory?.value, 'readers too');

  await stored(backend, '/things/y', json('y'));
  const read = await cache.get('/things/y');
  await until('it has seen y', () => cache.snapshot().get('/things/y') !== undefined);
  t.equal(codec.decoded, 1);
  t.ok(read?.value === cache.getCached('/things/y')?.value);
  const late = await cache.put('/things/y', 'absent', { name: 'late' });
  t.ok(late.type === 'conflict' && late.current?.value === read?.value, 'the loser of a race has it too');
  t.equal(codec.decoded, 1);
  const removed = await cache.remove('/things/y', read?.revision ?? (0 as Revision));
  t.ok(removed.type === 'done' && removed.item.value === read?.value);
});

t.test('a value that cannot be decoded affects only its key', async t => {
  const { backend, cache, signal } = await opened(t, {}, async store => {
    await stored(store, '/things/a/1', json('a1'));
    await stored(store, '/things/b/1', bytes('no json'));
  });
  const from = await cache.revision();
  const whole = collect(cache.watch('/things/', from, signal));
  const a = collect(cache.watch('/things/a/', from, signal));
  t.equal((await cache.get('/things/a/1'))?.value.name, 'a1');
  t.equal((await cache.range('/things/a/')).items.length, 1);
  await t.rejects(cache.get('/things/b/1'), {
    code: 'corrupt',
    message: /^the value of \/things\/b\/1 cannot be decoded: /,
  });
  t.equal(await errorCode(cache.range('/things/')), 'corrupt');
  t.throws(() => cache.getCached('/things/b/1'), { code: 'corrupt' });
  t.throws(() => cache.snapshot().range('/things/'), { code: 'corrupt' });
  await stored(backend, '/things/a/1', bytes('[broken'));
  await t.rejects(whole.ended, { code: 'corrupt', message: /\/things\/a\/1/ });
  await t.rejects(a.ended, { code: 'corrupt' });
  const again = collect(cache.watch('/things/', await cache.revision(), signal));
  await stored(backend, '/things/a/1', json('mended'));
  await stored(backend, '/things/b/1', json('mended too'));
  await until('both are told', () => again.lines.length === 2);
  t.same(again.lines, ['put mended was undefined', 'put mended too was undefined']);
  t.equal((await cache.range('/things/')).items.length, 2);
});

t.test('indexes return the result of a scan, in the same order', async t => {
  const indexes = { label: (thing: Thing) => thing.labels ?? [] };
  const { backend, cache } = await opened(t, { indexes }, async store => {
    for (let i = 0; i < 30; i++) await stored(store, `/things/${i % 2}/${i}`, json(`${i}`, `m${i % 3}`, 'all'));
  });
  const names = async (prefix: string, options: object): Promise<unknown> => {
    const page = await cache.range(prefix, options);
    return [page.items.map(item => item.value.name).join(' '), page.remaining];
  };
  const m1 = { index: { name: 'label', word: 'm1' } };
  t.same(await names('/things/', m1), ['10 16 22 28 4 1 13 19 25 7', 0]);
  t.same(await names('/things/1/', m1), ['1 13 19 25 7', 0]);
  t.same(await names('/things/', { ...m1, limit: 3 }), ['10 16 22', 7]);
  t.same(await names('/things/', { ...m1, limit: 3, start: '/things/0/22\0' }), ['28 4 1', 4]);
  const then = await cache.revision();
  await stored(backend, '/things/0/10', json('10', 'm2'));
  await backend.remove('/things/0/16', (await backend.get('/things/0/16'))?.revision ?? (0 as Revision));
  await stored(backend, '/things/0/99', json('99', 'm1'));
  t.same(await names('/things/0/', m1), ['22 28 4 99', 0]);
  t.same(await names('/things/0/', { ...m1, at: then }), ['10 16 22 28 4', 0], 'in a snapshot');
  t.same(await names('/things/0/', { ...m1, at: then, limit: 2 }), ['10 16', 3]);
  await t.rejects(cache.range('/things/', { index: { name: 'none', word: '' } }), {
    message: 'the cache has no index none',
  });
});

t.test('an index costs nothing before its first use, and then only its result', async t => {
  const read: string[] = [];
  const indexes = {
    label({ name, labels = [] }: Thing): readonly string[] {
      read.push(name);
      return labels;
    },
  };
  const { backend, cache } = await opened(t, { indexes }, async store => {
    for (const name of ['a', 'b', 'c'])
      await stored(store, `/things/${name}`, json(name, name === 'b' ? 'odd' : 'even'));
  });
  const odd = { index: { name: 'label', word: 'odd' } };
  const names = async (): Promise<unknown> => (await cache.range('/things/', odd)).items.map(({ value }) => value.name);
  await stored(backend, '/things/d', json('d', 'odd'));
  await cache.range('/things/');
  t.strictSame(read, [], 'it has not been used');
  t.strictSame(await names(), ['b', 'd']);
  t.strictSame(read.splice(0), ['a', 'b', 'c', 'd']);
  t.strictSame(await names(), ['b', 'd']);
  t.strictSame(read, [], 'values are indexed only once');
  await stored(backend, '/things/a', json('A', 'odd'));
  t.strictSame(await names(), ['A', 'b', 'd']);
  t.strictSame(read, ['a', 'A'], 'except for changed values');
});

t.test('reads wait for the requested revision', async t => {
  const { backend, cache } = await opened(t, { freshnessTimeoutMs: 5000 });
  const now = await cache.revision();
  const waiting = cache.range('/things/', { notBefore: (now + 1) as Revision });
  const get = cache.get('/things/a', { notBefore: (now + 1) as Revision });
  const at = cache.range('/things/', { at: (now + 1) as Revision });
  await stored(backend, '/things/a', json('a'));
  t.equal((await waiting).items.length, 1);
  t.equal((await get)?.value.name, 'a');
  t.equal((await at).items.length, 1);
  // The cache does not see changes of other prefixes unless it asks for the revision.
  await stored(backend, '/elsewhere', json('x'));
  const page = await cache.range('/things/', { notBefore: await backend.revision() });
  t.equal(page.revision, await backend.revision());
});

t.test('a read contains all writes that were committed before it', async t => {
  const { backend, cache } = await opened(t);
  let failures = 0;
  const reader = async (): Promise<void> => {
    for (let i = 0; i < 200; i++) {
      const committed = await backend.revision();
      const page = await cache.range('/things/');
      const newest = Math.max(0, ...page.items.map(item => item.revision));
      if (page.revision < committed || newest > page.revision) failures++;
      await new Promise(resolve => setImmediate(resolve));
    }
  };
  const writer = async (lane: number): Promise<void> => {
    for (let i = 0; i < 200; i++) await stored(backend, `/things/${lane}/${i % 10}`, json(String(i)));
  };
  await Promise.all([reader(), reader(), writer(1), writer(2), writer(3)]);
  t.equal(failures, 0);
});

t.test('old revisions are read from memory, then from the store, and fail after the compaction', async t => {
  const clock = steppedClock();
  const { backend, cache, codec } = await opened(
    t,
    { clock, historyWindowMs: 75_000 },
    () => Promise.resolve(),
    300_000,
  );
  await stored(backend, '/things/a', json('old'));
  const then = await backend.revision();
  clock.advance(2000);
  await stored(backend, '/things/a', json('new'));
  await cache.range('/things/');
  const name = async (): Promise<string | undefined> =>
    (await cache.range('/things/', { at: then })).items[0]?.value.name;
  const before = codec.decoded;
  t.equal(await name(), 'old');
  t.equal(codec.decoded, before, 'from memory');
  clock.advance(100_000);
  t.equal(await name(), 'old');
  t.equal(codec.decoded, before + 1, 'from the store');
  clock.advance(300_000);
  await stored(backend, '/elsewhere', json('x'));
  t.equal(await errorCode(name()), 'compacted');
});

t.test('the codec is called for each replaced value, and the history counts what is kept of it', async t => {
  const clock = steppedClock();
  const told: string[] = [];
  const kept = new Set<Thing>();
  const { backend, cache, signal } = await opened(t, {
    clock,
    historyBytes: 20_000,
    sizeOf: value => (kept.has(value) ? 5 : 5000),
    replaced(value, newer) {
      kept.add(value);
      told.push(`${value.name} ${newer.name}`);
    },
  });
  const start = cache.seen;
  const first = await stored(backend, '/things/a', json('1'));
  await cache.get('/things/a', { notBefore: first.revision });
  const names = Array.from({ length: 12 }, (_, n) => `${n + 2}`);
  let last = first;
  for (const name of names) last = await stored(backend, '/things/a', json(name));
  last = await stored(backend, '/things/a', bytes('{'));
  last = await stored(backend, '/things/a', json('again'));
  await cache.range('/things/', { notBefore: last.revision });
  t.same(
    told,
    ['1', ...names].slice(0, -1).map((name, n) => `${name} ${names[n]}`),
    'but not what is none',
  );
  const changes = collect(cache.watch('/things/', start, signal));
  await until('the watch is told of all', () => changes.lines.length >= 12);
  t.match(changes.lines[0], /1/, 'watched from the start: 12 values of 5000 bytes would be too many');
  await backend.remove('/things/a', last.revision);
  await until('it is gone', () => cache.size === 0);
  t.equal(told.length, names.length, 'what is removed is not replaced');
});

t.test('concurrent gets ask for the revision once', async t => {
  const backend = await openEmbedded({ directory: await temporaryFolder(t) });
  let gets = 0;
  const counted = overriding(backend, { get: (...asked) => (gets++, backend.get(...asked)) });
  const cache = openCache(counted, '/things/', counting());
  t.teardown(async () => {
    await cache.close();
    await backend.close();
  });
  await cache.ready;
  await stored(backend, '/things/a', json('1'));
  await until('the cache has seen it', () => cache.getCached('/things/a') !== undefined);
  const many = (): Promise<unknown[]> => Promise.all(Array.from({ length: 32 }, () => cache.get('/things/a')));
  t.equal(new Set(await many()).size, 1, 'all get the item of the cache');
  t.equal(gets, 1, 'only the first one read the item');
  await stored(backend, '/elsewhere', json('x'));
  await many();
  t.equal(gets, 33, 'the cache cannot know that this change has another prefix');
});
