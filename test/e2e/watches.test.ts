/** The events of watches, by their parameters. */
import t, { type Test } from 'tap';
import { httpClient, type Json, type WatchEvent, watch } from '../apiserver/http-client.js';
import { runningServer } from '../apiserver/running.js';
import { customKind, definitionsPath, version as servedVersion } from '../custom-kinds.js';

const server = await runningServer(t);
const ask = httpClient(t, server);
const maps = '/api/v1/namespaces/default/configmaps';
const merge = 'application/merge-patch+json';
const make = async (name: string, metadata: object = {}): Promise<Json> =>
  (await ask(`POST ${maps}`, { body: { metadata: { name, ...metadata } } })).json;
const patch = async (name: string, body: object): Promise<Json> =>
  (await ask(`PATCH ${maps}/${name}`, { body, type: merge })).json;
const version = ({ metadata }: Json): string => metadata.resourceVersion;

const rows = ({ object }: WatchEvent): string =>
  (object.rows ?? []).map(row => `${row.cells[0]}${row.object ? '' : ' without its object'}`).join();

/** Returns type, name and resource version of an event, such as `ADDED a 5`. */
function textOf(event: WatchEvent | undefined): string {
  if (!event) return 'end';
  const { type, object } = event;
  const { metadata } = object as { metadata: { name?: string; resourceVersion?: string; annotations?: object } };
  const initial = metadata.annotations && 'k8s.io/initial-events-end' in metadata.annotations ? ' initial' : '';
  if (object.kind === 'Table') return `${type} ${rows(event)}${object.columnDefinitions ? ' with columns' : ''}`;
  // The revision of the server depends on other writers.
  if (initial) return `${type}${initial}`;
  if (type === 'ERROR') return `${type} ${object['code']} ${object['reason']}`;
  return [type, metadata.name ?? '', metadata.resourceVersion ?? ''].filter(Boolean).join(' ');
}

async function expectEvents(t: Test, query: string, expect: readonly string[], accept?: string): Promise<void> {
  const watching = await watch(t, server, `${maps}?watch=true&${query}`, accept);
  const received: string[] = [];
  while (received.length < expect.length) received.push(textOf(await watching.next()));
  watching.stop();
  t.same(received, expect, query);
}

t.test('a watch starts at its resource version', async t => {
  const [a, b] = [await make('a'), await make('b')];
  const [first, last] = [version(a), version(b)];
  const all = [`ADDED a ${first}`, `ADDED b ${last}`];
  const initial = 'BOOKMARK initial';
  const later = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
  await expectEvents(t, '', all);
  await expectEvents(t, 'resourceVersion=0', all);
  await expectEvents(t, 'allowWatchBookmarks=true', [...all, initial]);
  await expectEvents(t, 'resourceVersion=0&allowWatchBookmarks=true', [...all, initial]);
  await expectEvents(t, `${later}&timeoutSeconds=1`, [...all, 'end']);
  await expectEvents(t, `${later}&allowWatchBookmarks=true`, [...all, initial]);
  await expectEvents(t, `${later}&allowWatchBookmarks=true&resourceVersion=${first}`, [...all, initial]);
  await expectEvents(t, `${later}&resourceVersion=999999`, ['ERROR 504 Timeout', 'end']);
  await expectEvents(t, `resourceVersion=${first}`, [`ADDED b ${last}`]);
  await expectEvents(t, `resourceVersion=${last}&timeoutSeconds=1`, ['end']);
  await expectEvents(t, 'resourceVersion=1', ['ERROR 410 Expired', 'end']);
  await expectEvents(t, 'resourceVersion=999999&timeoutSeconds=1', ['end']);
  await expectEvents(t, 'fieldSelector=metadata.name%3Db', [`ADDED b ${last}`]);
  await expectEvents(t, 'limit=1', all);

  const watching = await watch(t, server, `${maps}?watch=true&allowWatchBookmarks=true&resourceVersion=0`);
  const [, , bookmark] = [await watching.next(), await watching.next(), await watching.next()];
  watching.stop();
  t.ok(Number(bookmark && version(bookmark.object)) >= Number(last), 'the bookmark is after all events');
});

