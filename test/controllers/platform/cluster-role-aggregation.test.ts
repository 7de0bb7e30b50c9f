/** The rules of aggregated ClusterRoles. as pkg/controller/clusterroleaggregation syncClusterRole */
import t from 'tap';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { startClusterRoleAggregation } from '../../../controllers/platform/cluster-role-aggregation.js';
import { object, rbac } from '../../aggregation/fleet.js';
import { until } from '../../storage/until.js';
import { runningControllers } from '../one-controller.js';

const roles = rbac('clusterroles');
const rule = (resource: string) => ({ apiGroups: [''], resources: [resource], verbs: ['get'] });

t.test('an aggregated role has the rules of the roles that it selects', async t => {
  const { client } = await runningControllers(t, context => startClusterRoleAggregation(context));
  const create = (name: string, labels: Record<string, string>, more: object): Promise<KubeObject> =>
    client.create(
      roles,
      object('rbac.authorization.k8s.io/v1', 'ClusterRole', name, { metadata: { labels }, ...more }),
    );
  const selectors = [{ matchLabels: { to: 'first' } }, { matchLabels: { to: 'second' } }];
  // It matches its own selector, and has rules that nothing gives it.
  const aggregationRule = { clusterRoleSelectors: selectors };
  await create('whole', { to: 'first' }, { aggregationRule, rules: [rule('nodes')] });
  await create('b', { to: 'first' }, { rules: [rule('pods'), rule('services')] });
  await create('a', { to: 'first' }, { rules: [rule('secrets'), rule('pods')] });
  await create('0', { to: 'second' }, { rules: [rule('services'), rule('events')] });
  await create('other', { to: 'third' }, { rules: [rule('configmaps')] });

  const resourcesOf = async (name: string): Promise<string> => {
    const { rules } = (await client.get(roles, { name })) as { rules?: { resources: string[] }[] | null };
    return (rules ?? []).map(({ resources }) => resources.join()).join();
  };
  const becomes = (expect: string): Promise<void> =>
    until(`the rules are ${expect}`, async () => (await resourcesOf('whole')) === expect);
  // In the order of the selectors, then of the names, each rule once.
  await becomes('secrets,pods,services,events');
  t.equal(await resourcesOf('other'), 'configmaps', 'other roles stay');

  await client.patch(roles, { name: 'a' }, { type: 'merge', patch: { metadata: { labels: { to: null } } } });
  await becomes('pods,services,events');
  await client.patch(roles, { name: '0' }, { type: 'merge', patch: { rules: [rule('endpoints')] } });
  await becomes('pods,services,endpoints');
  for (const name of ['b', '0']) await client.delete(roles, { name });
  await becomes('');
});
