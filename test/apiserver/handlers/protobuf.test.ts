/** Responses in protobuf, whose messages are encoded once. */
import { gunzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { decodeProtobuf, encodeProtobuf } from '../../../apiserver/negotiate/protobuf/envelope.js';
import { customKind, definitionsPath } from '../../custom-kinds.js';
import { accepts, protobuf, wire, type Wire, type Wired } from '../../e2e/wire.js';
import { runningServer } from '../running.js';

const maps = '/api/v1/namespaces/default/configmaps';
const json = 'application/json';
const asList = `${protobuf};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1`;
const metadataList = `${asList},${asList.replace(protobuf, json)}`;
const configMap = (name: string, value = 'x') => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default', labels: { l: name } },
  data: { value },
});

/** Asserts that the protobuf response has the same content as the JSON response, and returns its bytes. */
async function sameAsJson(t: Test, client: Wire, path: string): Promise<void> {
  const plain = await client.send(`GET ${path}`, { accept: json });
  for (const turn of ['made', 'kept']) {
    const binary = await client.send(`GET ${path}`);
    t.equal(binary.headers['content-type'], protobuf, path);
    t.equal(binary.headers['content-length'], String(binary.bytes.length), path);
    t.ok(binary.bytes.equals(encodeProtobuf({ ...plain.object })), `${path}, ${turn}`);
  }
}

t.test('objects and lists', async t => {
  const client = wire(t, await runningServer(t));
  for (const name of ['a', 'b']) await client.send(`POST ${maps}`, { body: configMap(name) });
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'd', namespace: 'default' },
    spec: {
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  };
  const deployments = '/apis/apps/v1/namespaces/default/deployments';
  t.match(await client.send(`POST ${deployments}`, { body: deployment }), {
    status: 201,
    headers: { 'content-type': protobuf },
  });
  for (const path of [`${maps}/a`, maps, `${deployments}/d`, deployments, '/api/v1/namespaces', '/api/v1/pods'])
    await sameAsJson(t, client, path);
  await client.send(`PUT ${maps}/a`, { body: configMap('a', 'second') });
  await sameAsJson(t, client, `${maps}/a`);
  await sameAsJson(t, client, maps);
  await client.send(`DELETE ${maps}/a`);
  await sameAsJson(t, client, maps);
  await sameAsJson(t, client, `${maps}?limit=1&labelSelector=l`);
});

t.test('objects in another version than the stored one', async t => {
  const client = wire(t, await runningServer(t));
  const event = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: 'e', namespace: 'default' },
    involvedObject: { kind: 'Pod', namespace: 'default', name: 'p' },
    reason: 'Because',
    message: 'something happened',
    type: 'Normal',
  };
  t.equal((await client.send('POST /api/v1/namespaces/default/events', { body: event })).status, 201);
  const stream = await client.watch('/apis/events.k8s.io/v1/namespaces/default/events?watch=1&resourceVersion=0');
  for (const home of ['/api/v1', '/apis/events.k8s.io/v1']) {
    await sameAsJson(t, client, `${home}/namespaces/default/events`);
    await sameAsJson(t, client, `${home}/namespaces/default/events/e`);
  }
  await client.send('DELETE /api/v1/namespaces/default/events/e');
  const received: unknown[] = [];
  for await (const { type, object } of stream.events) {
    received.push([type, object.apiVersion, (object as Wired)['note']]);
    if (type === 'DELETED') break;
  }
  const note = 'something happened';
  t.same(received, [
    ['ADDED', 'events.k8s.io/v1', note],
    ['DELETED', 'events.k8s.io/v1', note],
  ]);
});

t.test('a large list is streamed, and compressed for clients that accept it', async t => {
  const client = wire(t, await runningServer(t));
  const text = 'x'.repeat(8000);
  for (let i = 0; i < 40; i++) await client.send(`POST ${maps}`, { body: configMap(`m${i}`, text) });
  await sameAsJson(t, client, maps);
  const zipped = await client.send(`GET ${maps}`, { encoding: 'gzip' });
  t.equal(zipped.headers['content-encoding'], 'gzip');
  const list = decodeProtobuf(gunzipSync(zipped.bytes), { apiVersion: '', kind: '' }) as unknown as Wired;
  t.equal(list.items?.length, 40);
});

