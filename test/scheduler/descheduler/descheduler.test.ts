/** The descheduler on a server, with an estimator that the test answers for. */
import t from 'tap';
import type { Binding, ObjectReference, Placement } from '../../../api/karmada/types.js';
import { annotations, labels, resources } from '../../../api/karmada/well-known.js';
import { descheduler } from '../../../cli/parts/descheduler.js';
import type { AccurateEstimator } from '../../../scheduler/interface.js';
import { object } from '../../aggregation/fleet.js';
import { runningServer } from '../../apiserver/running.js';
import { until } from '../../storage/until.js';
import { comesAbout } from '../../controllers/control-plane.js';

const aggregated: Placement = {
  replicaScheduling: { replicaSchedulingType: 'Divided', replicaDivisionPreference: 'Aggregated' },
};

t.test('replicas that a cluster cannot run are taken back', async t => {
  const asked: [cluster: string, workload: ObjectReference, thresholdMs: number][] = [];
  const estimator: Pick<AccurateEstimator, 'unschedulableReplicas'> = {
    unschedulableReplicas(cluster, workload, thresholdMs) {
      asked.push([cluster, workload, thresholdMs]);
      return Promise.resolve(workload.name === 'web' ? 3 : undefined);
    },
  };
  const server = await runningServer(t, {
    parts: [
      descheduler({ intervalMs: 100, thresholdMs: 60_000 }, { use: () => ({ estimator, end: () => undefined }) }),
    ],
  });
  const { client } = server;
  const bind = async (name: string, placement: Placement): Promise<void> => {
    const key = { namespace: 'default', name };
    await client.create(
      resources.resourceBindings,
      object('work.karmada.io/v1alpha2', 'ResourceBinding', name, {
        metadata: { namespace: 'default', labels: { [labels.propagationPolicyId]: 'p' } },
        spec: {
          resource: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name },
          ...{
            replicas: 7,
            clusters: [
              { name: 'm1', replicas: 5 },
              { name: 'm2', replicas: 2 },
            ],
          },
        },
      }),
    );
    const aggregatedStatus = [
      { clusterName: 'm1', status: { readyReplicas: 3 } },
      { clusterName: 'm2', status: { readyReplicas: 2 } },
    ];
    const patch = { type: 'merge', patch: { status: { aggregatedStatus } } } as const;
    await client.patch(resources.resourceBindings, key, patch, { subresource: 'status' });
    // From now on the descheduler may look at it: a binding without a status has no ready replicas.
    const applied = { metadata: { annotations: { [annotations.appliedPlacement]: JSON.stringify(placement) } } };
    await client.patch(resources.resourceBindings, key, { type: 'merge', patch: applied });
  };
  await bind('static', { replicaScheduling: { replicaSchedulingType: 'Divided' } });
  await bind('unknown', aggregated);
  await bind('web', aggregated);
  const { spec } = (await comesAbout(
    server,
    resources.resourceBindings,
    { namespace: 'default', name: 'web' },
    found => (found as Binding).spec.clusters?.[0]?.replicas !== 5,
  )) as Binding;
  t.strictSame(spec.clusters, [
    { name: 'm1', replicas: 3 },
    { name: 'm2', replicas: 2 },
  ]);
  t.match(
    asked.find(([, { name }]) => name === 'web'),
    ['m1', { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: 'web' }, 60_000],
  );
  t.notOk(asked.some(([cluster, { name }]) => cluster === 'm2' || name === 'static'));
  const unknown = await client.get(resources.resourceBindings, { namespace: 'default', name: 'unknown' });
  t.equal((unknown as Binding).spec.clusters?.[0]?.replicas, 5);
  const message = 'Binding has been descheduled, 2 replica(s) in cluster(m1), 2 total descheduled replica(s)';
  await until('the Events', async () => {
    const { items } = await client.list({ group: '', version: 'v1', resource: 'events' });
    const found = items.filter(event => event['reason'] === 'DescheduleBindingSucceed' && event['message'] === message);
    return found.length === 2; // of the binding and of the template
  });
});
