/** Connections to joined clusters. */
import t from 'tap';
import { createMembers } from '../../../aggregation/members/members.js';
import { resources } from '../../../api/karmada/well-known.js';
import { secrets } from '../../../api/kubernetes/resources.js';
import { toBase64 } from '../../../apimachinery/codec/base64.js';
import { StatusError } from '../../../apimachinery/errors/status.js';
import type { Client } from '../../../client/interface.js';
import { until } from '../../storage/until.js';
import { backend } from '../backend.js';
import { controlPlane, join } from '../fleet.js';

const key = { namespace: 'karmada-cluster', name: 'member1' };

t.test('a connection follows its Cluster and its secret, which is read only after a change', async t => {
  const { client } = await controlPlane(t);
  const member = await backend(t);
  const seen: (string | undefined)[] = [];
  let connections = 0;
  member.onRequest = ({ headers, socket }, response) => {
    if (!Object.hasOwn(socket, 'isKnown')) connections++;
    Object.assign(socket, { isKnown: true });
    seen.push(headers.authorization);
    response.end('{}');
  };
  await join({ client }, 'member1', {
    ...{ server: member.url, authority: member.authority, token: 'first' },
  });
  await until('the cache has the secret', () => client.cached?.getCached(secrets, key) !== undefined);
  let reads = 0;
  const get: Client['get'] = (...request) => {
    reads++;
    return client.get(...request);
  };
  const members = createMembers({ ...client, get }, 'test');
  t.teardown(() => members.close());
  const cluster = await client.get(resources.clusters, { name: 'member1' });
  const first = await members.connect(cluster);
  const ask = async (): Promise<string | undefined> => {
    await first.client.raw({ method: 'GET', path: '/readyz' });
    return seen.at(-1);
  };
  t.equal(await ask(), 'Bearer first');
  t.equal(await members.connect(cluster), first);
  t.equal(reads, 1, 'the secret is read once');

  const secret = await client.get(secrets, key);
  const data = secret['data'] as object;
  await client.update(secrets, { ...secret, data: { ...data, token: toBase64('second') } });
  await until('a client that is not connected again uses the new token', async () => (await ask()) === 'Bearer second');
  t.equal(await members.connect(cluster), first, 'the connection stays');
  t.equal(connections, 1);
  t.notOk(first.signal.aborted);
  const replaced = await client.get(secrets, key);
  await client.update(secrets, { ...replaced, data });
  const { cached: _cached, ...plain } = client;
  const uncached = createMembers(plain, 'test');
  t.teardown(() => uncached.close());
  await uncached.connect(cluster);
  await client.update(secrets, { ...(await client.get(secrets, key)), data: { ...data, token: toBase64('third') } });
  await (await uncached.connect(cluster)).client.raw({ method: 'GET', path: '/readyz' });
  t.equal(seen.at(-1), 'Bearer third', 'without a cache the token follows when the member is connected again');

  const spec = { ...(cluster['spec'] as object), apiEndpoint: 'https://127.0.0.1:2' };
  const third = await members.connect(await client.update(resources.clusters, { ...cluster, spec }));
  t.equal(third.endpoint.server, 'https://127.0.0.1:2', 'a changed Cluster counts at once');
  t.ok(first.signal.aborted, 'the old connection has ended');
  reads = 0;
  const labelled = await client.patch(
    resources.clusters,
    { name: 'member1' },
    { type: 'merge', patch: { metadata: { labels: { a: 'b' } } } },
  );
  t.equal(await members.connect(labelled), third, 'other changes keep the connection');
  t.equal(await members.connect(labelled), third);
  t.equal(reads, 1, 'the settings are read once for each state of the Cluster');

  const other = { ...key, name: 'other' };
  const held = await client.get(secrets, key);
  const copied = { apiVersion: 'v1', kind: 'Secret', metadata: other, data: { ...data, token: toBase64('other') } };
  await client.create(secrets, copied);
  await until('the cache has it', () => client.cached?.getCached(secrets, other) !== undefined);
  const moved = { ...spec, apiEndpoint: member.url, secretRef: other };
  const changed = await client.get(resources.clusters, { name: 'member1' });
  const renamed = await client.update(resources.clusters, { ...changed, spec: moved });
  // Only the Secret is another one: address and CA are those of the connection before.
  await members.connect({ ...renamed, spec: { ...moved, secretRef: key } });
  const fourth = await members.connect(renamed);
  await client.update(secrets, { ...held, data: { ...data, token: toBase64('stale') } });
  await until('the cache has the change', () => {
    const { data: now } = (client.cached?.getCached(secrets, key)?.object ?? {}) as { data?: { token?: string } };
    return now?.token === toBase64('stale');
  });
  await fourth.client.raw({ method: 'GET', path: '/readyz' });
  t.equal(seen.at(-1), 'Bearer other', 'the token is that of the Secret that the Cluster names now');

  await client.delete(secrets, other);
  await t.rejects(
    until('the missing secret is noticed', async () => (await members.connect(renamed)) === undefined),
    StatusError,
    'a cluster without its secret is not connected',
  );
});
