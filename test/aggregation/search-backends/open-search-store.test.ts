/** Objects and their changes reach an OpenSearch, which may be slow or away. */
import t from 'tap';
import { OpenSearchClient } from '../../../aggregation/search-backends/open-search-client.js';
import { OpenSearchStore } from '../../../aggregation/search-backends/open-search-store.js';
import { systemClock } from '../../../lib/clock.js';
import { until } from '../../authn/serve.js';
import { silent } from '../../../lib/logging/interface.js';
import { index, names, start, TestSource } from './store-fixture.js';

t.test('objects, their changes and their deletions are sent in bulk, with the credentials', async t => {
  const { fake, store } = await start(t);
  const source = new TestSource('member1', ...names(1200));
  store.follow([source]);
  await until(() => fake.ids(index).length === 1200);
  t.ok(fake.bulks.length < 10, `${fake.bulks.length} requests`);
  t.same([...fake.authorizations], [`Basic ${Buffer.from('user:secret').toString('base64')}`]);
  t.match(fake.created.get(index), {
    settings: { index: { number_of_shards: 1 } },
    mappings: { properties: { spec: { enabled: false } } },
  });
  source.put('o0001', { spec: { changed: true } });
  source.put('late');
  source.remove('o0000');
  await until(() => fake.ids(index).includes('late') && !fake.ids(index).includes('o0000'));
  await until(() => fake.documents.get(index)?.get('o0001')?.['spec'] === '{"changed":true}');
  store.follow([]);
  source.put('unseen');
  store.follow([source]);
  await until(() => fake.ids(index).includes('unseen'));
});

t.test('a store that answers 429, 503 or 413 gets everything later', async t => {
  for (const status of [429, 503, 413]) {
    const { fake, store } = await start(t, fake => (fake.refusesAll = { status, type: 'refused' }));
    const source = new TestSource('member1', ...names(20));
    store.follow([source]);
    await until(() => fake.authorizations.size > 0);
    source.remove('o0000');
    fake.refusesAll = undefined;
    await until(() => fake.ids(index).length === 19);
  }
});

t.test('a store that is down gets everything when it is back', async t => {
  const { fake, store, address } = await start(t);
  const source = new TestSource('member1', 'a', 'b');
  store.follow([source]);
  await until(() => fake.ids(index).length === 2);
  fake.close();
  source.remove('a');
  source.put('c');
  await until(() => store.queued > 0);
  await fake.listen(t, { port: Number(new URL(address).port) });
  await until(() => fake.ids(index).join() === 'b,c');
});

t.test('an index that was deleted is created again', async t => {
  const { fake, store } = await start(t);
  const source = new TestSource('member1', 'a');
  store.follow([source]);
  await until(() => fake.ids(index).length === 1);
  fake.documents.delete(index);
  source.put('b');
  await until(() => fake.ids(index).includes('b'));
});

t.test('a slow store has one request at a time, and the queue is bounded; nothing is lost', async t => {
  let open = (): void => undefined;
  const { fake, store } = await start(t, fake => (fake.gate = new Promise(resolve => (open = resolve))), {
    maxQueued: 10,
  });
  const source = new TestSource('member1', ...names(30));
  store.follow([source]);
  await until(() => fake.created.size > 0);
  for (const name of names(100)) source.put(name, { spec: 1 });
  for (const name of names(50)) source.remove(name);
  t.ok(store.queued <= 10 + 30, `${store.queued} are queued`);
  t.ok(fake.bulks.length === 0);
  open();
  await until(() => fake.ids(index).length === 50 && fake.ids(index)[0] === 'o0050');
});

t.test(
  'a real OpenSearch',
  { skip: process.env['OPENSEARCH_URL'] === undefined && 'OPENSEARCH_URL is not set' },
  async t => {
    const { username, password, origin } = new URL(process.env['OPENSEARCH_URL'] ?? '');
    const settings = { addresses: [origin], username, password, ca: '' };
    const store = new OpenSearchStore(settings, { log: silent, clock: systemClock, registry: 'r' });
    const client = new OpenSearchClient(settings);
    t.teardown(() => Promise.all([store.close(), client.close()]));
    const cluster = `test-${process.pid}`;
    const found = async (): Promise<string[]> => {
      const ids: string[] = [];
      try {
        for await (const page of client.documents(index))
          ids.push(...page.filter(each => each.cluster === cluster).map(({ id }) => id));
      } catch {
        // There is no index yet.
      }
      return ids.sort();
    };
    const source = new TestSource(cluster, `${cluster}-a`, `${cluster}-b`);
    store.follow([source]);
    await until(async () => (await found()).length === 2);
    for (const name of ['a', 'b']) source.remove(`${cluster}-${name}`);
    await until(async () => (await found()).length === 0);
  },
);
