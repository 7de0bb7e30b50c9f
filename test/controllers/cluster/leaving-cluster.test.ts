/** Changes of bindings wake the controller of clusters only for clusters that are being removed. */
import t from 'tap';
import type { Binding } from '../../../api/karmada/types.js';
import { resources } from '../../../api/karmada/well-known.js';
import { componentContext } from '../../../client/runtime/component.js';
import type { ControllerContext, ControllerOptions } from '../../../client/runtime/interface.js';
import { startClusterController } from '../../../controllers/cluster/cluster.js';
import { silent } from '../../../server/logger.js';
import type { Part } from '../../../server/parts.js';
import { object } from '../../aggregation/fleet.js';
import { runningServer } from '../../apiserver/running.js';
import { until } from '../../storage/until.js';
import { recordingQueue } from '../recording-queue.js';

const binding = (name: string, clusters: readonly string[]): Binding =>
  object('work.karmada.io/v1alpha2', 'ClusterResourceBinding', name, {
    spec: {
      resource: { apiVersion: 'v1', kind: 'Namespace', name },
      clusters: clusters.map(each => ({ name: each })),
    },
  }) as Binding;

t.test('a change of a binding wakes the removed clusters that it targets, or has targeted', async t => {
  let context: ControllerContext | undefined;
  let controller: ControllerOptions | undefined;
  const part: Part = {
    name: 'controller',
    start(host) {
      context = componentContext({ ...host, log: silent }, 'karmada-controller-manager');
      startClusterController({ ...context, run: options => void (controller = options) });
      return Promise.resolve();
    },
  };
  const { client } = await runningServer(t, { parts: [part] });
  for (const name of ['member1', 'member2'])
    await client.create(resources.clusters, {
      ...object('cluster.karmada.io/v1alpha1', 'Cluster', name, { metadata: { finalizers: ['test.io/kept'] } }),
      spec: { syncMode: 'Push', apiEndpoint: 'https://127.0.0.1:1' },
    });
  const clusters = context?.informers.informer(resources.clusters);
  const bindings = context?.informers.informer<Binding>(resources.clusterResourceBindings);
  await until('the clusters are shown', () => clusters?.cached.size === 2);
  const { queue, added: woken } = recordingQueue();
  controller?.wire(queue);

  const created = (await client.create(resources.clusterResourceBindings, binding('a', ['member1']))) as Binding;
  await until('the binding is shown', () => bindings?.get('a') !== undefined);
  t.same(woken, ['member1', 'member2'], 'only the clusters themselves');

  await client.delete(resources.clusters, { name: 'member1' });
  await until('the removal is shown', () => clusters?.get('member1')?.metadata.deletionTimestamp !== undefined);
  const wakes = async (change: () => Promise<unknown>, shown: () => boolean | undefined): Promise<string[]> => {
    woken.length = 0;
    await change();
    await until('the change is shown', () => shown() === true);
    return [...new Set(woken)];
  };
  const retarget = (name: string) => () =>
    client.patch(
      resources.clusterResourceBindings,
      { name: 'a' },
      { type: 'merge', patch: { spec: { clusters: [{ name }] } } },
    );
  const targets = (name: string) => () => bindings?.get('a')?.spec.clusters?.[0]?.name === name;
  t.same(await wakes(retarget('member2'), targets('member2')), ['member1'], 'it has targeted the removed cluster');
  t.same(await wakes(retarget('member1'), targets('member1')), ['member1'], 'it targets the removed cluster');
  const remove = (): Promise<void> =>
    client.delete(resources.clusterResourceBindings, { name: created.metadata.name ?? '' });
  t.same(await wakes(remove, () => bindings?.get('a') === undefined), ['member1'], 'it is deleted');

  const release = (): Promise<unknown> =>
    client.patch(resources.clusters, { name: 'member1' }, { type: 'merge', patch: { metadata: { finalizers: null } } });
  await wakes(release, () => clusters?.get('member1') === undefined);
  const again = (): Promise<unknown> => client.create(resources.clusterResourceBindings, binding('b', ['member1']));
  t.same(await wakes(again, () => bindings?.get('b') !== undefined), [], 'the cluster is removed');
});
