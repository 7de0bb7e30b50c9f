/** A ClusterTaintPolicy with NoExecute, from the condition of a cluster to the eviction task. The test sets the conditions. */
import t from 'tap';
import type { Binding, Cluster, Taint } from '../../../api/karmada/types.js';
import { annotations, labels, resources } from '../../../api/karmada/well-known.js';
import { karmadaControllers } from '../../../cli/parts/karmada-controllers.js';
import { featureGates } from '../../../kinds/karmada/feature-gates.js';
import { object, setReady } from '../../aggregation/fleet.js';
import { runningServer } from '../../apiserver/running.js';
import { until } from '../../storage/until.js';

const rates = { perSecond: 1000, secondaryPerSecond: 1000, unhealthyShare: 0.55 };
const descheduler = { intervalMs: 1, thresholdMs: 1 };
const settings = {
  failover: { taintManager: { purgeMode: 'Gracefully', rates }, descheduler },
  probing: { frequencyMs: 0, thresholds: { successMs: 0, failureMs: 0 } },
} as const;
const on = ['cluster', 'clustertaintpolicy'];

t.test('a cluster that fails is tainted, evicted after the toleration, and cleared when it has returned', async t => {
  const server = await runningServer(t, {
    ...{ allowNoExecuteTaintPolicy: true, evictsByTaints: true, featureGates: featureGates({ Failover: true }) },
    parts: [karmadaControllers(name => on.includes(name), undefined, settings)],
  });
  const { client } = server;
  const spec = { syncMode: 'Push', apiEndpoint: 'https://m.example.com' };
  for (const name of ['m1', 'm2']) {
    await client.create(resources.clusters, object('cluster.karmada.io/v1alpha1', 'Cluster', name, { spec }));
    await setReady(server, name, 'True');
  }
  const ready = (operator: string) => [{ conditionType: 'Ready', operator, statusValues: ['True'] }];
  await client.create(
    resources.clusterTaintPolicies,
    object('policy.karmada.io/v1alpha1', 'ClusterTaintPolicy', 'failed', {
      spec: {
        ...{ addOnConditions: ready('NotIn'), removeOnConditions: ready('In') },
        taints: [{ key: 'failed', effect: 'NoExecute' }],
      },
    }),
  );
  const bind = (name: string, clusterTolerations: readonly object[]) =>
    client.create(
      resources.resourceBindings,
      object('work.karmada.io/v1alpha2', 'ResourceBinding', name, {
        metadata: {
          ...{ namespace: 'default', labels: { [labels.propagationPolicyId]: 'p' } },
          annotations: { [annotations.appliedPlacement]: JSON.stringify({ clusterTolerations }) },
        },
        spec: {
          resource: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name },
          clusters: [{ name: 'm1' }, { name: 'm2' }],
        },
      }),
    );
  await bind('brief', [{ key: 'failed', operator: 'Exists', tolerationSeconds: 1 }]);
  await bind('patient', [{ key: 'failed', operator: 'Exists', tolerationSeconds: 3600 }]);
  const specOf = async (name: string) =>
    ((await client.get(resources.resourceBindings, { namespace: 'default', name })) as Binding).spec;
  const taints = async (): Promise<readonly Taint[]> =>
    ((await client.get(resources.clusters, { name: 'm1' })) as Cluster).spec.taints ?? [];
  const mark = async (): Promise<Taint | undefined> => (await taints()).find(({ effect }) => effect === 'NoExecute');

  await setReady(server, 'm1', 'False');
  await until('the brief one is evicted', async () => (await specOf('brief')).clusters?.length === 1);
  t.match(await mark(), { key: 'failed', timeAdded: /^\d{4}-/ });
  t.match((await specOf('brief')).gracefulEvictionTasks, [{ fromCluster: 'm1', producer: 'TaintManager' }]);
  const added = Date.parse((await mark())?.timeAdded ?? '');
  t.ok(Date.now() >= added + 1000, 'not before its time');
  await setReady(server, 'm1', 'True');
  await until('the taint is gone', async () => (await taints()).length === 0);
  t.equal((await specOf('patient')).clusters?.length, 2);
});
