/** WATCH over a socket. */
import { once } from 'node:events';
import process from 'node:process';
import t from 'tap';
import { WebSocket } from 'ws';
import { httpClient, watch } from '../http-client.js';
import { runningServer } from '../running.js';

const maps = '/api/v1/namespaces/default/configmaps';

t.test('what happens is told as it happens, to all alike', async t => {
  const server = await runningServer(t);
  const ask = httpClient(t, server);
  const { json: list } = await ask(`GET ${maps}`);
  const from = `${maps}?watch=1&resourceVersion=${list.metadata.resourceVersion}`;
  const [one, two, selected, partial, table] = await Promise.all([
    watch(t, server, from),
    watch(t, server, from),
    watch(t, server, `${from}&labelSelector=on`),
    watch(t, server, from, 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io'),
    watch(t, server, from, 'application/json;as=Table;v=v1;g=meta.k8s.io'),
  ]);
  for (const { status, type } of [one, two, selected, partial, table])
    t.same({ status, type }, { status: 200, type: 'application/json' });

  const { json: created } = await ask(`POST ${maps}`, { body: { metadata: { name: 'a' }, data: { k: '1' } } });
  const patched = { body: { metadata: { labels: { on: 'x' } } }, type: 'application/merge-patch+json' };
  const { json: labelled } = await ask(`PATCH ${maps}/a`, patched);
  await ask(`DELETE ${maps}/a`);

  const told = [await one.next(), await one.next(), await one.next()];
  t.same(told.slice(0, 2), [
    { type: 'ADDED', object: created },
    { type: 'MODIFIED', object: labelled },
  ]);
  t.match(told[2], { type: 'DELETED', object: { metadata: { labels: { on: 'x' } } } });
  t.ok(Number(told[2]?.object.metadata.resourceVersion) > Number(labelled.metadata.resourceVersion));
  t.same([await two.next(), await two.next(), await two.next()], told);
  t.same(await selected.next(), { type: 'ADDED', object: labelled }, 'who enters the selection is added');
  t.same((await selected.next())?.type, 'DELETED');
  t.same(await partial.next(), {
    type: 'ADDED',
    object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: created.metadata },
  });
  const [first, second] = [await table.next(), await table.next()];
  t.match(first, { type: 'ADDED', object: { kind: 'Table', rows: [{ cells: ['a', 1] }] } });
  t.equal(first?.object.columnDefinitions?.length, 3);
  t.equal(second?.object.columnDefinitions, null, 'columns are named once');
});

t.test('many who watch one resource are nothing to warn of', async t => {
  const warnings: string[] = [];
  const hear = ({ name, message }: Error): void => void warnings.push(`${name}: ${message}`);
  process.on('warning', hear);
  t.teardown(() => process.off('warning', hear));
  const server = await runningServer(t);
  const ask = httpClient(t, server);
  const watches = await Promise.all(Array.from({ length: 30 }, () => watch(t, server, `${maps}?watch=1`)));
  await ask(`POST ${maps}`, { body: { metadata: { name: 'a' } } });
  for (const each of watches) t.equal((await each.next())?.type, 'ADDED');
  t.same(warnings, []);
});

t.test('initial events, bookmarks, and the end', async t => {
  const server = await runningServer(t);
  const ask = httpClient(t, server);
  const { json: created } = await ask(`POST ${maps}`, { body: { metadata: { name: 'a' } } });
  const initial = `${maps}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`;
  const watching = await watch(t, server, `${initial}&timeoutSeconds=1`);
  t.same(await watching.next(), { type: 'ADDED', object: created });
  t.match(await watching.next(), {
    type: 'BOOKMARK',
    object: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } },
  });
  t.equal(await watching.next(), undefined, 'a clean end after its time');
  const pods = await watch(t, server, initial.replace('configmaps', 'pods'));
  const bookmark = await pods.next();
  t.match(bookmark, { type: 'BOOKMARK', object: { kind: 'Pod', spec: { containers: null }, status: {} } });

  const none = await watch(
    t,
    server,
    `${maps}?watch=1&resourceVersion=${created.metadata.resourceVersion}&timeoutSeconds=-1`,
  );
  t.equal(await none.next(), undefined, 'less than no time');

  const long = await watch(t, server, `${maps}?watch=1`);
  t.match(await long.next(), { type: 'ADDED' });
  const stopped = server.stop();
  t.equal(await long.next(), undefined, 'a clean end when the server stops');
  await stopped;
});