t.test('metadata alone, for native and custom resources', async t => {
  const server = await runningServer(t);
  const client = wire(t, server);
  await client.send(`POST ${definitionsPath}`, { body: customKind('Foo') });
  const foos = '/apis/example.com/v1/namespaces/default/foos';
  const foo = { apiVersion: 'example.com/v1', kind: 'Foo', metadata: { name: 'a', labels: { l: 'a' } } };
  t.equal((await client.send(`POST ${foos}`, { body: foo, type: json, accept: json })).status, 201);
  await client.send(`POST ${maps}`, { body: configMap('a') });
  for (const path of [foos, maps]) {
    const list = await client.send(`GET ${path}`, { accept: metadataList });
    t.equal(list.headers['content-type'], protobuf);
    t.match(list.object, {
      kind: 'PartialObjectMetadataList',
      apiVersion: 'meta.k8s.io/v1',
      items: [{ metadata: { name: 'a', labels: { l: 'a' } } }],
    });
    t.notOk(list.object.items?.[0]?.['data']);
    const one = await client.send(`GET ${path}/a`, { accept: accepts.binaryMetadata });
    t.match(one.object, { kind: 'PartialObjectMetadata', metadata: { name: 'a' } });
    const stream = await client.watch(`${path}?watch=1&resourceVersion=0`, accepts.binaryMetadata);
    t.equal(stream.type, `${protobuf};stream=watch`);
    for await (const { type, object } of stream.events) {
      t.match({ type, object }, { type: 'ADDED', object: { kind: 'PartialObjectMetadata', metadata: { name: 'a' } } });
      break;
    }
  }
  t.equal((await client.watch(`${foos}?watch=1`, asList)).status, 406, 'a list cannot be read as an event');
  t.equal(
    (await client.send(`GET ${foos}`)).headers['content-type'],
    json,
    'custom resources have no protobuf messages',
  );
});

t.test('a watch reports changes and deletions', async t => {
  const client = wire(t, await runningServer(t));
  await client.send(`POST ${maps}`, { body: configMap('a') });
  const streams = [await client.watch(`${maps}?watch=1&resourceVersion=0&labelSelector=l=a`)];
  streams.push(await client.watch(`${maps}?watch=1&resourceVersion=0&labelSelector=l=a`));
  await client.send(`PUT ${maps}/a`, { body: configMap('a', 'second') });
  await client.send(`DELETE ${maps}/a`);
  for (const stream of streams) {
    t.equal(stream.type, `${protobuf};stream=watch`);
    const received: unknown[] = [];
    for await (const { type, object } of stream.events) {
      received.push([type, object.kind, (object as Wired)['data']]);
      if (type === 'DELETED') break;
    }
    t.same(received, [
      ['ADDED', 'ConfigMap', { value: 'x' }],
      ['MODIFIED', 'ConfigMap', { value: 'second' }],
      ['DELETED', 'ConfigMap', { value: 'second' }],
    ]);
  }
});

t.test('refusals, discovery and Status in protobuf', async t => {
  const client = wire(t, await runningServer(t));
  const missing = await client.send(`GET ${maps}/none`);
  t.equal(missing.headers['content-type'], protobuf);
  t.match(missing.object, { kind: 'Status', code: 404, details: { name: 'none', kind: 'configmaps' } });
  for (const [path, kind] of Object.entries({
    '/api': 'APIVersions',
    '/apis': 'APIGroupList',
    '/apis/apps': 'APIGroup',
    '/apis/apps/v1': 'APIResourceList',
    '/api/v1': 'APIResourceList',
  })) {
    const found = await client.send(`GET ${path}`);
    t.equal(found.headers['content-type'], protobuf, path);
    t.match(found.object, { kind }, path);
  }
});
