import t from 'tap';
import { kubernetesControllers } from '../../../cli/parts/kubernetes-controllers.js';
import { resources } from '../../../api/karmada/well-known.js';
import { find } from '../../../client/find.js';
import { runningServer } from '../../apiserver/running.js';
import { until } from '../../storage/until.js';

const core = (resource: string) => ({ group: '', version: 'v1', resource });
const [namespaces, maps, events] = [core('namespaces'), core('configmaps'), core('events')];
const name = 'doomed';

t.test('a namespace is deleted with its content, including events; an object with a finalizer blocks it', async t => {
  const { client } = await runningServer(t, { parts: [kubernetesControllers(() => true)] });
  await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  await client.create(maps, {
    ...{ apiVersion: 'v1', kind: 'ConfigMap' },
    metadata: { name: 'held', namespace: name, finalizers: ['example.com/hold'] },
  });
  for (const number of [1, 2, 3])
    await client.create(events, {
      ...{ apiVersion: 'v1', kind: 'Event', metadata: { name: `e-${number}`, namespace: name } },
      involvedObject: { kind: 'ConfigMap', name: 'held', namespace: name },
    });
  await client.delete(namespaces, { name });
  await until('it to say what holds it', async () => {
    const { status } = await client.get(namespaces, { name });
    const { conditions = [] } = status as { conditions?: { type: string; status: string; message: string }[] };
    return conditions.some(
      ({ type, status, message }) =>
        type === 'NamespaceFinalizersRemaining' && status === 'True' && message.includes('example.com/hold in 1'),
    );
  });
  t.strictSame((await client.list(events, { namespace: name })).items, [], 'no events are left');
  await client.patch(
    maps,
    { namespace: name, name: 'held' },
    { type: 'merge', patch: { metadata: { finalizers: null } } },
  );
  await until('it to go', async () => (await find(client, namespaces, { name })) === undefined);
});

t.test('in the execution namespace of a cluster, rights stay until the Works are gone', async t => {
  const { client } = await runningServer(t, { parts: [kubernetesControllers(() => true)] });
  const namespace = 'karmada-es-edge';
  const roles = { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'roles' };
  await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await client.create(roles, {
    ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', rules: [] },
    metadata: { name: 'agent', namespace },
  });
  await client.create(resources.works, {
    ...{ apiVersion: 'work.karmada.io/v1alpha1', kind: 'Work', spec: { workload: { manifests: [] } } },
    metadata: { name: 'held', namespace, finalizers: ['example.com/hold'] },
  });
  await client.delete(namespaces, { name: namespace });
  await until('the Work is being deleted', async () => {
    const { metadata } = await client.get(resources.works, { namespace, name: 'held' });
    return metadata.deletionTimestamp !== undefined;
  });
  await until('the namespace says what is left', async () => {
    const { status } = await client.get(namespaces, { name: namespace });
    return JSON.stringify(status).includes('works.work.karmada.io has 1 resource instances');
  });
  t.not(await find(client, roles, { namespace, name: 'agent' }), undefined);
  const patch = { metadata: { finalizers: null } };
  await client.patch(resources.works, { namespace, name: 'held' }, { type: 'merge', patch });
  await until('it to go', async () => (await find(client, namespaces, { name: namespace })) === undefined);
  t.equal(await find(client, roles, { namespace, name: 'agent' }), undefined);
});
