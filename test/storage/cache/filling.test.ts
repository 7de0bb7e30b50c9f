import t, { type Test } from 'tap';
import { openCache } from '../../../storage/cache/open-cache.js';
import { openEmbedded } from '../../../storage/embedded/open-embedded.js';
import type { Backend, Codec, Item, Revision } from '../../../storage/interface.js';
import { bytes, errorCode } from '../../conformance/store.js';
import { collect } from '../../old-space.js';
import { faulty } from '../faulty.js';
import { temporaryFolder } from '../folder.js';
import { overriding } from '../overriding.js';
import { until } from '../until.js';

/** A codec of texts, whose decoded values do not keep the bytes. */
const texts: Codec<string> = { decode: value => Buffer.from(value).toString(), encode: bytes };

interface Gated {
  readonly backend: Backend;
  /** Number of lists of the store. */
  readonly lists: () => number;
  /** Completes the first list, that of the cache. */
  readonly releaseFirstList: () => void;
}

/** Returns a store with three items whose first list does not complete yet. */
async function gated(t: Test): Promise<Gated> {
  const store = await openEmbedded({ directory: await temporaryFolder(t) });
  for (const name of ['a', 'b', 'c']) await store.put(`/things/${name}`, 'absent', bytes(name));
  let lists = 0;
  let releaseFirstList = (): void => undefined;
  const opened = new Promise<void>(resolve => (releaseFirstList = resolve));
  const backend = overriding(store, {
    async range(...asked) {
      if (lists++ === 0) await opened;
      return store.range(...asked);
    },
  });
  t.teardown(() => store.close());
  return { backend, lists: () => lists, releaseFirstList };
}

t.test('a list of all items waits while the cache is being filled', async t => {
  const { backend, lists, releaseFirstList } = await gated(t);
  const cache = openCache(backend, '/things/', texts, { freshnessTimeoutMs: 60_000 });
  const asked = Array.from({ length: 5 }, () => cache.range('/things/'));
  const page = await cache.range('/things/', { limit: 2 });
  t.match([page.fromStore, page.items.length, page.remaining], [true, 2, 1], 'a page is returned at once');
  t.equal((await cache.get('/things/a'))?.value, 'a', 'a get is answered at once');
  releaseFirstList();
  for (const { items, fromStore } of await Promise.all(asked)) t.match([items.length, fromStore], [3, undefined]);
  t.equal(lists(), 2, 'the store was listed for the cache and for the page');
  await cache.close();
});

t.test('a list goes to the store after freshnessTimeoutMs without a filled cache', async t => {
  const { backend, lists, releaseFirstList } = await gated(t);
  const cache = openCache(backend, '/things/', texts, { freshnessTimeoutMs: 50 });
  const { items, fromStore } = await cache.range('/things/');
  t.match([items.length, fromStore], [3, true]);
  t.equal(lists(), 2);
  releaseFirstList();
  await until('the cache is filled', () => cache.size === 3);
  t.equal((await cache.range('/things/')).fromStore, undefined);
  await cache.close();
});

t.test('the listed bytes are not kept in addition to the decoded values', async t => {
  const { backend, releaseFirstList } = await gated(t);
  releaseFirstList();
  const listed: WeakRef<Item<Uint8Array>>[] = [];
  const noting = overriding(backend, {
    async range(...asked) {
      const page = await backend.range(...asked);
      const items = page.items.map(({ key, value, revision }) => ({ key, value, revision }));
      listed.push(...items.map(item => new WeakRef(item)));
      return { ...page, items };
    },
  });
  const cache = openCache(noting, '/things/', texts);
  await cache.ready;
  t.equal(listed.length, 3);
  await until('they are gone', () => {
    collect();
    return listed.every(item => item.deref() === undefined);
  });
  t.equal(cache.size, 3);
  await cache.close();
});

t.test('reads before the cache is ready go to the store', async t => {
  const backend = faulty(await openEmbedded({ directory: await temporaryFolder(t) }));
  await backend.put('/things/a', 'absent', bytes('a'));
  backend.outage = { code: 'unavailable' };
  const cache = openCache(backend, '/things/', texts, { freshnessTimeoutMs: 50 });
  t.equal(cache.getCached('/things/a'), undefined);
  t.equal(cache.seen, 0);
  t.throws(() => cache.snapshot(), { code: 'initializing' });
  t.equal((await cache.get('/things/a'))?.value, 'a', 'a consistent get needs no cache');
  t.equal(await errorCode(cache.range('/things/', { notBefore: 0 as Revision })), 'initializing');
  const watch = cache.watch('/things/', 1 as Revision, new AbortController().signal);
  await t.rejects(watch[Symbol.asyncIterator]().next(), { code: 'initializing' });
  backend.outage = undefined;
  await cache.ready;
  t.equal(cache.getCached('/things/a')?.value, 'a');
  await cache.close();
  await cache.close();
  await backend.close();
});
