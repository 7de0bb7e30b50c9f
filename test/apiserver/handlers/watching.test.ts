/** WATCH over a socket. */
import { once } from 'node:events';
import process from 'node:process';
import t from 'tap';
import { WebSocket } from 'ws';
import { customKind, definitionsPath, version } from '../../custom-kinds.js';
import { decodeFrame } from '../../e2e/frames.js';
import { httpClient, watch } from '../http-client.js';
import { runningServer } from '../running.js';

const maps = '/api/v1/namespaces/default/configmaps';

t.test('events are sent as they happen, to all watchers alike', async t => {
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

  const events = [await one.next(), await one.next(), await one.next()];
  t.same(events.slice(0, 2), [
    { type: 'ADDED', object: created },
    { type: 'MODIFIED', object: labelled },
  ]);
  t.match(events[2], { type: 'DELETED', object: { metadata: { labels: { on: 'x' } } } });
  t.ok(Number(events[2]?.object.metadata.resourceVersion) > Number(labelled.metadata.resourceVersion));
  t.same([await two.next(), await two.next(), await two.next()], events);
  t.same(await selected.next(), { type: 'ADDED', object: labelled }, 'an object that starts to match is ADDED');
  t.same((await selected.next())?.type, 'DELETED');
  t.same(await partial.next(), {
    type: 'ADDED',
    object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: created.metadata },
  });
  const [first, second] = [await table.next(), await table.next()];
  t.match(first, { type: 'ADDED', object: { kind: 'Table', rows: [{ cells: ['a', 1] }] } });
  t.equal(first?.object.columnDefinitions?.length, 3);
  t.equal(second?.object.columnDefinitions, null, 'only the first event has column definitions');
});

t.test('many watchers of one resource cause no warnings', async t => {
  const warnings: string[] = [];
  const onWarning = ({ name, message }: Error): void => void warnings.push(`${name}: ${message}`);
  process.on('warning', onWarning);
  t.teardown(() => process.off('warning', onWarning));
  const server = await runningServer(t);
  const ask = httpClient(t, server);
  const watches = await Promise.all(Array.from({ length: 30 }, () => watch(t, server, `${maps}?watch=1`)));
  await ask(`POST ${maps}`, { body: { metadata: { name: 'a' } } });
  for (const each of watches) t.equal((await each.next())?.type, 'ADDED');
  for (let turn = 0; turn < 12; turn++) {
    const { text } = await ask(`GET ${maps}?watch=1&resourceVersion=0&timeoutSeconds=-1`);
    t.match(text, /^(?:\{"type":"ADDED".*\}\n)+$/, 'one after the other on one connection');
  }
  t.same(warnings, []);
});

t.test('initial events, bookmarks and the end of a watch', async t => {
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
  t.equal(await watching.next(), undefined, 'the watch ends without an error after its timeout');
  const pods = await watch(t, server, initial.replace('configmaps', 'pods'));
  const bookmark = await pods.next();
  t.match(bookmark, { type: 'BOOKMARK', object: { kind: 'Pod', spec: { containers: null }, status: {} } });

  const none = await watch(
    t,
    server,
    `${maps}?watch=1&resourceVersion=${created.metadata.resourceVersion}&timeoutSeconds=-1`,
  );
  t.equal(await none.next(), undefined, 'a negative timeout');

  const long = await watch(t, server, `${maps}?watch=1`);
  t.match(await long.next(), { type: 'ADDED' });
  const stopped = server.stop();
  t.equal(await long.next(), undefined, 'the watch ends without an error when the server stops');
  await stopped;
});

