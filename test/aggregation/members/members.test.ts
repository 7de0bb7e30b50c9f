/** Connections to joined clusters. */
import t from 'tap';
import { createMembers } from '../../../aggregation/members/members.js';
import { resources } from '../../../api/karmada/well-known.js';
import { secrets } from '../../../api/kubernetes/resources.js';
import { StatusError } from '../../../apimachinery/errors/status.js';
import type { Client } from '../../../client/interface.js';
import { until } from '../../storage/until.js';
import { controlPlane, join } from '../fleet.js';

const key = { namespace: 'karmada-cluster', name: 'member1' };
const encoded = (text: string): string => Buffer.from(text).toString('base64');

t.test('a connection follows its Cluster and its secret, which is read only after a change', async t => {
  const { client } = await controlPlane(t);
  await join({ client } as Awaited<ReturnType<typeof controlPlane>>, 'member1', {
    server: 'https://127.0.0.1:1',
    token: 'first',
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
  t.equal(first.endpoint.token, 'first');
  t.equal(await members.connect(cluster), first);
  t.equal(reads, 1, 'the secret is read once');

  const secret = await client.get(secrets, key);
  await client.update(secrets, { ...secret, data: { token: encoded('second') } });
  await until('there is a new connection', async () => (await members.connect(cluster)) !== first);
  t.ok(first.signal.aborted, 'the old connection has ended');
  const second = await members.connect(cluster);
  t.equal(second.endpoint.token, 'second');

  const spec = { ...(cluster['spec'] as object), apiEndpoint: 'https://127.0.0.1:2' };
  const third = await members.connect(await client.update(resources.clusters, { ...cluster, spec }));
  t.equal(third.endpoint.server, 'https://127.0.0.1:2', 'a changed Cluster counts at once');
  t.ok(second.signal.aborted);
  reads = 0;
  const labelled = await client.patch(
    resources.clusters,
    { name: 'member1' },
    { type: 'merge', patch: { metadata: { labels: { a: 'b' } } } },
  );
  t.equal(await members.connect(labelled), third, 'other changes keep the connection');
  t.equal(await members.connect(labelled), third);
  t.equal(reads, 1, 'the settings are read once for each state of the Cluster');

  await client.delete(secrets, key);
  await t.rejects(
    until('the missing secret is noticed', async () => (await members.connect(labelled)) === undefined),
    StatusError,
    'a cluster without its secret is not connected',
  );
});
