import t from 'tap';
import { kubernetesControllers } from '../../../cli/parts/kubernetes-controllers.js';
import { find } from '../../../controllers/runtime/update.js';
import { runningServer } from '../../apiserver/running.js';
import { until } from '../../storage/until.js';

const maps = { group: '', version: 'v1', resource: 'configmaps' };
const definitions = { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' };
const foos = { group: 'example.com', version: 'v1', resource: 'foos' };
const namespace = 'default';

t.test('what a custom resource owns goes with it, even when its definition goes too', async t => {
  const { client } = await runningServer(t, { parts: [kubernetesControllers(() => true)] });
  await client.create(definitions, {
    ...{
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'foos.example.com' },
    },
    spec: {
      ...{ group: 'example.com', scope: 'Namespaced', names: { plural: 'foos', kind: 'Foo' } },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  });
  await until(
    'the kind',
    async () => (await find(client, foos, { namespace, name: 'x' }).catch(() => null)) === undefined,
  );
  const foo = { apiVersion: 'example.com/v1', kind: 'Foo', metadata: { name: 'owner', namespace } };
  let uid = '';
  await until(
    'a Foo',
    async () => (uid = String((await client.create(foos, foo).catch(() => undefined))?.metadata.uid ?? '')) !== '',
  );
  await client.create(maps, {
    ...{ apiVersion: 'v1', kind: 'ConfigMap' },
    metadata: {
      ...{ name: 'owned', namespace },
      ownerReferences: [{ apiVersion: 'example.com/v1', kind: 'Foo', name: 'owner', uid }],
    },
  });
  await client.delete(definitions, { name: 'foos.example.com' });
  await until(
    'the ConfigMap to go',
    async () => (await find(client, maps, { namespace, name: 'owned' })) === undefined,
  );
});
