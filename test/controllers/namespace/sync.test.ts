/** Every user namespace gets a Work for every cluster. */
import t from 'tap';
import type { Work } from '../../../api/karmada/types.js';
import { resources } from '../../../api/karmada/well-known.js';
import { workName } from '../../../api/karmada/names.js';
import { find } from '../../../client/find.js';
import { karmadaControllers } from '../../../cli/parts/karmada-controllers.js';
import { core, object } from '../../aggregation/fleet.js';
import { runningServer } from '../../apiserver/running.js';
import { until } from '../../storage/until.js';

t.test('namespaces are propagated to each cluster', async t => {
  const parts = [karmadaControllers(name => name === 'namespace')];
  const control = await runningServer(t, { parts });
  const { client } = control;

  const addNamespace = (name: string, labels: Record<string, string> = {}): Promise<unknown> =>
    client.create(core('namespaces'), object('v1', 'Namespace', name, { metadata: { labels } }));
  const addCluster = async (name: string): Promise<void> => {
    const spec = { syncMode: 'Push', apiEndpoint: 'https://127.0.0.1:1' };
    await client.create(resources.clusters, object('cluster.karmada.io/v1alpha1', 'Cluster', name, { spec }));
    await addNamespace(`karmada-es-${name}`);
  };
  const workFor = async (cluster: string, namespace: string): Promise<Work | undefined> => {
    const key = { namespace: `karmada-es-${cluster}`, name: workName('Namespace', namespace, '') };
    return (await find(client, resources.works, key)) as Work | undefined;
  };
  const appears = (cluster: string, namespace: string): Promise<void> =>
    until(`${namespace} in ${cluster}`, async () => (await workFor(cluster, namespace)) !== undefined);

  await addNamespace('before');
  await addCluster('first');
  await appears('first', 'before');
  await addCluster('second');
  await appears('second', 'before');
  await addNamespace('skipped', { 'namespace.karmada.io/skip-auto-propagation': 'true' });
  await addNamespace('after');
  for (const cluster of ['first', 'second']) {
    await appears(cluster, 'after');
    t.notOk(await workFor(cluster, 'skipped'));
    t.notOk(await workFor(cluster, 'default'));
  }
  await client.create(
    resources.clusterOverridePolicies,
    object('policy.karmada.io/v1alpha1', 'ClusterOverridePolicy', 'labels', {
      spec: {
        resourceSelectors: [{ apiVersion: 'v1', kind: 'Namespace', name: 'after' }],
        overrideRules: [
          {
            targetCluster: { clusterNames: ['second'] },
            overriders: { labelsOverrider: [{ operator: 'add', value: { tier: 'test' } }] },
          },
        ],
      },
    }),
  );
  const tierIn = async (cluster: string): Promise<string | undefined> =>
    (await workFor(cluster, 'after'))?.spec.workload?.manifests?.[0]?.metadata.labels?.['tier'];
  await until('the override is in its cluster', async () => (await tierIn('second')) === 'test');
  t.equal(await tierIn('first'), undefined);
});
