/** A WorkloadRebalancer, its bindings, and its end. as pkg/controllers/workloadrebalancer RebalancerController */
import t from 'tap';
import type { Binding } from '../../../api/karmada/types.js';
import { resources } from '../../../api/karmada/well-known.js';
import { find } from '../../../client/find.js';
import type { Client } from '../../../client/interface.js';
import { plainError } from '../../../apimachinery/errors/status.js';
import type { WorkloadRebalancer, WorkloadReference } from '../../../controllers/rebalancer/rebalancing.js';
import { startWorkloadRebalancer } from '../../../controllers/rebalancer/workload-rebalancer.js';
import { object } from '../../aggregation/fleet.js';
import { until } from '../../storage/until.js';
import { runningControllers, withVerbs } from '../one-controller.js';

const rebalancers = { group: 'apps.karmada.io', version: 'v1alpha1', resource: 'workloadrebalancers' };
const namespace = 'default';
const later = '2999-01-01T00:00:00Z';

const deployment = (name: string): WorkloadReference => ({
  ...{ apiVersion: 'apps/v1', kind: 'Deployment', namespace, name },
});
const role: WorkloadReference = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name: 'r' };

t.test('every workload is rescheduled once, and the status says how it went', async t => {
  let refusals = 1;
  const wrap = (client: Client): Client => {
    const update: Client['update'] = (resource, written, options) =>
      written.metadata.name === 'refused-deployment' && refusals-- > 0
        ? Promise.reject(plainError('not now', 500))
        : client.update(resource, written, options);
    return withVerbs(client, { update });
  };
  const { client } = await runningControllers(t, context => startWorkloadRebalancer(context), { wrap });
  const bind = (name: string, more: object = {}) => {
    const spec = { resource: deployment(name), ...more };
    const binding = object('work.karmada.io/v1alpha2', 'ResourceBinding', `${name}-deployment`, {
      ...{ metadata: { namespace }, spec },
    });
    return client.create(resources.resourceBindings, binding);
  };
  await bind('plain');
  await bind('refused');
  await bind('newer', { rescheduleTriggeredAt: later });
  await bind('older', { rescheduleTriggeredAt: '2001-01-01T00:00:00Z' });
  await client.create(
    resources.clusterResourceBindings,
    object('work.karmada.io/v1alpha2', 'ClusterResourceBinding', 'r-clusterrole', { spec: { resource: role } }),
  );
  const workloads = [...['plain', 'refused', 'newer', 'older', 'absent'].map(deployment), role];
  const created = await client.create(
    rebalancers,
    object('apps.karmada.io/v1alpha1', 'WorkloadRebalancer', 'now', { spec: { workloads } }),
  );
  const statusOf = async (): Promise<NonNullable<WorkloadRebalancer['status']>> =>
    ((await client.get(rebalancers, { name: 'now' })) as WorkloadRebalancer).status ?? {};
  const finished = (): Promise<void> => until('it ends', async () => (await statusOf()).finishTime !== undefined);
  await finished();
  const { observedWorkloads = [], observedGeneration } = await statusOf();
  t.equal(observedGeneration, created.metadata.generation);
  t.same(
    observedWorkloads.map(({ workload, result, reason }) => [workload.name, result, ...(reason ? [reason] : [])]),
    [
      ['absent', 'Failed', 'ReferencedBindingNotFound'],
      ...['newer', 'older', 'plain', 'refused', 'r'].map(name => [name, 'Successful']),
    ],
    'sorted by their references',
  );
  t.equal(refusals < 1, true, 'a failure was tried again');
  const triggeredAt = async (name: string): Promise<string | undefined> => {
    const key = { namespace, name: `${name}-deployment` };
    return ((await client.get(resources.resourceBindings, key)) as Binding).spec.rescheduleTriggeredAt;
  };
  const { creationTimestamp } = created.metadata;
  for (const name of ['plain', 'refused', 'older']) t.equal(await triggeredAt(name), creationTimestamp, name);
  t.equal(await triggeredAt('newer'), later, 'a later request is kept');
  const clusterBinding = await client.get(resources.clusterResourceBindings, { name: 'r-clusterrole' });
  t.equal((clusterBinding as Binding).spec.rescheduleTriggeredAt, creationTimestamp);

  // A workload that was added is rescheduled; a successful one stays in the status.
  await bind('added');
  await client.patch(
    rebalancers,
    { name: 'now' },
    { type: 'merge', patch: { spec: { workloads: [deployment('added')] } } },
  );
  await until('it is rescheduled', async () => (await triggeredAt('added')) === creationTimestamp);
  await until(
    'the status has it',
    async () =>
      (await statusOf()).observedWorkloads?.map(({ workload }) => workload.name).join() ===
      'added,newer,older,plain,refused,r',
  );

  await client.patch(rebalancers, { name: 'now' }, { type: 'merge', patch: { spec: { ttlSecondsAfterFinished: 0 } } });
  await until('it is deleted', async () => (await find(client, rebalancers, { name: 'now' })) === undefined);
});
