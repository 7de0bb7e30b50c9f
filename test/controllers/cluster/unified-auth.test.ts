/** The users whom the cluster proxy may impersonate in each member. as pkg/controllers/unifiedauth Controller */
import t from 'tap';
import type { PolicyRule } from '../../../openapi/gen/rbac-v1.js';
import { workName } from '../../../api/karmada/names.js';
import type { Work } from '../../../api/karmada/types.js';
import { resources } from '../../../api/karmada/well-known.js';
import { find } from '../../../client/find.js';
import { startUnifiedAuth } from '../../../controllers/cluster/unified-auth.js';
import { core, grant, object, rbac } from '../../aggregation/fleet.js';
import { until } from '../../storage/until.js';
import { runningControllers } from '../one-controller.js';

const [roles, roleBindings] = [rbac('clusterroles'), rbac('clusterrolebindings')];
const namespaces = core('namespaces');

t.test('a member lets the proxy impersonate those who may reach it, and nobody else', async t => {
  const { client } = await runningControllers(t, context => startUnifiedAuth(context));
  const addCluster = (name: string, more: object = {}) => {
    const spec = { syncMode: 'Push', apiEndpoint: 'https://127.0.0.1:1', ...more };
    return client.create(resources.clusters, object('cluster.karmada.io/v1alpha1', 'Cluster', name, { spec }));
  };
  const addNamespace = (name: string) => client.create(namespaces, object('v1', 'Namespace', name));
  const addRole = (name: string, rule: object) =>
    client.create(
      roles,
      object('rbac.authorization.k8s.io/v1', 'ClusterRole', name, { rules: [{ verbs: ['*'], ...rule }] }),
    );
  const workOf = async (cluster: string, kind: string): Promise<Work | undefined> => {
    const key = { namespace: `karmada-es-${cluster}`, name: workName(kind, 'karmada-impersonator', '') };
    return (await find(client, resources.works, key)) as Work | undefined;
  };
  const namesOf = async (cluster: string, resource: string): Promise<string> => {
    const work = await workOf(cluster, 'ClusterRole');
    const rules = (work?.spec.workload?.manifests?.[0]?.['rules'] ?? []) as PolicyRule[];
    const found = rules.find(rule => rule.resources?.[0] === resource)?.resourceNames ?? [];
    // Others are bound by the policy of the start.
    return found.filter(name => name.startsWith('of-') || ['g', 'robot'].includes(name)).join();
  };
  const becomes = (cluster: string, resource: string, expect: string): Promise<void> =>
    until(`${resource} of ${cluster}: ${expect}`, async () => (await namesOf(cluster, resource)) === expect);
  const user = (name: string) => ({ kind: 'User', name, apiGroup: 'rbac.authorization.k8s.io' });

  const impersonatorSecretRef = { namespace: 'secrets', name: 'm' };
  for (const name of ['m1', 'm2']) {
    await addNamespace(`karmada-es-${name}`);
    await addCluster(name, { impersonatorSecretRef });
  }
  const clusters = { apiGroups: ['cluster.karmada.io'], resources: ['clusters/proxy'] };
  await addRole('one-cluster', { ...clusters, resourceNames: ['m1'] });
  await addRole('each-cluster', clusters);
  await addRole('all-at-once', { apiGroups: ['search.karmada.io'], resources: ['proxying/proxy'] });
  await addRole('any-group', { apiGroups: ['*'], resources: ['clusters/proxy'] });
  await addRole('clusters-alone', { ...clusters, resources: ['clusters', 'clusters/status'] });
  await addRole('another-group', { ...clusters, apiGroups: ['search.karmada.io'] });
  for (const role of ['each-cluster', 'all-at-once', 'any-group', 'clusters-alone', 'another-group', 'absent'])
    await grant(client, role, user(`of-${role}`), role);
  await grant(client, 'one', { kind: 'Group', name: 'g', apiGroup: 'rbac.authorization.k8s.io' }, 'one-cluster');
  await grant(client, 'two', { kind: 'ServiceAccount', name: 'robot', namespace: 'default' }, 'one-cluster');
  await grant(client, 'three', user('of-each-cluster'), 'one-cluster');

  const users = 'of-all-at-once,of-any-group,of-each-cluster';
  for (const cluster of ['m1', 'm2']) await becomes(cluster, 'users', users);
  await becomes('m1', 'serviceaccounts', 'robot');
  t.equal(await namesOf('m1', 'groups'), 'g');
  t.equal(await namesOf('m2', 'groups'), '');
  t.equal(await namesOf('m2', 'serviceaccounts'), '');

  const binding = (await workOf('m1', 'ClusterRoleBinding'))?.spec.workload?.manifests?.[0];
  t.match(binding, {
    subjects: [{ kind: 'ServiceAccount', name: 'karmada-impersonator', namespace: 'secrets' }],
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'karmada-impersonator' },
  });
  t.match((await workOf('m1', 'ClusterRole'))?.metadata, {
    ownerReferences: [{ kind: 'Cluster', name: 'm1', controller: true }],
    finalizers: ['karmada.io/execution-controller'],
  });

  await client.delete(roleBindings, { name: 'all-at-once' });
  await client.delete(roles, { name: 'any-group' });
  for (const cluster of ['m1', 'm2']) await becomes(cluster, 'users', 'of-each-cluster');
  await addRole('absent', { ...clusters, resourceNames: ['m2'] });
  await becomes('m2', 'users', 'of-absent,of-each-cluster');
  t.equal(await namesOf('m1', 'users'), 'of-each-cluster');

  await addCluster('late');
  await addCluster('m3', { impersonatorSecretRef });
  await addNamespace('karmada-es-late');
  await addNamespace('karmada-es-m3');
  await becomes('m3', 'users', 'of-each-cluster');
  t.equal(await workOf('late', 'ClusterRole'), undefined, 'without the Secret of an impersonator');
  const patch = { spec: { impersonatorSecretRef } };
  await client.patch(resources.clusters, { name: 'late' }, { type: 'merge', patch });
  await becomes('late', 'users', 'of-each-cluster');
});
