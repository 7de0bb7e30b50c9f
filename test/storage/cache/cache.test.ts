import t, { type Test } from 'tap';
import type { Cache, CacheOptions } from '../../../storage/cache/interface.js';
import { openCache } from '../../../storage/cache/open-cache.js';
import { openEmbedded } from '../../../storage/embedded/open-embedded.js';
import type { Backend, Change, Codec, Item, Revision } from '../../../storage/interface.js';
import { bytes, errorCode } from '../../conformance/store.js';
import { steppedClock } from '../../lib/clock.js';
import { type Faulty, faulty } from '../faulty.js';
import { temporaryFolder } from '../folder.js';
import { until } from '../until.js';

interface Thing {
  readonly name: string;
  readonly labels?: readonly string[];
  readonly revision?: number;
}

/** A codec that counts its calls, and puts the revision into the value as objects have their resourceVersion. */
function counting(): Codec<Thing> & { decoded: number; adopted: number } {
  const codec = {
    decoded: 0,
    adopted: 0,
    decode(value: Uint8Array, _key: string, revision: Revision): Thing {
      codec.decoded++;
      return { ...(JSON.parse(Buffer.from(value).toString()) as Thing), revision };
    },
    encode: (value: Thing): Uint8Array => bytes(JSON.stringify({ name: value.name, labels: value.labels })),
    adopt(value: Thing, _key: string, revision: Revision): Thing {
      codec.adopted++;
      return { ...value, revision };
    },
  };
  return codec;
}

interface Opened {
  readonly backend: Faulty;
  readonly cache: Cache<Thing>;
  readonly codec: ReturnType<typeof counting>;
  readonly signal: AbortSignal;
}

async function opened(
  t: Test,
  options: CacheOptions<Thing> = {},
  prepare: (backend: Backend) => Promise<unknown> = () => Promise.resolve(),
  historyWindowMs = 300_000,
): Promise<Opened> {
  const { clock } = options;
  const embedded = await openEmbedded({
    directory: await temporaryFolder(t),
    historyWindowMs,
    ...(clock === undefined ? {} : { clock }),
  });
  const backend = faulty(embedded);
  await prepare(backend);
  const codec = counting();
  const cache = openCache(backend, '/things/', codec, options);
  const stop = new AbortController();
  t.teardown(async () => {
    stop.abort();
    await cache.close();
    await embedded.close();
  });
  await cache.ready;
  return { backend, cache, codec, signal: stop.signal };
}

const json = (name: string, ...labels: string[]): Uint8Array => bytes(JSON.stringify({ name, labels }));

async function stored(store: Backend, key: string, value: Uint8Array): Promise<Item<Uint8Array>> {
  const standing = await store.get(key);
  const outcome = await store.put(key, standing?.revision ?? 'absent', value);
  if (outcome.type !== 'done') throw new Error('nobody else writes');
  return outcome.item;
}

/** Collects the events of a watch as lines. */
function collect(changes: AsyncIterable<Change<Thing>>): {
  lines: string[];
  revisions: number[];
  ended: Promise<unknown>;
} {
  const lines: string[] = [];
  const revisions: number[] = [];
  const ended = (async () => {
    for await (const change of changes) {
      revisions.push(change.revision);
      if (change.type === 'progress') lines.push('progress');
      else if (change.type === 'put') lines.push(`put ${change.item.value.name} was ${change.previous?.value.name}`);
      else lines.push(`remove ${change.key} was ${change.previous?.value.name}`);
    }
  })();
  ended.catch(() => undefined);
  return { lines, revisions, ended };
}

