import t, { type Test } from 'tap';
import { openCache } from '../../../storage/cache/open-cache.js';
import { openEmbedded } from '../../../storage/embedded/open-embedded.js';
import type { Backend, Codec } from '../../../storage/interface.js';
import { bytes } from '../../conformance/store.js';
import { temporaryFolder } from '../folder.js';
import { until } from '../until.js';

const raw: Codec<Uint8Array> = { decode: value => value, encode: value => value };

interface Gated {
  readonly backend: Backend;
  /** How often the store was listed. */
  readonly lists: () => number;
  /** Lets the first list, that of the cache, be answered. */
  open(): void;
}

/** A store of three things that does not answer the first list yet. */
async function gated(t: Test): Promise<Gated> {
  const store = await openEmbedded({ directory: await temporaryFolder(t) });
  for (const name of ['a', 'b', 'c']) await store.put(`/things/${name}`, 'absent', bytes(name));
  let lists = 0;
  let open = (): void => undefined;
  const opened = new Promise<void>(resolve => (open = resolve));
  const backend: Backend = {
    ...store,
    async range(...asked) {
      if (lists++ === 0) await opened;
      return store.range(...asked);
    },
  };
  t.teardown(() => store.close());
  return { backend, lists: () => lists, open };
}

t.test('who lists everything while the cache is filled waits for it', async t => {
  const { backend, lists, open } = await gated(t);
  const cache = openCache(backend, '/things/', raw, { freshMs: 60_000 });
  const asked = Array.from({ length: 5 }, () => cache.range('/things/'));
  const page = await cache.range('/things/', { limit: 2 });
  t.match([page.fromStore, page.items.length, page.remaining], [true, 2, 1], 'a page is had at once');
  t.equal(await cache.get('/things/a').then(item => Buffer.from(item?.value ?? '').toString()), 'a', 'and an item');
  open();
  for (const { items, fromStore } of await Promise.all(asked)) t.match([items.length, fromStore], [3, undefined]);
  t.equal(lists(), 2, 'the store was listed for the cache and for the page');
  await cache.close();
});

t.test('but not for ever', async t => {
  const { backend, lists, open } = await gated(t);
  const cache = openCache(backend, '/things/', raw, { freshMs: 50 });
  const { items, fromStore } = await cache.range('/things/');
  t.match([items.length, fromStore], [3, true]);
  t.equal(lists(), 2);
  open();
  await until('the cache is filled', () => cache.size === 3);
  t.equal((await cache.range('/things/')).fromStore, undefined);
  await cache.close();
});
