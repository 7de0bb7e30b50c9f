import t from 'tap';
import { configMap, configmaps, refusal, serve } from '../serve.js';

t.test('an object lives: create, get, update, patch, delete', async t => {
  const { client } = await serve(t);
  const created = await client.create(configmaps, configMap('a', { data: { k: 'v' } }));
  t.match(created.metadata, {
    name: 'a',
    namespace: 'default',
    uid: /^[0-9a-f-]{36}$/,
    creationTimestamp: '2026-01-01T00:00:00Z',
    resourceVersion: /^[0-9]+$/,
  });
  const key = { namespace: 'default', name: 'a' };
  t.equal(await client.get(configmaps, key), created, 'readers share the object of the writer');
  const updated = await client.update(configmaps, { ...created, data: { k: 'w' } });
  t.same(updated.data, { k: 'w' });
  t.ok(Number(updated.metadata.resourceVersion) > Number(created.metadata.resourceVersion));
  t.equal(updated.metadata.uid, created.metadata.uid);
  const patched = await client.patch(configmaps, key, { type: 'merge', patch: { data: { k: null, n: 'm' } } });
  t.same(patched.data, { n: 'm' });
  await client.delete(configmaps, key);
  t.equal(await refusal(client.get(configmaps, key)), '404 NotFound: configmaps "a" not found');
});
t.test('a write that changes nothing is none', async t => {
  const { client } = await serve(t);
  const created = await client.create(configmaps, configMap('a', { data: { k: 'v' } }));
  const again = await client.update(configmaps, created);
  t.equal(again.metadata.resourceVersion, created.metadata.resourceVersion);
  const patched = await client.patch(
    configmaps,
    { namespace: 'default', name: 'a' },
    { type: 'merge', patch: { data: { k: 'v' } } },
  );
  t.equal(patched.metadata.resourceVersion, created.metadata.resourceVersion);
});
