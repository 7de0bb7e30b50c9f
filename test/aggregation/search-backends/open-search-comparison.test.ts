/** The store compares the documents of an index with the objects of its sources. */
import t from 'tap';
import { until } from '../../authn/serve.js';
import type { FakeOpenSearch } from './fake-open-search.js';
import { document, index, names, start, TestSource, timesSent } from './store-fixture.js';

t.test('documents without an object are deleted, and those of other sources stay', async t => {
  const { fake, store } = await start(t, fake => {
    const entries = [
      ...names(5).map(name => [name, document('member1')] as const),
      ['x-cluster', document('member2')] as const,
      ['x-group', document('member1', { apiVersion: 'example.com/v1' })] as const,
      ['x-namespace', document('member1', { namespace: 'other' })] as const,
      ['x-none', {}] as const,
    ];
    fake.documents.set(index, new Map<string, object>(entries) as never);
  });
  const source = new TestSource('member1', 'o0001', 'new');
  store.follow([source]);
  await until(() => fake.ids(index).join() === 'new,o0001,x-cluster,x-group,x-namespace,x-none');
});

t.test('documents of a version that nothing selects any more are deleted', async t => {
  const prepare = (fake: FakeOpenSearch): void => {
    const entries = [
      ['gone', document('member1', { apiVersion: 'v0' })] as const,
      ['there', document('member1', { apiVersion: 'v0' })] as const,
      ['x-cluster', document('member2', { apiVersion: 'v0' })] as const,
      ['x-namespace', document('member1', { apiVersion: 'v0', namespace: 'other' })] as const,
      ['x-selected', document('member1', { apiVersion: 'v2' })] as const,
    ];
    fake.documents.set(index, new Map<string, object>(entries) as never);
  };
  const { fake, store } = await start(t, prepare, { isSelected: ({ apiVersion }) => apiVersion === 'v2' });
  store.follow([new TestSource('member1', 'there')]);
  await until(() => fake.ids(index).join() === 'there,x-cluster,x-namespace,x-selected');
  t.match(fake.documents.get(index)?.get('there'), { apiVersion: 'v1' });
});

t.test('when one of two versions of a kind leaves, its documents are compared with the other one', async t => {
  const { fake, store } = await start(t);
  const [older, newer] = [new TestSource('member1', 'a', 'older'), new TestSource('member1', 'a')];
  older.apiVersion = 'v0';
  store.follow([older, newer]);
  await until(() => fake.ids(index).join() === 'a,older' && store.queued === 0);
  store.follow([newer]);
  await until(() => fake.ids(index).join() === 'a');
  newer.put('late');
  await until(() => fake.ids(index).join() === 'a,late');
});

t.test('sources of one index share a pass over its documents, which reads no more than it needs', async t => {
  const { fake, store } = await start(t, fake => {
    const entries = names(6).map((name, i) => [name, document(`member${i % 3}`)] as const);
    fake.documents.set(index, new Map<string, object>(entries) as never);
  });
  store.follow(['member0', 'member1', 'member2'].map(cluster => new TestSource(cluster, `new-${cluster}`)));
  await until(() => fake.ids(index).join() === 'new-member0,new-member1,new-member2');
  t.equal(fake.searches.length, 1);
  t.notMatch(JSON.stringify(fake.searches), /unread/);
});

t.test('a source that has stopped before it was known is not compared', async t => {
  const { fake, store } = await start(t, fake => {
    const entries = [['a', document('member1')] as const, ['b', document('member2')] as const];
    fake.documents.set(index, new Map<string, object>(entries) as never);
  });
  const stopped = new TestSource('member1');
  stopped.hasSynced = false;
  // The sources are compared one after the other.
  store.follow([stopped, new TestSource('member2', 'new')]);
  await until(() => fake.ids(index).join() === 'a,new');
});

t.test('a comparison goes on where single objects fail', async t => {
  let left = 20;
  const { fake, store } = await start(t, fake => {
    fake.refuses = ({ id }) =>
      id.endsWith('7') && left-- > 0 ? { status: 429, type: 'rejected_execution_exception' } : undefined;
  });
  store.follow([new TestSource('member1', ...names(1200))]);
  await until(() => fake.ids(index).length === 1200 && store.queued === 0);
  t.equal(timesSent(fake, 'o0000'), 1, 'it does not begin anew');
});