t.test('the cache starts with the existing items, and follows the changes', async t => {
  const { backend, cache } = await opened(t, {}, store => stored(store, '/things/a', json('a')));
  t.equal(cache.peek('/things/a')?.value.name, 'a');
  t.equal(cache.seen, await backend.revision());
  const view = cache.snapshot();
  await stored(backend, '/things/a', json('a2'));
  await stored(backend, '/things/b', json('b'));
  await until('it has seen the change', () => cache.peek('/things/b') !== undefined);
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
    const peeked = cache.peek(key)?.value.name;
    const changed = await cache.put(key, made.type === 'done' ? made.revision : 'absent', { name: 'second' });
    return [changed.type, peeked, cache.peek(key)?.value.name];
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
  const peeked = cache.peek('/things/x');
  t.equal(peeked?.value.revision, peeked?.revision);
  t.ok(outcome.type === 'done' && outcome.item.value === peeked?.value, 'the writer has the shared value');
  t.ok(change?.type === 'put' && change.item.value === peeked?.value, 'watchers too');
  t.ok((await cache.get('/things/x'))?.value === peeked?.value, 'readers too');

  await stored(backend, '/things/y', json('y'));
  const read = await cache.get('/things/y');
  await until('it has seen y', () => cache.snapshot().get('/things/y') !== undefined);
  t.equal(codec.decoded, 1);
  t.ok(read?.value === cache.peek('/things/y')?.value);
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
  t.throws(() => cache.peek('/things/b/1'), { code: 'corrupt' });
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

t.test('a broken watch of the store resumes at its revision', async t => {
  const { backend, cache, signal } = await opened(t);
  const seen = collect(cache.watch('/things/', await cache.revision(), signal));
  for (let round = 0; round < 5; round++) {
    await stored(backend, '/things/a', json(`${round}`));
    backend.breakWatches('unavailable');
    await stored(backend, '/things/a', json(`${round}+`));
  }
  await until('all is told', () => seen.lines.length >= 10);
  t.same(
    seen.lines.filter(line => line !== 'progress').map(line => line.split(' ')[1]),
    ['0', '0+', '1', '1+', '2', '2+', '3', '3+', '4', '4+'],
  );
});

t.test('after a compaction, watchers get the differences of a new list', async t => {
  const { backend, cache, signal } = await opened(t, {}, async store => {
    for (const key of ['same', 'changed', 'removed', 'back']) await stored(store, `/things/${key}`, json(key));
  });
  const from = await cache.revision();
  const seen = collect(cache.watch('/things/', from, signal));
  backend.outage = { code: 'unavailable' };
  backend.breakWatches('unavailable');
  await stored(backend, '/things/changed', json('changed twice'));
  const between = await stored(backend, '/things/new', json('new'));
  await stored(backend, '/things/changed', json('changed'));
  for (const key of ['removed', 'back']) {
    await backend.remove(`/things/${key}`, (await backend.get(`/things/${key}`))?.revision ?? (0 as Revision));
  }
  await stored(backend, '/things/back', json('back again'));
  await stored(backend, '/elsewhere', json('x'));
  const now = await backend.revision();
  await backend.compact(now);
  t.equal((await cache.range('/things/', { notBefore: 0 as Revision })).items.length, 4, 'it still answers');
  backend.outage = undefined;
  await until('the difference is told', () => seen.lines.length >= 4);
  t.same(seen.lines, [
    'put new was undefined',
    'put changed was changed',
    'put back again was back',
    'remove /things/removed was removed',
  ]);
  t.same(
    [...seen.revisions].sort((a, b) => a - b),
    seen.revisions,
  );
  t.equal(cache.seen, now);
  t.equal((await cache.range('/things/')).items.length, 4);
  t.equal((await cache.range('/things/', { at: from })).items.length, 4, 'before the gap');
  t.equal(await errorCode(cache.range('/things/', { at: between.revision })), 'compacted', 'inside the gap');
  t.equal((await cache.range('/things/', { at: now })).items.length, 4, 'behind the gap');
  await stored(backend, '/things/later', json('later'));
  await until('it goes on', () => seen.lines.length === 5);
});

t.test('a store with an older revision than before is handled as another store', async t => {
  const { backend, cache, signal } = await opened(t, {}, async store => {
    for (let i = 0; i < 20; i++) await stored(store, `/things/${i}`, json(String(i)));
  });
  const seen = collect(cache.watch('/things/', await cache.revision(), signal));
  const older = await openEmbedded({ directory: await temporaryFolder(t) });
  t.teardown(() => older.close());
  await stored(older, '/things/restored', json('restored'));
  backend.replace(older);
  t.same((await cache.range('/things/')).items.map(item => item.value.name), ['restored']); // prettier-ignore
  await t.rejects(seen.ended, { code: 'compacted' });
  t.equal(cache.seen, await older.revision());
  await stored(older, '/things/next', json('next'));
  await until('it keeps up with it', () => cache.peek('/things/next') !== undefined);
});

t.test('watchers get changes, progress and errors', async t => {
  const clock = steppedClock();
  const { backend, cache, signal } = await opened(t, { clock, historyBytes: 20_000, sizeOf: () => 500 });
  const from = await cache.revision();
  const all = collect(cache.watch('/things/', from, signal));
  const one = collect(cache.watch('/things/', from, signal, { key: '/things/ns/a' }));
  const namespace = collect(cache.watch('/things/ns/', from, signal));
  const odd = collect(cache.watch('/things/ns/a', from, signal));
  const other = collect(cache.watch('/things/other/', from, signal));
  for (const key of ['ns/a', 'ns/ab', 'ns2/a', 'other/x']) await stored(backend, `/things/${key}`, json(key));
  await until('all are told', () => all.lines.length === 4 && other.lines.length === 1);
  t.same(one.lines, ['put ns/a was undefined']);
  t.same(namespace.lines, ['put ns/a was undefined', 'put ns/ab was undefined']);
  t.same(odd.lines, namespace.lines);
  t.same(other.lines, ['put other/x was undefined']);
  const late = collect(cache.watch('/things/', from, signal, { key: '/things/ns/a' }));
  await until('it is told too', () => late.lines.length === 1);

  await stored(backend, '/elsewhere', json('x'));
  clock.advance(10_000);
  await until('progress is told', () => [all, one, namespace, other].every(seen => seen.lines.at(-1) === 'progress'));
  t.equal(other.revisions.at(-1), await backend.revision());
  clock.advance(10_000);
  await until('the tick is over', () => clock.sleeping > 0);
  t.equal(other.lines.filter(line => line === 'progress').length, 1, 'nothing new, no progress');
  await stored(backend, '/things/ns/a', json('again'));
  await until('it is told', () => one.lines.at(-1) === 'put again was ns/a');

  // A watcher that does not read.
  const slow = cache.watch('/things/', await cache.revision(), signal)[Symbol.asyncIterator]();
  const first = slow.next();
  for (let i = 0; i < 100; i++) await stored(backend, `/things/ns/${i % 5}`, json(String(i)));
  t.match(await first, { value: { type: 'put' } });
  clock.advance(1500);
  await stored(backend, '/things/ns/last', json('last'));
  await t.rejects(slow.next(), { code: 'compacted' });
  t.match(await slow.next(), { done: true });
  const past = collect(cache.watch('/things/', from, signal));
  await until('it is told what the store remembers', () => past.lines.at(-1)?.startsWith('put last') === true);
  t.same(past.lines.slice(0, 4), all.lines.slice(0, 4));
  await backend.compact(await backend.revision());
  t.equal(await errorCode(cache.watch('/things/', from, signal)[Symbol.asyncIterator]().next()), 'compacted');
});

t.test('a watch from before the cache gets its events from the store, then from the cache', async t => {
  const { backend, cache, signal } = await opened(t);
  const from = await cache.revision();
  for (const key of ['ns/a', 'ns/ab', 'other/x', 'ns/a']) {
    const standing = await backend.get(`/things/${key}`);
    await backend.put(`/things/${key}`, standing?.revision ?? 'absent', json(key));
  }
  const removed = await backend.get('/things/other/x');
  await backend.remove('/things/other/x', removed?.revision ?? from);
  await stored(backend, '/elsewhere', json('x'));

  const younger = openCache(backend, '/things/', counting());
  t.teardown(() => younger.close());
  await younger.ready;
  const seen = [
    collect(younger.watch('/things/', from, signal)),
    collect(younger.watch('/things/ns/', from, signal)),
    collect(younger.watch('/things/', from, signal, { key: '/things/ns/a' })),
    collect(younger.watch('/things/quiet/', from, signal)),
  ] as const;
  const [all, namespace, one, quiet] = seen;
  await until('all is told', () => all.lines.length === 5 && namespace.lines.length === 3 && one.lines.length === 2);
  t.same(all.lines, [
    'put ns/a was undefined',
    'put ns/ab was undefined',
    'put other/x was undefined',
    'put ns/a was ns/a',
    'remove /things/other/x was other/x',
  ]);
  t.same(namespace.lines, ['put ns/a was undefined', 'put ns/ab was undefined', 'put ns/a was ns/a']);
  t.same(one.lines, ['put ns/a was undefined', 'put ns/a was ns/a']);
  await stored(backend, '/things/ns/a', json('now'));
  await stored(backend, '/things/quiet/a', json('heard'));
  await until('what comes is told', () => one.lines.length === 3 && quiet.lines.length === 1 && all.lines.length === 7);
  t.same([one.lines.at(-1), quiet.lines.at(-1)], ['put now was ns/a', 'put heard was undefined']);
  const revisions = all.revisions.map(Number);
  t.same(
    revisions,
    [...new Set(revisions)].sort((a, b) => a - b),
    'once each, in order',
  );
});

t.test('reads wait for the requested revision', async t => {
  const { backend, cache } = await opened(t, { freshMs: 5000 });
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
  const counted: Backend = { ...backend, get: (...asked) => (gets++, backend.get(...asked)) };
  const cache = openCache(counted, '/things/', counting());
  t.teardown(async () => {
    await cache.close();
    await backend.close();
  });
  await cache.ready;
  await stored(backend, '/things/a', json('1'));
  await until('the cache has seen it', () => cache.peek('/things/a') !== undefined);
  const many = (): Promise<unknown[]> => Promise.all(Array.from({ length: 32 }, () => cache.get('/things/a')));
  t.equal(new Set(await many()).size, 1, 'all get the item of the cache');
  t.equal(gets, 1, 'only the first one read the item');
  await stored(backend, '/elsewhere', json('x'));
  await many();
  t.equal(gets, 33, 'the cache cannot know that this change has another prefix');
});
