import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import t from 'tap';
import { remote } from '../../../aggregation/remote/client.js';
import { createLogger } from '../../../server/logger.js';
import { type RunningServer, startServer } from '../../../server/start-server.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { StatusError } from '../../../apimachinery/errors/status.js';
import type { RemoteClient } from '../../../aggregation/interface.js';
import type { WatchEvent } from '../../../client/interface.js';

const configMaps = { group: '', version: 'v1', resource: 'configmaps' };
const deployments = { group: 'apps', version: 'v1', resource: 'deployments' };

let server: RunningServer;
let client: RemoteClient;
let directory: string;

t.before(async () => {
  directory = await fs.mkdtemp(path.join(os.tmpdir(), 'flagship-remote-'));
  server = await startServer({
    profile: 'kubernetes',
    listen: { host: '127.0.0.1', port: 0 },
    pkiDirectory: path.join(directory, 'pki'),
    storage: { type: 'embedded', directory: path.join(directory, 'storage') },
    log: await createLogger({ level: 'error', format: 'json' }),
  });
  const { authority, admin } = server.pki;
  client = remote(
    { server: server.url, ca: authority.certificate, clientCertificate: admin.certificate, clientKey: admin.key },
    { userAgent: 'test/1.0' },
  );
});

t.teardown(async () => {
  await client.close();
  await server.stop();
  await fs.rm(directory, { recursive: true });
});

const configMap = (name: string, data: Record<string, string> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default' },
  data,
});

t.test('objects are created, read, changed and deleted', async t => {
  const created = await client.create(configMaps, configMap('a', { x: '1' }));
  t.match(created, { metadata: { name: 'a', uid: String, resourceVersion: String }, data: { x: '1' } });
  const updated = await client.update(configMaps, { ...created, data: { x: '2' } });
  t.same(updated['data'], { x: '2' });
  const key = { namespace: 'default', name: 'a' };
  const merged = await client.patch(configMaps, key, { type: 'merge', patch: { data: { y: '3' } } });
  t.same(merged['data'], { x: '2', y: '3' });
  const patched = await client.patch(configMaps, key, { type: 'json', patch: [{ op: 'remove', path: '/data/x' }] });
  t.same(patched['data'], { y: '3' });
  t.equal((await client.get(configMaps, key)).metadata.resourceVersion, patched.metadata.resourceVersion);
  await client.delete(configMaps, key);
  await t.rejects(client.get(configMaps, key), { code: 404, message: 'configmaps "a" not found' });
});

t.test('a conflict is returned as the Status of the server', async t => {
  const first = await client.create(configMaps, configMap('c'));
  await client.update(configMaps, { ...first, data: { a: '1' } });
  const stale = client.update(configMaps, { ...first, data: { a: '2' } });
  await t.rejects(stale, { code: 409, status: { reason: 'Conflict' } });
  await t.rejects(stale, StatusError);
});

t.test('items of lists have apiVersion and kind', async t => {
  await client.create(configMaps, configMap('typed'));
  const { items } = await client.list(configMaps, { namespace: 'default', fieldSelector: 'metadata.name=typed' });
  t.match(items, [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'typed' } }]);
});

t.test('a watch reports changes, and ends with its signal', async t => {
  const stop = new AbortController();
  const { metadata } = await client.list(configMaps, { namespace: 'default' });
  const events: string[] = [];
  const query = { namespace: 'default', resourceVersion: metadata.resourceVersion ?? '' };
  const watching = (async () => {
    for await (const event of client.watch(configMaps, query, stop.signal)) {
      const { type, object }: WatchEvent = event;
      events.push(`${type} ${object.metadata.name}`);
      if (events.length === 3) stop.abort();
    }
  })();
  const made = await client.create(configMaps, configMap('w'));
  await client.update(configMaps, { ...made, data: { a: '1' } });
  await client.delete(configMaps, { namespace: 'default', name: 'w' });
  await watching;
  t.same(events, ['ADDED w', 'MODIFIED w', 'DELETED w']);
});

t.test('a watch from an expired version throws an error with its code', async t => {
  const stop = new AbortController();
  const watch = client.watch(configMaps, { resourceVersion: 'x' }, stop.signal)[Symbol.asyncIterator]();
  await t.rejects(watch.next(), StatusError);
});

t.test('kinds are found by discovery', async t => {
  t.match(await client.mapper.forKind({ group: 'apps', version: 'v1', kind: 'Deployment' }), {
    ...deployments,
    namespaced: true,
  });
  t.equal(await client.mapper.forKind({ group: 'apps', version: 'v1', kind: 'Nothing' }), undefined);
  t.ok((await client.mapper.resources()).length > 50);
});
