/** A binding of a new kind that is placed between the reports of two members. */
import t from 'tap';
import type { Binding, BindingSpec, Cluster, Placement, TargetCluster } from '../../../api/karmada/types.js';
import { labels, resources } from '../../../api/karmada/well-known.js';
import { scheduler } from '../../../cli/parts/scheduler.js';
import type { Client } from '../../../client/interface.js';
import { atOnce } from '../../../lib/time-slice.js';
import { offersKind, concernInputOf } from '../../../scheduler/loop/wake-ups/concern.js';
import { FirstPlacements } from '../../../scheduler/loop/first-placements.js';
import { plugins } from '../../../scheduler/plugins/plugins.js';
import { object } from '../../aggregation/fleet.js';
import { runningServer } from '../../apiserver/running.js';
import { comesAbout } from '../../controllers/control-plane.js';
import { binding, cluster } from '../objects.js';

const equally: Placement = {
  replicaScheduling: { replicaSchedulingType: 'Divided', replicaDivisionPreference: 'Weighted' },
};

const targetsText = (targets: readonly TargetCluster[] = []): string =>
  targets.map(({ name, replicas = 0 }) => `${name}:${replicas}`).join();

async function reportKinds(client: Client, name: string, kinds: readonly string[]): Promise<void> {
  const apiEnablements = kinds.map(kind => ({
    groupVersion: kind === 'ConfigMap' ? 'v1' : 'example.com/v1',
    resources: [{ name: `${kind.toLowerCase()}s`, kind }],
  }));
  const change = { type: 'merge', patch: { status: { apiEnablements } } } as const;
  await client.patch(resources.clusters, { name }, change, { subresource: 'status' });
}

t.test('replicas reach a member that reports a new kind after the decision, unless they are settled', async t => {
  const server = await runningServer(t, { profile: 'karmada', parts: [scheduler()] });
  const { client } = server;
  for (const name of ['m1', 'm2']) {
    const spec = { syncMode: 'Push', apiEndpoint: `https://${name}.example.com` };
    await client.create(resources.clusters, object('cluster.karmada.io/v1alpha1', 'Cluster', name, { spec }));
    await reportKinds(client, name, ['ConfigMap']);
  }
  await reportKinds(client, 'm1', ['ConfigMap', 'Widget']);
  const place = (name: string, clusters: readonly TargetCluster[]) =>
    client.create(
      resources.resourceBindings,
      object('work.karmada.io/v1alpha2', 'ResourceBinding', name, {
        metadata: { namespace: 'default', labels: { [labels.propagationPolicyId]: name } },
        spec: {
          ...{ placement: equally, replicas: 4, clusters },
          resource: { apiVersion: 'example.com/v1', kind: 'Widget', namespace: 'default', name },
        },
      }),
    );
  const targets = (name: string, text: string) =>
    comesAbout(server, resources.resourceBindings, { namespace: 'default', name }, found => {
      const { spec, status } = found as Binding;
      return targetsText(spec.clusters) === text && status?.schedulerObservedGeneration !== undefined;
    });
  await place('settled', [{ name: 'm1', replicas: 2 }]);
  await targets('settled', 'm1:4');
  await place('new', []);
  await targets('new', 'm1:4');

  await reportKinds(client, 'm2', ['ConfigMap', 'Widget']);
  await targets('new', 'm1:2,m2:2');
  // Both are found by the same walk, and this one first.
  await targets('settled', 'm1:4');
});

t.test('a binding can be overtaken until its replicas are settled', t => {
  let now = 1_000_000;
  const placements = new FirstPlacements({ now: () => now });
  const placed = binding({ clusters: [{ name: 'm1' }] });
  placements.overtaken('n/a');
  t.equal(placements.take('n/a', placed), placed, 'it is not known');
  placements.began('n/a');
  t.equal(placements.take('n/a', placed), placed, 'no cluster has changed');
  placements.overtaken('n/a');
  const asked = placements.take('n/a', placed);
  t.same(asked.spec.clusters, placed.spec.clusters);
  t.ok((asked.spec.rescheduleTriggeredAt ?? '') > (asked.status?.lastScheduledTime ?? ''));
  t.equal(placements.take('n/a', placed), placed, 'once for each change');
  placements.overtaken('n/a');
  now += 15_000;
  t.notOk(placements.has('n/a'));
  t.equal(placements.take('n/a', placed), placed, 'its replicas are settled');
  placements.began('n/b');
  t.equal(placements.size, 1, 'what is settled is forgotten');
  placements.drop('n/b');
  for (let i = 0; i < 30_000; i++) placements.began(`n/${i}`);
  t.equal(placements.size, 20_000);
  t.end();
});

t.test('which clusters offer a kind that they did not serve', t => {
  const serving = (name: string, ...kinds: string[]): Cluster => ({
    ...cluster(name),
    status: { apiEnablements: [{ groupVersion: 'apps/v1', resources: kinds.map(kind => ({ name: kind, kind })) }] },
  });
  const offers = (before: Cluster, after: Cluster, spec: Partial<BindingSpec> = {}): boolean =>
    atOnce(offersKind({ states: [before, after] }, concernInputOf(binding({ placement: equally, ...spec })), plugins));
  const [without, having] = [serving('m2', 'StatefulSet'), serving('m2', 'StatefulSet', 'Deployment')];
  t.ok(offers(without, having));
  t.notOk(offers(having, having), 'it has served the kind');
  t.notOk(offers(having, without), 'it serves it no longer');
  t.notOk(offers({ ...without, status: {} }, having), 'it has just joined');
  t.notOk(offers(without, having, { clusters: [{ name: 'm2' }] }), 'it is a target');
  t.notOk(offers(without, having, { placement: { clusterAffinity: { clusterNames: ['m1'] } } }), 'it is not selected');
  const tainted = { ...having, spec: { ...having.spec, taints: [{ key: 'k', effect: 'NoSchedule' as const }] } };
  t.notOk(offers(without, tainted), 'it is tainted');
  const clusterAffinities = ['m2', 'm1'].map(name => ({ affinityName: name, clusterNames: [name] }));
  t.ok(offers(without, having, { placement: { clusterAffinities } }), 'an earlier term selects it');
  t.end();
});
