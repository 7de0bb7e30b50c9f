/** A server that answers 429 with Retry-After, and requests that wait for their rate. */
import t from 'tap';
import { resources } from '../../../api/karmada/well-known.js';
import { configMaps } from '../../../api/kubernetes/resources.js';
import { StatusError } from '../../../apimachinery/errors/status.js';
import { createMembers } from '../../../aggregation/members/members.js';
import { remote } from '../../../aggregation/remote/client.js';
import { runningServer } from '../../apiserver/running.js';
import { until } from '../../storage/until.js';
import { backend } from '../backend.js';
import { join, object } from '../fleet.js';

const configMap = object('v1', 'ConfigMap', 'app', { metadata: { namespace: 'default' } });

t.test('a request of a queue to an overloaded member fails at once, with the time to wait', async t => {
  const [control, member] = await Promise.all([runningServer(t), backend(t)]);
  let requests = 0;
  member.onRequest = (_request, response) => {
    requests++;
    response.writeHead(429, { 'retry-after': '3600' }).end();
  };
  await join(control, 'member1', { server: member.url, authority: member.authority, token: 'token' });
  const members = createMembers(control.client, 'test/1.0', { retriesByQueue: true });
  t.teardown(() => members.close());
  const { client } = await members.connect(await control.client.get(resources.clusters, { name: 'member1' }));
  const error: unknown = await client.create(configMaps, configMap).catch((reason: unknown) => reason);
  t.ok(error instanceof StatusError);
  t.match(error, { code: 429, status: { details: { retryAfterSeconds: 3600 } } });
  t.equal(requests, 1);
});

t.test('documents of discovery and objects are requested again, unless a queue tries again', async t => {
  const [control, member] = await Promise.all([runningServer(t), backend(t)]);
  const refused = new Set<string>();
  const documents = new Map<string, object>([
    ['/api', { kind: 'APIVersions', versions: ['v1'] }],
    ['/apis', { kind: 'APIGroupList', groups: [] }],
    ['/api/v1', { kind: 'APIResourceList', resources: [{ name: 'pods', kind: 'Pod', namespaced: true, verbs: [] }] }],
  ]);
  member.onRequest = ({ url = '' }, response) => {
    const isRoot = url === '/api' || url === '/apis';
    if (isRoot || refused.has(url)) return void response.end(JSON.stringify(documents.get(url) ?? configMap));
    refused.add(url);
    response.writeHead(429, { 'retry-after': '1' }).end();
  };
  await join(control, 'member1', { server: member.url, authority: member.authority, token: 'token' });
  const cluster = await control.client.get(resources.clusters, { name: 'member1' });
  for (const retriesByQueue of [true, false]) {
    refused.clear();
    const members = createMembers(control.client, 'test/1.0', { retriesByQueue });
    t.teardown(() => members.close());
    const { client } = await members.connect(cluster);
    if (retriesByQueue) await t.rejects(client.mapper.refresh(), { code: 429 });
    else t.match(await client.mapper.refresh(), { resources: [{ kind: 'Pod' }], failed: [] });
    const read = client.get(configMaps, { namespace: 'default', name: 'app' });
    if (retriesByQueue) await t.rejects(read, { code: 429 });
    else t.match(await read, configMap);
  }
});

t.test('other clients wait and try again', async t => {
  const server = await backend(t);
  let requests = 0;
  server.onRequest = (_request, response) => {
    if (++requests === 1) response.writeHead(429, { 'retry-after': '1' }).end();
    else response.end(JSON.stringify(configMap));
  };
  const client = remote({ server: server.url, ca: server.authority }, { userAgent: 'test/1.0' });
  t.teardown(() => client.close());
  t.match(await client.get(configMaps, { namespace: 'default', name: 'app' }), configMap);
  t.equal(requests, 2);
});

t.test('a client that is closed does not wait for another attempt', async t => {
  const server = await backend(t);
  const refused = new Promise<void>(resolve => {
    server.onRequest = (_request, response) => {
      response.writeHead(429, { 'retry-after': '3600' }).end();
      response.on('close', resolve);
    };
  });
  const client = remote({ server: server.url, ca: server.authority }, { userAgent: 'test/1.0' });
  const began = performance.now();
  const read = client.get(configMaps, { namespace: 'default', name: 'app' });
  await refused;
  await client.close();
  await t.rejects(read, { code: 'UND_ERR_DESTROYED' });
  t.ok(performance.now() - began < 20_000, 'before the time to wait is over');
});

t.test('requests have a rate, watches have none', async t => {
  const server = await backend(t);
  let watches = 0;
  server.onRequest = ({ url = '' }, response) => {
    if (url.includes('watch') && ++watches) response.write('\n');
    else response.end(JSON.stringify(configMap));
  };
  const rate = { perSecond: 20, burst: 3 };
  const client = remote({ server: server.url, ca: server.authority }, { userAgent: 'test/1.0', rate });
  t.teardown(() => client.close());
  const get = (): Promise<unknown> => client.get(configMaps, { namespace: 'default', name: 'app' });
  const began = performance.now();
  await Promise.all(Array.from({ length: 11 }, get));
  const took = performance.now() - began;
  t.ok(took >= 380, `eight requests after the burst take ${took} ms`);

  const waiting = Array.from({ length: 1000 }, () => get().catch((error: unknown) => error));
  const stop = new AbortController();
  const watch = client.watch(configMaps, {}, stop.signal)[Symbol.asyncIterator]();
  const watching = watch.next().catch((error: unknown) => error);
  await until('the watch is sent', () => watches === 1);
  await client.close();
  for (const error of await Promise.all(waiting.slice(900))) t.match(error, { code: 'UND_ERR_DESTROYED' });
  stop.abort();
  await watching;
});
