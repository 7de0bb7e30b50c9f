/** Remedies on a server whose cluster has the conditions that the test sets. */
import t from 'tap';
import type { Cluster, Condition } from '../../../api/karmada/types.js';
import { resources } from '../../../api/karmada/well-known.js';
import { karmadaControllers } from '../../../cli/parts/karmada-controllers.js';
import { object } from '../../aggregation/fleet.js';
import { runningServer } from '../../apiserver/running.js';
import { until } from '../../storage/until.js';

const type = 'ServiceDomainNameResolutionReady';

t.test('the actions follow the conditions of the cluster, and the Remedies', async t => {
  const { client } = await runningServer(t, { parts: [karmadaControllers(name => name === 'remedy')] });
  const spec = { syncMode: 'Push', apiEndpoint: 'https://m.example.com' };
  await client.create(resources.clusters, object('cluster.karmada.io/v1alpha1', 'Cluster', 'm1', { spec }));
  const decisionMatches = [
    { clusterConditionMatch: { conditionType: type, operator: 'Equal', conditionStatus: 'False' } },
  ];
  const remedy = { spec: { actions: ['TrafficControl'], decisionMatches } };
  await client.create(resources.remedies, object('remedy.karmada.io/v1alpha1', 'Remedy', 'dns', remedy));
  const report = async (status: Condition['status']): Promise<void> => {
    const lastTransitionTime = '2030-01-01T00:00:00Z';
    const conditions = [{ type, status, reason: 'Test', message: 'set by the test', lastTransitionTime }];
    const patch = { type: 'merge', patch: { status: { conditions } } } as const;
    await client.patch(resources.clusters, { name: 'm1' }, patch, { subresource: 'status' });
  };
  const shows = (actions: readonly string[] | undefined): Promise<void> =>
    until(`the actions ${actions?.join()}`, async () => {
      const { status } = (await client.get(resources.clusters, { name: 'm1' })) as Cluster;
      return status?.conditions?.length === 1 && status.remedyActions?.join() === actions?.join();
    });
  await report('False');
  await shows(['TrafficControl']);
  await report('True');
  await shows(undefined);
  await client.patch(
    resources.remedies,
    { name: 'dns' },
    { type: 'merge', patch: { spec: { decisionMatches: null } } },
  );
  await shows(['TrafficControl']);
  const wrong = { type: 'merge', patch: { status: { remedyActions: ['Other'] } } } as const;
  await client.patch(resources.clusters, { name: 'm1' }, wrong, { subresource: 'status' });
  await shows(['TrafficControl']);
  await client.delete(resources.remedies, { name: 'dns' });
  await shows(undefined);
});
