/** Objects, indexes and requests that an OpenSearch refuses. */
import { Registry } from 'prom-client';
import t from 'tap';
import { until } from '../../authn/serve.js';
import { meter } from '../../../apiserver/metrics/meter.js';
import type { FakeOpenSearch } from './fake-open-search.js';
import { index, names, start, TestSource, timesSent } from './store-fixture.js';

t.test(
  'what an overloaded store did not take is sent again, and an object that it refuses does not delay others',
  async t => {
    let left = 5;
    const { fake, store, lines } = await start(t, fake => {
      fake.refuses = ({ id }) => {
        if (id === 'o0003') return { status: 400, type: 'mapper_parsing_exception' };
        if (id === 'o0001' && left-- > 0) return { status: 429, type: 'rejected_execution_exception' };
        return undefined;
      };
    });
    const source = new TestSource('member1', ...names(6));
    store.follow([source]);
    await until(() => fake.ids(index).join() === 'o0000,o0001,o0002,o0004,o0005');
    await until(() => store.queued === 0);
    const said = { registry: 'r', cluster: 'member1', kind: 'ConfigMap', object: 'o0003' };
    t.match(lines, [{ msg: /^an OpenSearch refuses an object/, ...said, cause: 'mapper_parsing_exception: one' }]);
    fake.refuses = () => undefined;
    source.put('o0003', { spec: 'mended' });
    await until(() => fake.ids(index).includes('o0003'));
    await until(() => lines.length === 2);
    t.match(lines[1], { msg: /^an object that an OpenSearch refused is accepted/, ...said });
  },
);

/** Returns a metric of the registry `r`. */
async function valueOf(registry: Registry, name: string): Promise<number> {
  const line = (await registry.metrics()).split('\n').find(each => each.startsWith(`${name}{registry="r"}`));
  return Number(line?.split(' ')[1]);
}

t.test('a refused object is not sent again until it changes, and is counted', async t => {
  const metrics = new Registry();
  const refuses: FakeOpenSearch['refuses'] = ({ id, type }) =>
    id === 'bad' && type === 'index' ? { status: 400, type: 'mapper_parsing_exception' } : undefined;
  const { fake, store, lines } = await start(t, fake => (fake.refuses = refuses), { meter: meter(metrics) });
  const source = new TestSource('member1', 'bad', 'good');
  store.follow([source]);
  await until(() => fake.ids(index).join() === 'good' && store.queued === 0);
  await until(async () => (await valueOf(metrics, 'flagship_search_refused_objects')) === 1);
  source.repeat('bad');
  // Another source of the kind: all documents are compared again.
  store.follow([source, new TestSource('member2', 'second')]);
  source.put('good', { spec: 1 });
  await until(() => fake.ids(index).includes('second') && store.queued === 0);
  store.follow([source]);
  source.put('later');
  await until(() => fake.ids(index).includes('later') && store.queued === 0);
  t.equal(timesSent(fake, 'bad'), 1, 'the same state is sent once');
  source.put('bad', { spec: 'changed' });
  await until(() => timesSent(fake, 'bad') === 2 && store.queued === 0);
  await until(async () => (await valueOf(metrics, 'flagship_search_refusals_total')) === 2);
  t.equal(await valueOf(metrics, 'flagship_search_refused_objects'), 1);
  t.equal(lines.length, 1, 'one line for the state');
  source.remove('bad');
  await until(async () => (await valueOf(metrics, 'flagship_search_refused_objects')) === 0);
  t.equal(timesSent(fake, 'bad'), 3, 'its document is deleted');
});

t.test('a refused object is sent to an index that is created anew, as are all others of it', async t => {
  const { fake, store } = await start(t, fake => {
    fake.refuses = ({ id }) => (id === 'bad' ? { status: 400, type: 'mapper_parsing_exception' } : undefined);
  });
  const source = new TestSource('member1', 'bad', 'good');
  store.follow([source]);
  await until(() => fake.ids(index).join() === 'good' && store.queued === 0);
  fake.refuses = () => undefined;
  fake.documents.delete(index);
  source.put('late');
  await until(() => fake.ids(index).join() === 'bad,good,late');
});

t.test('a request that is refused because of one object is divided until only that one is left out', async t => {
  for (const [status, type] of [
    [400, 'action_request_validation_exception'],
    [413, ''],
  ] as const) {
    const { fake, store, lines } = await start(t, fake => {
      fake.refusesWith = operations => (operations.some(({ id }) => id === 'o0007') ? { status, type } : undefined);
    });
    const source = new TestSource('member1', ...names(20));
    store.follow([source]);
    await until(() => fake.ids(index).length === 19 && store.queued === 0);
    t.match(lines, [{ msg: /^an OpenSearch refuses an object/, object: 'o0007' }], type);
  }
});

t.test('what a proxy, a closed index or missing rights refuse is sent again', async t => {
  const rows = [
    { status: 400, type: 'index_closed_exception' },
    { status: 403, type: 'cluster_block_exception' },
    { status: 500, type: 'exception' },
  ];
  for (const row of rows) {
    const { fake, store } = await start(t, fake => (fake.refuses = ({ id }) => (id === 'b' ? row : undefined)));
    const source = new TestSource('member1', 'a', 'b');
    store.follow([source]);
    await until(() => fake.ids(index).join() === 'a' && timesSent(fake, 'b') > 1);
    source.put('c');
    await until(() => fake.ids(index).join() === 'a,c');
    fake.refuses = () => undefined;
    await until(() => fake.ids(index).join() === 'a,b,c');
  }
  const { fake, store } = await start(t, fake => (fake.refusesWith = () => ({ status: 400, type: '' })));
  store.follow([new TestSource('member1', 'a', 'b')]);
  await until(() => fake.authorizations.size > 0 && fake.bulksRefused > 1);
  fake.refusesWith = () => undefined;
  await until(() => fake.ids(index).join() === 'a,b');
});

t.test('an index that cannot be created does not delay the objects of others', async t => {
  const { fake, store } = await start(t, fake => {
    fake.refusesIndex = name =>
      name === 'kubernetes-secret' ? { status: 400, type: 'validation_exception' } : undefined;
  });
  const secrets = new TestSource('member1', 's');
  secrets.kind = 'Secret';
  const others = new TestSource('member1', 'a');
  store.follow([secrets, others]);
  await until(() => fake.ids(index).join() === 'a' && fake.indexesRefused > 1);
  others.put('b');
  await until(() => fake.ids(index).join() === 'a,b');
  fake.refusesIndex = () => undefined;
  await until(() => fake.ids('kubernetes-secret').join() === 's');
});

t.test('an object without a document is logged, and does not delay others', async t => {
  const { fake, store, lines } = await start(t);
  const source = new TestSource('member1', 'a');
  let deep: object = {};
  for (let i = 0; i < 100_000; i++) deep = { deep };
  source.put('deep', { spec: deep });
  source.put('z');
  store.follow([source]);
  await until(() => fake.ids(index).join() === 'a,z' && store.queued === 0);
  t.match(lines, [{ msg: /^an OpenSearch refuses an object/, object: 'deep', err: RangeError }]);
});
