import t from 'tap';
import { kubernetesControllers } from '../../../cli/parts/kubernetes-controllers.js';
import { find } from '../../../client/find.js';
import { runningServer } from '../../apiserver/running.js';
import { customKind, version } from '../../custom-kinds.js';
import { until } from '../../storage/until.js';

const maps = { group: '', version: 'v1', resource: 'configmaps' };
const definitions = { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' };
const foos = { group: 'example.com', version: 'v1', resource: 'foos' };
const namespace = 'default';

interface Owner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

const nobody = '00000000-0000-4000-8000-000000000000';

t.test('dependents of a custom resource are deleted with it, even if its CRD is deleted, too', async t => {
  const { client } = await runningServer(t, { parts: [kubernetesControllers(() => true)] });
  await client.create(definitions, customKind('Foo', [version('v1', { type: 'object' })]));
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
  const create = (name: string, owner: Owner): Promise<unknown> =>
    client.create(maps, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace, ownerReferences: [owner] },
    });
  const isThere = async (name: string): Promise<boolean> =>
    (await find(client, maps, { namespace, name })) !== undefined;
  const gone = (name: string): Promise<void> => until(`${name} to go`, async () => !(await isThere(name)));
  const owner = { apiVersion: 'example.com/v1', kind: 'Foo', name: 'owner', uid };

  await create('owned', owner);
  await client.delete(definitions, { name: 'foos.example.com' });
  await gone('owned');

  // The collector knows that the kind is not served when it keeps an object whose owner it has never seen.
  let rounds = 0;
  await until('the kind to be forgotten', async () => {
    const round = ++rounds;
    await create(`stranger-${round}`, { ...owner, name: 'stranger', uid: nobody });
    await create(`lost-${round}`, { apiVersion: 'v1', kind: 'ConfigMap', name: 'nobody', uid: nobody });
    await gone(`lost-${round}`);
    return isThere(`stranger-${round}`);
  });
  await create('late', owner);
  await gone('late');
});
