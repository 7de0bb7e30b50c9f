/** The feature gates of the scheduler, both ways. */
import t, { type Test } from 'tap';
import type { Binding, Cluster } from '../../api/karmada/types.js';
import { labels, resources } from '../../api/karmada/well-known.js';
import type { Client } from '../../client/interface.js';
import { scheduler } from '../../cli/parts/scheduler.js';
import { findCondition } from '../../kinds/karmada/conditions.js';
import { featureGates } from '../../kinds/karmada/feature-gates.js';
import { estimateReplicas } from '../../scheduler/estimate/general.js';
import { object } from '../aggregation/fleet.js';
import { runningServer } from '../apiserver/running.js';
import { until } from '../storage/until.js';

/** Creates a cluster to which ConfigMaps can be propagated. */
async function serveConfigMaps(client: Client): Promise<void> {
  const cluster = object('cluster.karmada.io/v1alpha1', 'Cluster', 'm1', {
    spec: { syncMode: 'Push', apiEndpoint: 'https://m1.example.com' },
  });
  await client.create(resources.clusters, cluster);
  const apiEnablements = [{ groupVersion: 'v1', resources: [{ name: 'configmaps', kind: 'ConfigMap' }] }];
  const change = { type: 'merge', patch: { status: { apiEnablements } } } as const;
  await client.patch(resources.clusters, { name: 'm1' }, change, { subresource: 'status' });
}

/** Returns whether each of two bindings that exclude each other is placed, with one cluster. */
async function scheduled(t: Test, isGated: boolean) {
  const gates = featureGates({ WorkloadAffinity: isGated });
  const { client } = await runningServer(t, { profile: 'karmada', parts: [scheduler()], featureGates: gates });
  await serveConfigMaps(client);
  const place = async (name: string): Promise<boolean> => {
    const binding = object('work.karmada.io/v1alpha2', 'ResourceBinding', name, {
      metadata: { namespace: 'default', labels: { [labels.propagationPolicyId]: name } },
      spec: {
        resource: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name },
        placement: { workloadAffinity: { antiAffinity: { groupByLabelKey: 'app' } } },
        workloadAffinityGroups: { antiAffinityGroup: 'app=x' },
      },
    });
    await client.create(resources.resourceBindings, binding);
    let { spec, status } = binding as Binding;
    await until(`${name} is attempted`, async () => {
      ({ spec, status } = (await client.get(resources.resourceBindings, { namespace: 'default', name })) as Binding);
      return findCondition(status?.conditions, 'Scheduled') !== undefined;
    });
    return (spec.clusters ?? []).length > 0;
  };
  return [await place('a'), await place('b')];
}

t.test('WorkloadAffinity', async t => {
  t.same(await scheduled(t, false), [true, true]);
  t.same(await scheduled(t, true), [true, false]);
});

/** Returns the place of a binding of high priority among those that wait for a cluster with it, in the order in which they are scheduled. */
async function placeOfHigh(t: Test, PriorityBasedScheduling: boolean): Promise<number> {
  const gates = featureGates({ PriorityBasedScheduling });
  const { client } = await runningServer(t, { profile: 'karmada', parts: [scheduler()], featureGates: gates });
  const names = [...Array.from({ length: 40 }, (_, i) => `low${i}`), 'high'];
  const bindings = async (): Promise<readonly Binding[]> =>
    (await client.list(resources.resourceBindings)).items as unknown as readonly Binding[];
  for (const name of names)
    await client.create(
      resources.resourceBindings,
      object('work.karmada.io/v1alpha2', 'ResourceBinding', name, {
        metadata: { namespace: 'default', labels: { [labels.propagationPolicyId]: name } },
        spec: {
          resource: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name },
          placement: {},
          schedulePriority: { priority: name === 'high' ? 1 : 0 },
        },
      }),
    );
  const attempted = ({ status }: Binding): boolean => findCondition(status?.conditions, 'Scheduled') !== undefined;
  await until('all wait for a cluster', async () => (await bindings()).every(attempted));
  await serveConfigMaps(client);
  const isPlaced = ({ spec, status }: Binding): boolean =>
    spec.clusters !== undefined && findCondition(status?.conditions, 'Scheduled')?.status === 'True';
  await until('all are scheduled', async () => (await bindings()).every(isPlaced));
  const order = (await bindings()).map(({ metadata: { name, resourceVersion } }) => ({
    ...{ name, version: Number(resourceVersion) },
  }));
  return order.sort((a, b) => a.version - b.version).findIndex(({ name }) => name === 'high');
}

t.test('PriorityBasedScheduling', async t => {
  // Workers may have other bindings already when it can be placed.
  const [first, last] = [await placeOfHigh(t, true), await placeOfHigh(t, false)];
  t.ok(first < last, `it is number ${first} of 41 with priorities, ${last} without`);
});

t.test('CustomizedClusterResourceModeling', t => {
  const cluster: Cluster = {
    ...{ apiVersion: 'cluster.karmada.io/v1alpha1', kind: 'Cluster', metadata: { name: 'm1' } },
    spec: { syncMode: 'Push', resourceModels: [{ grade: 0, ranges: [{ name: 'cpu', min: '1', max: '2' }] }] },
    status: {
      resourceSummary: {
        allocatable: { cpu: '10', pods: '100' },
        allocatableModelings: [{ grade: 0, count: 3 }],
      },
    },
  };
  const requirements = { resourceRequest: { cpu: '1' } };
  t.equal(estimateReplicas(cluster, requirements), 3, 'by nodes');
  t.equal(estimateReplicas(cluster, requirements, { usesModels: false }), 10, 'by the sum');
  t.end();
});