t.test('deprecated watch paths', async t => {
  const server = await runningServer(t);
  const ask = httpClient(t, server);
  await ask(`POST ${definitionsPath}`, { body: customKind('Foo', [version('v1', { type: 'object' })]) });
  const foos = '/apis/example.com/v1/namespaces/default/foos';
  for (let made = 0; made !== 201;)
    made = (await ask(`POST ${foos}`, { body: { apiVersion: 'example.com/v1', kind: 'Foo', metadata: { name: 'b' } } }))
      .status;
  for (const name of ['a', 'b']) {
    await ask(`POST ${maps}`, { body: { metadata: { name } } });
    await ask(`POST /apis/coordination.k8s.io/v1/namespaces/default/leases`, { body: { metadata: { name } } });
    await ask(`POST /apis/scheduling.k8s.io/v1/priorityclasses`, { body: { metadata: { name }, value: 1 } });
  }
  const item = (kind: string, name: string) => ({ type: 'ADDED', object: { kind, metadata: { name } } });
  const rows: readonly [path: string, first: object][] = [
    ['/api/v1/watch/configmaps?fieldSelector=metadata.namespace%3Ddefault', item('ConfigMap', 'a')],
    ['/api/v1/watch/namespaces/default/configmaps', item('ConfigMap', 'a')],
    ['/api/v1/watch/namespaces/default/configmaps/b', item('ConfigMap', 'b')],
    ['/api/v1/watch/namespaces/default/configmaps?watch=false&fieldSelector=metadata.name%3Db', item('ConfigMap', 'b')],
    ['/api/v1/watch/namespaces', item('Namespace', 'default')],
    ['/api/v1/watch/namespaces/kube-public', item('Namespace', 'kube-public')],
    ['/apis/coordination.k8s.io/v1/watch/leases?fieldSelector=metadata.name%3Da', item('Lease', 'a')],
    ['/apis/coordination.k8s.io/v1/watch/namespaces/default/leases', item('Lease', 'a')],
    ['/apis/coordination.k8s.io/v1/watch/namespaces/default/leases/b', item('Lease', 'b')],
    ['/apis/scheduling.k8s.io/v1/watch/priorityclasses', item('PriorityClass', 'a')],
    ['/apis/scheduling.k8s.io/v1/watch/priorityclasses/b', item('PriorityClass', 'b')],
    ['/apis/example.com/v1/watch/foos', item('Foo', 'b')],
    ['/apis/example.com/v1/watch/namespaces/default/foos', item('Foo', 'b')],
    ['/apis/example.com/v1/watch/namespaces/default/foos/b', item('Foo', 'b')],
  ];
  for (const [path, first] of rows) {
    const watching = await watch(t, server, path);
    t.match({ status: watching.status, first: await watching.next() }, { status: 200, first }, path);
    watching.stop();
  }
  const table = await watch(t, server, rows[2]?.[0] ?? '', 'application/json;as=Table;v=v1;g=meta.k8s.io');
  t.match(await table.next(), { type: 'ADDED', object: { kind: 'Table' } });
  const later = await watch(t, server, `${rows[2]?.[0] ?? ''}?resourceVersion=0`);
  t.match(await later.next(), item('ConfigMap', 'b'));
  await ask(`DELETE ${maps}/a`);
  await ask(`DELETE ${maps}/b`);
  t.match(await later.next(), { type: 'DELETED', object: { metadata: { name: 'b' } } }, 'a watch of one object');
  t.match(
    (await ask(`GET /api/v1/namespaces/default?watch=1`)).json,
    { kind: 'Namespace' },
    'the query parameter watch is ignored for a single object',
  );
  for (const [path, status] of [
    ['POST /api/v1/watch/namespaces/default/configmaps', 405],
    ['GET /api/v1/watch/namespaces/default/pods/p/status', 404],
    ['GET /api/v1/watch/nothings', 404],
    ['GET /api/v1/proxy/namespaces/default/pods/p', 404],
    ['GET /api/v1/watch', 500],
  ] as const)
    t.equal((await ask(path)).status, status, path);
});