t.test('old paths', async t => {
  const server = await runningServer(t);
  const ask = httpClient(t, server);
  await ask(`POST ${maps}`, { body: { metadata: { name: 'a' } } });
  await ask(`POST ${maps}`, { body: { metadata: { name: 'b' } } });
  const item = await watch(t, server, '/api/v1/watch/namespaces/default/configmaps/b');
  t.match(await item.next(), { type: 'ADDED', object: { metadata: { name: 'b' } } });
  const all = await watch(t, server, '/api/v1/watch/configmaps?fieldSelector=metadata.namespace%3Ddefault');
  t.match(await all.next(), { type: 'ADDED', object: { metadata: { name: 'a' } } });
  t.match((await ask(`GET ${maps}/a?watch=1`)).json, { kind: 'ConfigMap' }, 'one object cannot be watched like this');
});

t.test('refusals: before the answer is begun as a status, later as an event', async t => {
  const server = await runningServer(t);
  const ask = httpClient(t, server);
  const rows: readonly [given: string, expect: object][] = [
    ['watch=1&labelSelector=%3D%3D', { status: 400 }],
    ['watch=1&fieldSelector=no%3D1', { status: 400, json: { message: /is not a known field selector/ } }],
    ['watch=1&resourceVersion=x', { status: 500, json: { message: /invalid syntax$/, reason: undefined } }],
    ['watch=1&sendInitialEvents=true', { status: 422, json: { reason: 'Invalid' } }],
    ['watch=1&timeoutSeconds=x', { status: 400 }],
  ];
  for (const [query, expect] of rows) {
    const { status, json } = await ask(`GET ${maps}?${query}`);
    t.match({ status, json }, expect, query);
  }
  const yaml = await ask(`GET ${maps}?watch=1`, { accept: 'application/yaml' });
  t.match(yaml, {
    status: 406,
    text: /application\/json;stream=watch,\s+application\/vnd\.kubernetes\.protobuf;stream=watch/,
  });
});

t.test('a client that does not read holds up nobody', async t => {
  const server = await runningServer(t);
  const ask = httpClient(t, server);
  const slow = await watch(t, server, `${maps}?watch=1`);
  const quick = await watch(t, server, `${maps}?watch=1`);
  const data = { x: 'x'.repeat(100_000) };
  for (let i = 0; i < 50; i++) await ask(`POST ${maps}`, { body: { metadata: { name: `m-${i}` }, data } });
  for (let i = 0; i < 50; i++) t.equal((await quick.next())?.object.metadata.name, `m-${i}`);
  t.equal((await slow.next())?.object.metadata.name, 'm-0', 'who comes late reads on where he was');
});

t.test('over a WebSocket each event is a message', async t => {
  const server = await runningServer(t);
  const ask = httpClient(t, server);
  const { pki, port } = server;
  const tls = { ca: pki.authority.certificate, cert: pki.admin.certificate, key: pki.admin.key };
  const open = (query: string): WebSocket =>
    new WebSocket(`wss://127.0.0.1:${port}${maps}?${query}`, ['v1.example'], tls);
  const socket = open('watch=1');
  t.teardown(() => socket.terminate());
  await once(socket, 'open');
  t.equal(socket.protocol, 'v1.example');
  const message = once(socket, 'message');
  const { json: created } = await ask(`POST ${maps}`, { body: { metadata: { name: 'a' } } });
  const [data, binary] = (await message) as [Buffer, boolean];
  t.equal(binary, false);
  t.same(JSON.parse(data.toString()), { type: 'ADDED', object: created });
  const headers = { accept: 'application/vnd.kubernetes.protobuf' };
  const other = new WebSocket(`wss://127.0.0.1:${port}${maps}?watch=1`, [], { ...tls, headers });
  t.teardown(() => other.terminate());
  const [, isBinary] = (await once(other, 'message')) as [Buffer, boolean];
  t.equal(isBinary, true, 'what is no text');
  const closed = once(socket, 'close');
  await server.stop();
  await closed;
});

t.test('a WebSocket that is refused gets an ordinary answer', async t => {
  const server = await runningServer(t);
  const { pki, port } = server;
  const tls = { ca: pki.authority.certificate, cert: pki.admin.certificate, key: pki.admin.key };
  const refused = new WebSocket(`wss://127.0.0.1:${port}${maps}?watch=1&resourceVersion=x`, [], tls);
  const [, response] = (await once(refused, 'unexpected-response')) as [unknown, { statusCode: number }];
  t.equal(response.statusCode, 500);
  refused.on('error', () => undefined).terminate();
});
