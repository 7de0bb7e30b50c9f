/** Decisions that count before the mirror of bindings shows them. */
import t from 'tap';
import type { Binding } from '../../../api/karmada/types.js';
import { labels, resources } from '../../../api/karmada/well-known.js';
import { scheduler } from '../../../cli/parts/scheduler.js';
import { findCondition } from '../../../kinds/karmada/conditions.js';
import { featureGates } from '../../../kinds/karmada/feature-gates.js';
import { InFlight } from '../../../scheduler/loop/in-flight.js';
import { object } from '../../aggregation/fleet.js';
import { runningServer } from '../../apiserver/running.js';
import { until } from '../../storage/until.js';
import { binding } from '../objects.js';

const member = (name: string, version: string, ...clusters: readonly string[]): Binding =>
  binding({ clusters: clusters.map(name => ({ name })) }, undefined, { name, resourceVersion: version });

/** Returns decisions in flight over a mirror with some bindings, all in one group. */
function inFlightOver(...bindings: readonly Binding[]) {
  const mirror = new Map(bindings.map(each => [`n/${each.metadata.name}`, each]));
  const inFlight = new InFlight({ get: key => mirror.get(key), byIndex: () => [...mirror.values()] });
  const targets = () =>
    inFlight.peersOf(member('self', '1'), 'antiAffinityGroup', 'g').map(({ spec }) => spec.clusters?.[0]?.name);
  const show = (shown: Binding): void => {
    mirror.set(`n/${shown.metadata.name}`, shown);
    inFlight.changed({ key: `n/${shown.metadata.name}`, new: shown } as Parameters<InFlight['changed']>[0]);
  };
  return { inFlight, targets, show, mirror };
}

t.test('a decision counts until the mirror shows it', t => {
  const { inFlight, targets, show } = inFlightOver(member('a', '9'), member('self', '1'));
  t.same(targets(), [undefined], 'without itself');
  inFlight.decided(member('a', '9'), [{ name: 'm1' }]);
  t.same(targets(), ['m1'], 'before its write is answered');
  show(member('a', '12'));
  t.same(targets(), ['m1'], 'while others change the binding');
  inFlight.written(member('a', '14', 'm2'));
  inFlight.ended('n/a');
  t.same(targets(), ['m2'], 'as the server has written it');
  show(member('a', '13'));
  t.same(targets(), ['m2'], 'with an older event');
  show(member('a', '14', 'm3'));
  t.same(targets(), ['m3'], 'no longer with its own event');
  t.equal(inFlight.size, 0);
  t.end();
});

t.test('no decision is kept for longer than necessary', t => {
  const { inFlight, targets, show } = inFlightOver(member('a', '9'));
  inFlight.decided(member('a', '9'), [{ name: 'm1' }]);
  inFlight.ended('n/a');
  t.same([targets(), inFlight.size], [[undefined], 0], 'its write has failed, or was not necessary');
  inFlight.decided(member('a', '9'), [{ name: 'm1' }]);
  show(member('a', '10', 'm1'));
  inFlight.written(member('a', '10', 'm1'));
  t.equal(inFlight.size, 0, 'the event came before the answer');
  inFlight.decided(member('a', '10'), [{ name: 'm1' }]);
  inFlight.written(member('a', '11', 'm1'));
  inFlight.changed({ key: 'n/a' } as Parameters<InFlight['changed']>[0]);
  t.equal(inFlight.size, 0, 'the binding is deleted');
  t.end();
});

t.test('bindings of one anti-affinity group that come at the same time land apart', async t => {
  const gates = featureGates({ WorkloadAffinity: true });
  const { client } = await runningServer(t, { profile: 'karmada', parts: [scheduler()], featureGates: gates });
  const clusters = ['m1', 'm2', 'm3', 'm4'];
  const apiEnablements = [{ groupVersion: 'v1', resources: [{ name: 'configmaps', kind: 'ConfigMap' }] }];
  for (const name of clusters) {
    const spec = { syncMode: 'Push', apiEndpoint: `https://${name}.example.com` };
    await client.create(resources.clusters, object('cluster.karmada.io/v1alpha1', 'Cluster', name, { spec }));
    const change = { type: 'merge', patch: { status: { apiEnablements } } } as const;
    await client.patch(resources.clusters, { name }, change, { subresource: 'status' });
  }
  const groups = ['a', 'b', 'c', 'd', 'e'];
  const make = (group: string, i: number) =>
    object('work.karmada.io/v1alpha2', 'ResourceBinding', `${group}${i}`, {
      metadata: { namespace: 'default', labels: { [labels.propagationPolicyId]: group } },
      spec: {
        resource: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: `${group}${i}` },
        placement: { spreadConstraints: [{ spreadByField: 'cluster', minGroups: 1, maxGroups: 1 }] },
        workloadAffinityGroups: { antiAffinityGroup: `app=${group}` },
      },
    });
  await Promise.all(
    groups.flatMap(group => clusters.map((_, i) => client.create(resources.resourceBindings, make(group, i)))),
  );
  const bindings = async (): Promise<readonly Binding[]> =>
    (await client.list(resources.resourceBindings)).items.map(item => item as Binding);
  const isPlaced = ({ status }: Binding): boolean => findCondition(status?.conditions, 'Scheduled')?.status === 'True';
  await until('all are placed', async () => (await bindings()).every(isPlaced));
  for (const group of groups) {
    const members = (await bindings()).filter(({ metadata }) => metadata.name?.startsWith(group));
    t.same(members.flatMap(({ spec }) => (spec.clusters ?? []).map(({ name }) => name)).sort(), clusters, group);
  }
});
