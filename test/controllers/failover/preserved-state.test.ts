/** The state of an application that fails over, from its status to the labels of its next copy (gate StatefulFailoverInjection). */
import t, { type Test } from 'tap';
import type { JsonObject } from '../../../apimachinery/interface.js';
import { executionNamespace, workName } from '../../../api/karmada/names.js';
import type { Binding, BindingSpec, Work } from '../../../api/karmada/types.js';
import { labels, resources } from '../../../api/karmada/well-known.js';
import { karmadaControllers } from '../../../cli/parts/karmada-controllers.js';
import { find } from '../../../client/find.js';
import { featureGates } from '../../../kinds/karmada/feature-gates.js';
import { object } from '../../aggregation/fleet.js';
import { runningServer } from '../../apiserver/running.js';
import { deployment, deployments } from '../../registry/serve.js';
import { until } from '../../storage/until.js';

const web = { namespace: 'default', name: 'web-deployment' };

/** Starts the controllers without those for policies and members, with a binding of a Deployment in the cluster `m1`. */
async function scene(t: Test, StatefulFailoverInjection: boolean) {
  const off = ['detector', 'clusterStatus', 'bindingStatus', 'execution'];
  const isOn = (name: string) => !off.includes(name);
  const { client } = await runningServer(t, {
    parts: [karmadaControllers(isOn)],
    featureGates: featureGates({ StatefulFailoverInjection }),
  });
  const spec = { syncMode: 'Push', apiEndpoint: 'https://m.example.com' };
  for (const name of ['m1', 'm2'])
    await client.create(resources.clusters, object('cluster.karmada.io/v1alpha1', 'Cluster', name, { spec }));
  const { metadata } = await client.create(deployments, deployment('web'));
  const statePreservation = { rules: [{ aliasLabelName: 'app.example.com/job', jsonPath: '{.job}' }] };
  const decisionConditions = { tolerationSeconds: 0 };
  const application = { decisionConditions, purgeMode: 'Directly', statePreservation } as const;
  const bound: Partial<BindingSpec> = {
    resource: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: 'web', uid: metadata.uid ?? '' },
    ...{ propagateDeps: true, replicas: 1, clusters: [{ name: 'm1', replicas: 1 }], failover: { application } },
  };
  await client.create(
    resources.resourceBindings,
    object('work.karmada.io/v1alpha2', 'ResourceBinding', web.name, {
      metadata: { namespace: web.namespace, labels: { [labels.propagationPolicyId]: 'p' } },
      spec: bound,
    }),
  );
  const patch = async (change: JsonObject, subresource?: 'status'): Promise<void> =>
    void (await client.patch(
      resources.resourceBindings,
      web,
      { type: 'merge', patch: change },
      subresource ? { subresource } : {},
    ));
  /** Resolves with the labels of the Deployment for a cluster. */
  const labelsIn = async (cluster: string): Promise<Readonly<Record<string, string>>> => {
    const key = { namespace: executionNamespace(cluster), name: workName('Deployment', 'web', 'default') };
    let work: Work | undefined;
    await until(`the Work of ${cluster}`, async () => {
      work = (await find(client, resources.works, key)) as Work | undefined;
      return work !== undefined;
    });
    return work?.spec.workload?.manifests?.[0]?.metadata.labels ?? {};
  };
  /** Removes the Deployment from a cluster, as its execution would. */
  const leave = async (cluster: string): Promise<void> => {
    const key = { namespace: executionNamespace(cluster), name: workName('Deployment', 'web', 'default') };
    const isLeaving = async () => (await find(client, resources.works, key))?.metadata.deletionTimestamp !== undefined;
    await until(`the Work of ${cluster} is deleted`, isLeaving);
    await client.patch(resources.works, key, { type: 'merge', patch: { metadata: { finalizers: null } } });
  };
  return { client, patch, labelsIn, leave };
}

/** Lets the application become unhealthy in `m1`. Returns its eviction task, and its labels in `m2`, where it is placed then. */
async function failedOver(t: Test, isGated: boolean) {
  const { client, patch, labelsIn, leave } = await scene(t, isGated);
  t.notOk('app.example.com/job' in (await labelsIn('m1')), 'at first');
  const aggregatedStatus = [{ clusterName: 'm1', applied: true, health: 'Unhealthy', status: { job: 'j1' } }];
  await patch({ status: { aggregatedStatus } }, 'status');
  let spec: Binding['spec'] | undefined;
  await until('the application is evicted', async () => {
    ({ spec } = (await client.get(resources.resourceBindings, web)) as Binding);
    return spec.gracefulEvictionTasks !== undefined;
  });
  await leave('m1');
  await patch({ spec: { clusters: [{ name: 'm2', replicas: 1 }] } });
  return { task: spec?.gracefulEvictionTasks?.[0], labels: await labelsIn('m2') };
}

t.test('with the gate, the next copy has the state as labels', async t => {
  const { task, labels } = await failedOver(t, true);
  t.match(task, {
    ...{ fromCluster: 'm1', purgeMode: 'Directly', reason: 'ApplicationFailure' },
    ...{ preservedLabelState: { 'app.example.com/job': 'j1' }, clustersBeforeFailover: ['m1'] },
  });
  t.equal(labels['app.example.com/job'], 'j1');
});

t.test('without the gate, nothing is preserved', async t => {
  const { task, labels } = await failedOver(t, false);
  t.match(task, { fromCluster: 'm1', purgeMode: 'Directly', reason: 'ApplicationFailure' });
  t.equal(task?.preservedLabelState, undefined);
  t.notOk('app.example.com/job' in labels);
});

t.test('a cluster whose state cannot be read yet does not keep others from being evicted', async t => {
  const { client, patch } = await scene(t, true);
  await patch({ spec: { replicas: 2, clusters: ['m1', 'm2'].map(name => ({ name, replicas: 1 })) } });
  const unhealthy = { applied: true, health: 'Unhealthy' };
  const aggregatedStatus = [
    { ...unhealthy, clusterName: 'm1', status: { other: 1 } },
    { ...unhealthy, clusterName: 'm2', status: { job: 'j2' } },
  ];
  await patch({ status: { aggregatedStatus } }, 'status');
  let spec: Binding['spec'] | undefined;
  await until('the application is evicted from m2', async () => {
    ({ spec } = (await client.get(resources.resourceBindings, web)) as Binding);
    return spec.gracefulEvictionTasks !== undefined;
  });
  t.match(spec?.gracefulEvictionTasks, [{ fromCluster: 'm2' }]);
  t.match(spec?.clusters, [{ name: 'm1' }]);
});
