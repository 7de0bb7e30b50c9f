/** The Lease of a cluster is renewed for as long as there is a Cluster. */
import t from 'tap';
import { namespaces as karmadaNamespaces, resources } from '../../../api/karmada/well-known.js';
import { leases, namespaces } from '../../../api/kubernetes/resources.js';
import { find } from '../../../client/find.js';
import { renewClusterLease } from '../../../controllers/agent/cluster-lease.js';
import { object } from '../../aggregation/fleet.js';
import { until } from '../../storage/until.js';
import { CountingClock, startAgent } from './agent-fixture.js';

t.test('the Lease is renewed until the Cluster is gone', async t => {
  const clock = new CountingClock();
  const { server, context, end } = await startAgent(t, clock);
  const { client } = server;
  const namespace = karmadaNamespaces.cluster;
  await client.create(namespaces, object('v1', 'Namespace', namespace));
  const lease = () => find(client, leases, { namespace, name: 'edge' });
  const version = async (): Promise<string | undefined> => (await lease())?.metadata.resourceVersion;
  const renewals = async (): Promise<void> => {
    for (let i = 0; i < 2; i++) {
      const before = await version();
      await until('a renewal', async () => (await version()) !== before, 20_000);
    }
  };

  const done = renewClusterLease(context, { cluster: 'edge', durationMs: 20, renewFraction: 0.25 });
  await renewals();
  const { uid } = (await client.get(resources.clusters, { name: 'edge' })).metadata;
  t.match(await lease(), {
    metadata: { ownerReferences: [{ kind: 'Cluster', name: 'edge', uid }] },
    spec: { holderIdentity: 'edge', leaseDurationSeconds: 1 },
  });
  await client.delete(leases, { namespace, name: 'edge' });
  await until('another Lease', async () => (await lease()) !== undefined, 20_000);

  await client.delete(resources.clusters, { name: 'edge' });
  const leaving = await client.get(resources.clusters, { name: 'edge' });
  t.type(leaving.metadata.deletionTimestamp, 'string');
  await renewals();

  const { finalizers: _, ...metadata } = leaving.metadata;
  await client.update(resources.clusters, { ...leaving, metadata });
  const rests = async (): Promise<boolean> => {
    const [before, slept] = [await version(), clock.sleeps];
    await until('further looks', () => clock.sleeps >= slept + 3, 20_000);
    return (await version()) === before;
  };
  await until('nothing is written without a Cluster', rests, 20_000);
  end();
  await done;
});
