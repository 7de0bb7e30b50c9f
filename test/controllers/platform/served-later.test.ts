/** The dependents of owners whose kinds are not served yet. */
import t from 'tap';
import type { KubeObject, OwnerReference } from '../../../apimachinery/interface.js';
import { customResourceDefinitions } from '../../../api/kubernetes/resources.js';
import type { TestServer } from '../../apiserver/running.js';
import { anything, customKind, version } from '../../custom-kinds.js';
import { until } from '../../storage/until.js';
import { absent, collecting, create, gone, mapOf, maps, namespace, nobody, ownersOf } from './collecting.js';

const fooOf = (version: string): OwnerReference => ({
  ...{ apiVersion: `example.com/${version}`, kind: 'Foo', name: 'foo', uid: nobody.replace('4', '5') },
});

/** Creates an object with an owner of a kind that is not served. Resolves when the collector has looked at it. */
async function createWaiting(server: TestServer, name: string, owner: OwnerReference): Promise<KubeObject> {
  const created = await create(server, name, [owner, absent]);
  await until(`${name} was looked at`, async () => String(await ownersOf(server, name)) === owner.name);
  return created;
}

t.test(
  'an object of an absent owner goes once the kind of the owner is served, even if that is not mirrored',
  async t => {
    for (const unwanted of ['Event', 'Foo']) {
      const server = await collecting(t, { unwanted });
      await createWaiting(server, 'orphaned', fooOf('v1'));
      await server.client.create(customResourceDefinitions, customKind('Foo'));
      await gone(server, 'orphaned');
    }
  },
);

t.test('an object of an absent owner goes once the version of its reference is served beside another one', async t => {
  const server = await collecting(t);
  const { client } = server;
  await client.create(customResourceDefinitions, customKind('Foo'));
  const { spec } = customKind('Foo', [version('v1'), version('v1alpha1', anything, { storage: false })]);
  await create(server, 'earlier', [fooOf('v1')]);
  await gone(server, 'earlier');
  await createWaiting(server, 'orphaned', fooOf('v1alpha1'));
  const patch = { spec };
  await client.patch(customResourceDefinitions, { name: 'foos.example.com' }, { type: 'merge', patch });
  await gone(server, 'orphaned');
});

t.test('an object without owners is not looked at when kinds are served', async t => {
  const keys: string[] = [];
  const server = await collecting(t, { onKey: key => keys.push(key) });
  const { client } = server;
  const { metadata } = await createWaiting(server, 'released', fooOf('v1'));
  const patch = { metadata: { ownerReferences: null } };
  await client.patch(maps, { namespace, name: 'released' }, { type: 'merge', patch });
  await createWaiting(server, 'orphaned', fooOf('v1'));
  keys.length = 0;
  await client.create(customResourceDefinitions, customKind('Foo'));
  await gone(server, 'orphaned');
  t.notOk(keys.includes(metadata.uid ?? ''));
  t.ok(await mapOf(server, 'released'));
});
