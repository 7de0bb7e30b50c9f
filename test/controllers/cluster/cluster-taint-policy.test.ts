/** The taints that ClusterTaintPolicies give and take. as pkg/controllers/taint ClusterTaintPolicyController */
import t from 'tap';
import type { Cluster } from '../../../api/karmada/types.js';
import { resources } from '../../../api/karmada/well-known.js';
import { startClusterTaintPolicy } from '../../../controllers/cluster/cluster-taint-policy.js';
import { core, object } from '../../aggregation/fleet.js';
import { until } from '../../storage/until.js';
import { runningControllers } from '../one-controller.js';

const time = '2026-01-01T00:00:00Z';

t.test('the taints of a cluster follow its conditions, policy by policy', async t => {
  const { client } = await runningControllers(t, context => startClusterTaintPolicy(context));
  const addCluster = (name: string, taints: object[] = []) => {
    const spec = { syncMode: 'Push', apiEndpoint: 'https://127.0.0.1:1', taints };
    return client.create(resources.clusters, object('cluster.karmada.io/v1alpha1', 'Cluster', name, { spec }));
  };
  const addPolicy = (name: string, spec: object) =>
    client.create(
      resources.clusterTaintPolicies,
      object('policy.karmada.io/v1alpha1', 'ClusterTaintPolicy', name, { spec }),
    );
  const setConditions = async (name: string, conditions: Record<string, string>): Promise<void> => {
    const cluster = await client.get(resources.clusters, { name });
    const list = Object.entries(conditions).map(([type, status]) => ({
      ...{ type, status, reason: 'Test', message: '', lastTransitionTime: time },
    }));
    await client.update(resources.clusters, { ...cluster, status: { conditions: list } }, { subresource: 'status' });
  };
  const taintsOf = async (name: string): Promise<string> => {
    const { spec } = (await client.get(resources.clusters, { name })) as Cluster;
    return (spec.taints ?? []).map(({ key, value = '', effect }) => `${key}=${value}:${effect}`).join();
  };
  const becomes = (name: string, expect: string): Promise<void> =>
    until(`the taints of ${name} are ${expect}`, async () => (await taintsOf(name)) === expect);
  const when = (conditionType: string, operator: string, ...statusValues: string[]) => ({
    ...{ conditionType, operator, statusValues },
  });
  const taint = (key: string, value: string) => ({ key, value, effect: 'NoSchedule' });

  await addCluster('m1', [taint('own', 'kept'), taint('full', 'before')]);
  await addCluster('m2');
  await addPolicy('full', {
    ...{ addOnConditions: [when('Full', 'In', 'True')], removeOnConditions: [when('Full', 'In', 'False', 'Unknown')] },
    taints: [taint('full', 'yes'), taint('more', 'yes')],
  });
  await addPolicy('both', {
    ...{ targetClusters: { clusterNames: ['m1'] } },
    addOnConditions: [when('Ready', 'NotIn', 'True'), when('Full', 'NotIn', 'False')],
    taints: [taint('both', '')],
  });

  // A taint of the same key and effect stays as it is.
  await setConditions('m1', { Ready: 'True', Full: 'True' });
  await becomes('m1', 'own=kept:NoSchedule,full=before:NoSchedule,more=yes:NoSchedule');
  await setConditions('m1', { Ready: 'False', Full: 'True' });
  await becomes('m1', 'own=kept:NoSchedule,full=before:NoSchedule,more=yes:NoSchedule,both=:NoSchedule');
  // Without conditions to remove it, a taint stays.
  await setConditions('m1', { Ready: 'True', Full: 'False' });
  await becomes('m1', 'own=kept:NoSchedule,both=:NoSchedule');

  // A cluster that a policy does not select, and one without the condition.
  await setConditions('m2', { Ready: 'False' });
  await addPolicy('ready', { addOnConditions: [when('Ready', 'In', 'False')], taints: [taint('mark', '')] });
  await becomes('m2', 'mark=:NoSchedule');
  t.equal(await taintsOf('m1'), 'own=kept:NoSchedule,both=:NoSchedule');
  await until('an Event tells it', async () => {
    const { items } = await client.list(core('events'));
    return items.some(
      event =>
        event['reason'] === 'TaintClusterSucceed' &&
        String(event['message']).startsWith('Update Cluster(m2) with taints('),
    );
  });
});
