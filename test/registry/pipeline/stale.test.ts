import t from 'tap';
import { configMap, configmaps, refusal, serve } from '../serve.js';

const key = (name: string) => ({ namespace: 'default', name });

/** Two servers with one store: the cache of each is behind the writes of the other for a moment. */
async function two(t: Parameters<typeof serve>[0]) {
  const first = await serve(t);
  const second = await serve(t, { backend: first.backend });
  await Promise.all([first, second].map(({ client }) => client.list(configmaps)));
  return [first.client, second.client] as const;
}

t.test('a write based on a stale state is retried', async t => {
  const [a, b] = await two(t);
  await a.create(configmaps, configMap('shared', { data: {} }));
  const names = Array.from({ length: 40 }, (_, i) => `k${i}`);
  for (const [i, name] of names.entries())
    await (i % 2 ? a : b).patch(configmaps, key('shared'), { type: 'merge', patch: { data: { [name]: 'v' } } });
  const { data } = await a.get(configmaps, key('shared'));
  t.same(Object.keys(data as object).sort(), [...names].sort(), 'no write of another server is lost');
});

t.test('a refusal based on a stale state is checked again', async t => {
  const [a, b] = await two(t);
  for (let i = 0; i < 20; i++) {
    const made = await a.create(configmaps, configMap(`c${i}`));
    const changed = await b.update(configmaps, { ...made, data: { k: 'v' } });
    t.same(changed['data'], { k: 'v' }, 'an object just created by another server is found');
    t.same(await refusal(a.update(configmaps, changed)), 'allowed', 'its version is the newest');
    await b.delete(configmaps, key(`c${i}`));
    t.equal(
      await refusal(a.update(configmaps, configMap(`c${i}`, { data: { k: 'w' } }))),
      `404 NotFound: configmaps "c${i}" not found`,
      'an object just deleted by another server is gone',
    );
  }
});

t.test('an update without changes to a stale state is checked again', async t => {
  const [a, b] = await two(t);
  const made = await a.create(configmaps, configMap('n', { data: { k: '1' } }));
  for (let i = 2; i < 20; i++) {
    await b.patch(configmaps, key('n'), { type: 'merge', patch: { data: { k: String(i) } } });
    const back = await a.patch(configmaps, key('n'), { type: 'merge', patch: { data: { k: '1' } } });
    t.same(back['data'], { k: '1' });
  }
  const { metadata, data } = await b.get(configmaps, key('n'));
  t.same(data, { k: '1' });
  t.not(metadata.resourceVersion, made.metadata.resourceVersion);
});

t.test('many concurrent writers of one object all succeed', async t => {
  const [a] = await two(t);
  await a.create(configmaps, configMap('hot'));
  const names = Array.from({ length: 100 }, (_, i) => `k${i}`);
  await Promise.all(
    names.map(name => a.patch(configmaps, key('hot'), { type: 'merge', patch: { data: { [name]: 'v' } } })),
  );
  const { data } = await a.get(configmaps, key('hot'));
  t.same(Object.keys(data as object).sort(), [...names].sort());
});
