/** Mirrors in clients, kept like those of client-go's reflector, over real connections. */
import t from 'tap';
import { runningServer } from '../apiserver/running.js';
import { customKind, definitionsPath } from '../custom-kinds.js';
import { reflect } from './reflector.js';
import { accepts, protobuf, wire, type Wire } from './wire.js';

const path = '/api/v1/namespaces/default/configmaps';
const configMap = (name: string, value: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default' },
  data: { value },
});

async function create(client: Wire, ...names: string[]): Promise<void> {
  for (const name of names) await client.send(`POST ${path}`, { body: configMap(name, 'first') });
}

const replace = (client: Wire, name: string, value: string) =>
  client.send(`PUT ${path}/${name}`, { body: configMap(name, value) });

t.test('requests and answers are protobuf', async t => {
  const client = wire(t, await runningServer(t));
  const accept = accepts.binary;
  const created = await client.send(`POST ${path}`, { body: configMap('a', 'x'), accept });
  t.match(created, { status: 201, headers: { 'content-type': protobuf } });
  t.match(created.object, {
    kind: 'ConfigMap',
    data: { value: 'x' },
    metadata: { managedFields: [{ manager: 'wire' }] },
  });
  const missing = await client.send(`GET ${path}/b`, { accept });
  t.match(missing.object, { kind: 'Status', reason: 'NotFound', code: 404 });
  const list = await client.send(`GET ${path}`, { accept });
  t.match(list.object, { kind: 'ConfigMapList', items: [{ metadata: { name: 'a' }, data: { value: 'x' } }] });
  const options = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid: 'other' } };
  t.match((await client.send(`DELETE ${path}/a`, { body: options, accept })).object, { code: 409, reason: 'Conflict' });
  const { uid } = created.object.metadata;
  const removed = await client.send(`DELETE ${path}/a`, { body: { ...options, preconditions: { uid } }, accept });
  t.match(removed.object, { kind: 'Status', status: 'Success', details: { name: 'a', kind: 'configmaps', uid } });
});

for (const [first, form] of [
  ['watchlist', 'typed'],
  ['watchlist', 'dynamic'],
  ['list', 'typed'],
  ['list', 'dynamic'],
] as const)
  t.test(`a mirror that begins with a ${first} (${form})`, async t => {
    const server = await runningServer(t);
    const client = wire(t, server);
    await create(client, 'a', 'b', 'c', 'd', 'e');
    const mirror = reflect(wire(t, server), { path, first, pageSize: 2, accept: accepts[form] });
    await mirror.until(objects => objects.size === 5);
    await replace(client, 'b', 'second');
    await client.send(`DELETE ${path}/c`);
    await create(client, 'f');
    await mirror.until(objects => objects.has('default/f'));
    t.same(
      [...mirror.objects.keys()].sort(),
      ['a', 'b', 'd', 'e', 'f'].map(name => `default/${name}`),
    );
    t.match(mirror.objects.get('default/b'), { data: { value: 'second' } });
    const did = first === 'list' ? ['list', 'watch'] : ['watchlist'];
    t.same(mirror.did, did, 'a list at resource version 0 is one page, whatever the limit');
    t.same(mirror.faults, []);
    await mirror.stop();
  });

t.test('a mirror resumes after a broken connection', async t => {
  const server = await runningServer(t);
  const client = wire(t, server);
  await create(client, 'a', 'b');
  const line = wire(t, server);
  const mirror = reflect(line, { path });
  await mirror.until(objects => objects.size === 2);
  line.disconnect();
  await client.send(`DELETE ${path}/a`);
  await replace(client, 'b', 'second');
  await create(client, 'c');
  await mirror.until(objects => objects.has('default/c'));
  t.same([...mirror.objects.keys()].sort(), ['default/b', 'default/c']);
  t.match(mirror.objects.get('default/b'), { data: { value: 'second' } });
  t.same(mirror.did, ['watchlist', 'broken', 'watch']);
  t.same(mirror.faults, []);
  await mirror.stop();
});

t.test('a mirror lists again after its revision expired', async t => {
  const server = await runningServer(t);
  const client = wire(t, server);
  await create(client, 'a', 'b');
  for (const first of ['watchlist', 'list'] as const) {
    const mirror = reflect(wire(t, server), { path, first, resourceVersion: '1' });
    await mirror.until(objects => objects.size === 2);
    t.same(mirror.did.slice(0, 3), ['watch', 'expired', first]);
    t.same(mirror.faults, []);
    await mirror.stop();
  }
});

t.test('a paged list continues after its revision was compacted', async t => {
  const server = await runningServer(t);
  const client = wire(t, server);
  await create(client, 'a', 'b', 'c');
  const mirror = reflect(wire(t, server), { path, first: 'list', pageSize: 2, resourceVersion: '1' });
  await mirror.until(objects => objects.size === 3);
  t.same(mirror.did.slice(0, 4), ['watch', 'expired', 'list', 'page']);
  t.same(mirror.faults, []);
  await mirror.stop();
});

t.test('a client that prefers protobuf gets custom resources as JSON', async t => {
  const server = await runningServer(t);
  const client = wire(t, server);
  const made = await client.send(`POST ${definitionsPath}`, {
    body: customKind('Foo'),
  });
  t.equal(made.status, 201);
  const foos = '/apis/example.com/v1/namespaces/default/foos';
  const foo = { apiVersion: 'example.com/v1', kind: 'Foo', metadata: { name: 'a' }, spec: { x: 1 } };
  t.match(await client.send(`POST ${foos}`, { body: JSON.stringify(foo), type: 'application/json' }), {
    status: 201,
    headers: { 'content-type': 'application/json' },
  });
  const mirror = reflect(wire(t, server), { path: foos });
  await mirror.until(objects => objects.size === 1);
  t.match(mirror.objects.get('default/a'), { spec: { x: 1 } });
  const partial = await client.send(`GET ${foos}/a`, { accept: accepts.binaryMetadata });
  t.equal(partial.headers['content-type'], protobuf);
  t.match(partial.object, { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: { name: 'a' } });
  await mirror.stop();
});