t.test('refusals are a Status before the response starts, and an event afterwards', async t => {
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

t.test('a client that does not read does not delay others', async t => {
  const server = await runningServer(t);
  const ask = httpClient(t, server);
  const slow = await watch(t, server, `${maps}?watch=1`);
  const quick = await watch(t, server, `${maps}?watch=1`);
  const data = { x: 'x'.repeat(100_000) };
  for (let i = 0; i < 50; i++) await ask(`POST ${maps}`, { body: { metadata: { name: `m-${i}` }, data } });
  for (let i = 0; i < 50; i++) t.equal((await quick.next())?.object.metadata.name, `m-${i}`);
  t.equal((await slow.next())?.object.metadata.name, 'm-0', 'a slow client continues where it was');
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
  const [bytes, isBinary] = (await once(other, 'message')) as [Buffer, boolean];
  t.equal(isBinary, true, 'protobuf is sent as binary messages');
  const { type, object } = decodeFrame(bytes, 'application/vnd.kubernetes.protobuf');
  t.match({ type, object }, { type: 'ADDED', object: { kind: 'ConfigMap', metadata: { name: 'a' } } });
  const closed = once(socket, 'close');
  await server.stop();
  await closed;
});

t.test('a browser can send its token as a WebSocket subprotocol', async t => {
  const server = await runningServer(t);
  const ask = httpClient(t, server);
  const account = '/api/v1/namespaces/default/serviceaccounts';
  await ask(`POST ${account}`, { body: { metadata: { name: 'page' } } });
  const { json } = await ask(`POST ${account}/page/token`, { body: { spec: {} } });
  const { token } = json['status'] as { token: string };
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list', 'watch'] }];
  await ask('POST /apis/rbac.authorization.k8s.io/v1/clusterroles', { body: { metadata: { name: 'page' }, rules } });
  const binding = {
    metadata: { name: 'page' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'page' },
    subjects: [{ kind: 'ServiceAccount', namespace: 'default', name: 'page' }],
  };
  await ask('POST /apis/rbac.authorization.k8s.io/v1/clusterrolebindings', { body: binding });
  await ask(`POST ${maps}`, { body: { metadata: { name: 'a' } } });
  for (let status = 0; status !== 200;)
    ({ status } = await ask(`GET ${maps}`, { headers: { 'impersonate-user': 'system:serviceaccount:default:page' } }));
  const carrier = (text: string): string =>
    `base64url.bearer.authorization.k8s.io.${Buffer.from(text).toString('base64url')}`;
  const open = (...protocols: string[]): WebSocket =>
    new WebSocket(`wss://127.0.0.1:${server.port}${maps}?watch=1`, protocols, {
      ca: server.pki.authority.certificate,
    });
  const socket = open(carrier(token), 'v1.example');
  t.teardown(() => socket.terminate());
  const [data] = (await once(socket, 'message')) as [Buffer];
  t.match(JSON.parse(data.toString()), { type: 'ADDED', object: { metadata: { name: 'a' } } });
  t.equal(socket.protocol, 'v1.example', 'the token is not echoed');
  for (const protocols of [[carrier('other'), 'v1.example'], [carrier(token)]]) {
    const refused = open(...protocols);
    const [, response] = (await once(refused, 'unexpected-response')) as [unknown, { statusCode: number }];
    t.equal(response.statusCode, 401);
    refused.on('error', () => undefined).terminate();
  }
});

t.test('a refused WebSocket upgrade gets an ordinary response', async t => {
  const server = await runningServer(t);
  const { pki, port } = server;
  const tls = { ca: pki.authority.certificate, cert: pki.admin.certificate, key: pki.admin.key };
  const refused = new WebSocket(`wss://127.0.0.1:${port}${maps}?watch=1&resourceVersion=x`, [], tls);
  const [, response] = (await once(refused, 'unexpected-response')) as [unknown, { statusCode: number }];
  t.equal(response.statusCode, 500);
  refused.on('error', () => undefined).terminate();
});