t.test('a watch without initial events has only new changes', async t => {
  for (const from of ['', '&resourceVersion=0']) {
    const query = `watch=true&sendInitialEvents=false&resourceVersionMatch=NotOlderThan${from}`;
    const watching = await watch(t, server, `${maps}?${query}`);
    const changed = await patch('a', { data: { from } });
    t.equal(textOf(await watching.next()), `MODIFIED a ${version(changed)}`);
    watching.stop();
  }
});

t.test('objects are ADDED and DELETED as the selector matches', async t => {
  const start = version(await make('c'));
  const states = [
    await patch('c', { metadata: { labels: { x: '1' } } }),
    await patch('c', { data: { n: '2' } }),
    await patch('c', { metadata: { labels: { x: '2' } }, data: { n: '3' } }),
  ].map(version);
  const [entered, changed, left] = states;
  const wanted = [`ADDED c ${entered}`, `MODIFIED c ${changed}`, `DELETED c ${left}`];
  await expectEvents(t, `labelSelector=x%3D1&resourceVersion=${start}`, wanted);
  const watching = await watch(t, server, `${maps}?watch=true&labelSelector=x%3D1&resourceVersion=${changed}`);
  t.match((await watching.next())?.object.data, { n: '2' }, 'the state before the change');
  watching.stop();
});

t.test('a watch has Tables and metadata', async t => {
  const as = (kind: string): string => `application/json;as=${kind};v=v1;g=meta.k8s.io`;
  await expectEvents(t, '', ['ADDED a with columns', 'ADDED b', 'ADDED c'], as('Table'));
  await expectEvents(t, 'includeObject=None', ['ADDED a without its object with columns'], as('Table'));
  const watching = await watch(t, server, `${maps}?watch=true`, as('PartialObjectMetadata'));
  const first = await watching.next();
  t.match(first, { type: 'ADDED', object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' } });
  t.notHas(first?.object, { data: {} });
  watching.stop();
});

t.test('all watches have past changes in the same order', async t => {
  const start = version(await make('d'));
  const wanted: string[] = [];
  for (let n = 0; n < 150; n++) wanted.push(`MODIFIED d ${version(await patch('d', { data: { n: String(n) } }))}`);
  await Promise.all([1, 2].map(() => expectEvents(t, `resourceVersion=${start}`, wanted)));
});

t.test('a forbidden watch is refused immediately', async t => {
  const jane = { 'impersonate-user': 'jane' };
  const { status, json } = await ask(`GET ${maps}?watch=true`, { headers: jane });
  t.equal(status, 403);
  t.match(json.message, 'User "jane" cannot watch resource "configmaps"');
});

t.test('a changed or deleted definition ends its watches', async t => {
  const group = 'ends.example.com';
  const kind = customKind('W', [servedVersion('v1', { type: 'object' })], { group, scope: 'Cluster' });
  await ask(`POST ${definitionsPath}`, { body: kind });
  const path = `/apis/${group}/v1/ws`;
  while ((await ask(`GET ${path}`)).status !== 200);
  await ask(`POST ${path}`, { body: { apiVersion: `${group}/v1`, kind: 'W', metadata: { name: 'w' } } });
  const first = await watch(t, server, `${path}?watch=true`);
  t.match(textOf(await first.next()), /^ADDED w/);
  const columns = [{ name: 'A', type: 'string', jsonPath: '.a' }];
  const body = [{ op: 'add', path: '/spec/versions/0/additionalPrinterColumns', value: columns }];
  await ask(`PATCH ${definitionsPath}/ws.${group}`, { body, type: 'application/json-patch+json' });
  t.equal(await first.next(), undefined, 'changed');
  const second = await watch(t, server, `${path}?watch=true`);
  t.match(textOf(await second.next()), /^ADDED w/);
  await ask(`DELETE ${definitionsPath}/ws.${group}`);
  t.match(textOf(await second.next()), /^DELETED w/);
  t.equal(await second.next(), undefined, 'gone');
});
