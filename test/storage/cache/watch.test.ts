/** The watches of a cache, and how it follows the store. */
import t from 'tap';
import type { Revision } from '../../../storage/interface.js';
import { openCache } from '../../../storage/cache/open-cache.js';
import { openEmbedded } from '../../../storage/embedded/open-embedded.js';
import { errorCode } from '../../conformance/store.js';
import { steppedClock } from '../../lib/clock.js';
import { temporaryFolder } from '../folder.js';
import { until } from '../until.js';
import { collect, counting, json, opened, stored } from './opened.js';

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

t.test('a value is prepared before its change is told, and the changes stay in order', async t => {
  const { backend, cache, codec, signal } = await opened(t);
  const from = await cache.revision();
  const works: (() => void)[] = [];
  const prepared: string[] = [];
  codec.prepare = ({ name }) => {
    prepared.push(name);
    return name === 'long' ? new Promise(resolve => works.push(resolve)) : undefined;
  };
  const seen = collect(cache.watch('/things/', from, signal));
  await stored(backend, '/things/a', json('short'));
  await stored(backend, '/things/a', json('long'));
  await stored(backend, '/things/b', json('next'));
  await until('the work has begun', () => works.length === 1);
  t.same(seen.lines, ['put short was undefined']);
  t.equal((await cache.get('/things/a'))?.value.name, 'long', 'it can be read meanwhile');
  t.equal(cache.getCached('/things/a')?.value.name, 'long', 'and is known from then on');
  works[0]?.();
  await until('all is told', () => seen.lines.length === 3);
  t.same(seen.lines, ['put short was undefined', 'put long was short', 'put next was undefined']);
  t.ok(prepared.includes('short'), 'the replaced value, too');
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
  await until('it keeps up with it', () => cache.getCached('/things/next') !== undefined);
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
