import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import t from 'tap';
import { statusOf } from '../../../apimachinery/errors/status.js';
import { openEmbedded } from '../../../storage/embedded/open-embedded.js';
import { openTestEtcd, startEtcd, withoutEtcd } from '../../storage/etcd-server.js';
import { faulty } from '../../storage/faulty.js';
import { configMap, configmaps, serve } from '../serve.js';

async function status(work: Promise<unknown>): Promise<object> {
  try {
    await work;
    return {};
  } catch (error) {
    return statusOf(error);
  }
}

t.test('requests fail while the store does not answer', async t => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'registry-'));
  const backend = faulty(await openEmbedded({ directory }));
  t.teardown(async () => {
    await backend.close();
    fs.rmSync(directory, { recursive: true, force: true });
  });
  const { client } = await serve(t, { backend });
  backend.outage = { code: 'unavailable' };
  t.match(await status(client.list(configmaps, { resourceVersion: '0' })), {
    code: 429,
    reason: 'TooManyRequests',
    message: 'storage is (re)initializing',
    details: { retryAfterSeconds: 1 },
  });
  t.match(await status(client.list(configmaps)), {
    code: 500,
    reason: 'ServerTimeout',
    message: 'The list operation against configmaps could not be completed at this time, please try again.',
    details: { name: 'list', kind: 'configmaps', retryAfterSeconds: 2 },
  });
  backend.outage = undefined;
  await client.create(configmaps, configMap('a'));
  t.equal(
    (await client.list(configmaps, { resourceVersion: '0' })).items.length,
    1,
    'it works again when the store answers',
  );
});

t.test('an etcd without space refuses writes, and can be read', { skip: withoutEtcd }, async t => {
  const backend = await openTestEtcd(await startEtcd(t, { flags: ['--quota-backend-bytes=2000000'] }));
  t.teardown(() => backend.close());
  const { client } = await serve(t, { backend });
  const data = { text: 'x'.repeat(500_000) };
  let kept = 0;
  let answer = {};
  for (; kept < 20; kept++) {
    answer = await status(client.create(configmaps, configMap(`large-${kept}`, { data })));
    if ('code' in answer) break;
  }
  t.strictSame(answer, {
    ...{ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code: 500 },
    message: 'etcdserver: mvcc: database space exceeded',
  });
  t.ok(kept > 0);
  const names = async (): Promise<string[]> =>
    (await client.list(configmaps)).items.map(({ metadata: { name = '' } }) => name).sort();
  const acknowledged = Array.from({ length: kept }, (_, i) => `large-${i}`).sort();
  const held = await names();
  // etcd sometimes applies the write that exceeds its quota although it refuses it. as etcd server/etcdserver/apply quotaApplierV3.Put
  t.strictSame(
    acknowledged.filter(name => !held.includes(name)),
    [],
    'acknowledged writes are there',
  );
  t.ok(held.length <= kept + 1);
  await client.delete(configmaps, { namespace: 'default', name: 'large-0' });
  t.strictSame(await names(), held.slice(1));
});

t.test('a watch starts when its start revision is held, so that the needed history is not compacted', async t => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'registry-'));
  const backend = faulty(await openEmbedded({ directory }));
  t.teardown(async () => {
    await backend.close();
    fs.rmSync(directory, { recursive: true, force: true });
  });
  const { client } = await serve(t, { backend, freshnessTimeoutMs: 60_000 });
  backend.outage = { code: 'unavailable' };
  const stop = new AbortController();
  t.teardown(() => stop.abort());
  const watch = client.watch(configmaps, {}, stop.signal)[Symbol.asyncIterator]();
  const first = watch.next();
  first.catch(() => undefined);
  await client.create(configmaps, configMap('a'));
  await client.create(configmaps, configMap('b'));
  await backend.compact(await backend.revision());
  backend.outage = undefined;
  const name = ({ value }: Awaited<typeof first>): unknown =>
    (value as { object?: { metadata: object } }).object?.metadata;
  t.match(name(await first), { name: 'a' });
  t.match(name(await watch.next()), { name: 'b' });
  await client.create(configmaps, configMap('c'));
  t.match(name(await watch.next()), { name: 'c' }, 'and goes on');
});

t.test('requests for an undecodable object fail', async t => {
  const { client, backend } = await serve(t);
  await client.create(configmaps, configMap('a'));
  await backend.put('/registry/configmaps/default/b', 'absent', Buffer.from('no json'));
  const unreadable = {
    code: 500,
    reason: 'InternalError',
    message:
      'Internal error occurred: the value of /registry/configmaps/default/b cannot be decoded: ' +
      "invalid character 'o' in literal null (expecting 'u')",
  };
  const b = { namespace: 'default', name: 'b' };
  t.match(await status(client.get(configmaps, b)), unreadable, 'get');
  t.match(await status(client.list(configmaps)), unreadable, 'list');
  t.match(await status(client.delete(configmaps, b)), unreadable, 'delete');
  t.match(await status(client.update(configmaps, configMap('b'))), unreadable, 'update');
  t.equal((await client.get(configmaps, { ...b, name: 'a' })).metadata.name, 'a', 'other objects can be read');
});
