/** The decisions of the garbage collector. as pkg/controller/garbagecollector attemptToDeleteItem and orphanDependents */
import t from 'tap';
import type { KubeObject, OwnerReference } from '../../../apimachinery/interface.js';
import { forbidden } from '../../../apimachinery/errors/status.js';
import { find } from '../../../client/find.js';
import type { Client, DeleteOptions } from '../../../client/interface.js';
import { core, object, rbac } from '../../aggregation/fleet.js';
import type { TestServer } from '../../apiserver/running.js';
import { until } from '../../storage/until.js';
import { withVerbs } from '../one-controller.js';
import { absent, collecting, create, gone, mapOf, maps, namespace, nobody, ownersOf, reference } from './collecting.js';

const [secrets, namespaces, events] = [core('secrets'), core('namespaces'), core('events')];
const roles = rbac('clusterroles');

const blocking = (owner: KubeObject): OwnerReference => reference(owner, { blockOwnerDeletion: true });

const deleteMap = ({ client }: TestServer, name: string, propagationPolicy: DeleteOptions['propagationPolicy']) =>
  client.delete(maps, { namespace, name }, { ...(propagationPolicy && { propagationPolicy }) });

t.test('an object goes when none of its owners exists, and loses its references to the absent ones before', async t => {
  const server = await collecting(t);
  const { client } = server;
  const owner = await create(server, 'owner');
  const role = await client.create(roles, object('rbac.authorization.k8s.io/v1', 'ClusterRole', 'r', { rules: [] }));
  await client.create(namespaces, object('v1', 'Namespace', 'other'));
  await client.create(secrets, object('v1', 'Secret', 'elsewhere', { metadata: { namespace: 'other' } }));
  const elsewhere = await client.get(secrets, { namespace: 'other', name: 'elsewhere' });

  const table: { name: string; given: OwnerReference[]; expect: string[] | 'gone' }[] = [
    { name: 'one-exists', given: [absent, reference(owner)], expect: ['owner'] },
    { name: 'of-a-cluster-scoped-one', given: [reference(role)], expect: ['r'] },
    { name: 'none-exists', given: [absent, { ...absent, name: 'nobody-else' }], expect: 'gone' },
    { name: 'of-a-former-object', given: [reference(owner, { uid: nobody })], expect: 'gone' },
    { name: 'of-another-namespace', given: [reference(elsewhere)], expect: 'gone' },
    {
      name: 'of-an-unknown-kind',
      given: [absent, { apiVersion: 'example.com/v1', kind: 'Foo', name: 'foo', uid: nobody.replace('4', '5') }],
      expect: ['foo'],
    },
  ];
  for (const { name, given } of table) await create(server, name, given);
  for (const { name, expect } of table)
    if (expect === 'gone') await gone(server, name);
    else await until(`${name} to be cleaned`, async () => String(await ownersOf(server, name)) === String(expect));
});

const misplaced = async ({ client }: TestServer): Promise<string[]> => {
  const { items } = await client.list(events);
  return items.filter(event => event['reason'] === 'OwnerRefInvalidNamespace').map(event => String(event['message']));
};

t.test('a cluster-scoped object with a namespaced owner stays, and an Event says why', async t => {
  const server = await collecting(t);
  const { client } = server;
  const owner = await create(server, 'owner');
  const dying = await create(server, 'dying', [], { finalizers: ['example.com/hold'] });
  const metadata = { ownerReferences: [reference(owner), blocking(dying)] };
  await client.create(roles, object('rbac.authorization.k8s.io/v1', 'ClusterRole', 'r', { rules: [], metadata }));
  await until('the Events', async () => new Set(await misplaced(server)).size === 2);
  await deleteMap(server, 'owner', 'Background');
  await deleteMap(server, 'dying', 'Foreground');
  await create(server, 'later', [absent]);
  await gone(server, 'later');
  t.same((await find(client, roles, { name: 'r' }))?.metadata.ownerReferences?.length, 2);
});

t.test(
  'an object goes when its owner is in another namespace, even during a deletion, and an Event says why',
  async t => {
    const server = await collecting(t);
    const { client } = server;
    await client.create(namespaces, object('v1', 'Namespace', 'other'));
    for (const name of ['elsewhere', 'dying']) {
      const metadata = { namespace: 'other', finalizers: ['example.com/hold'] };
      const owner = await client.create(maps, object('v1', 'ConfigMap', name, { metadata }));
      if (name === 'dying')
        await client.delete(maps, { namespace: 'other', name }, { propagationPolicy: 'Foreground' });
      await create(server, `of-${name}`, [reference(owner)]);
      await gone(server, `of-${name}`);
      const text = `ownerRef [v1/ConfigMap, namespace: default, name: ${name}, uid: ${owner.metadata.uid}] does not exist in namespace "default"`;
      await until('the Event', async () => (await misplaced(server)).includes(text));
    }
    await create(server, 'of-nobody', [absent]);
    await gone(server, 'of-nobody');
    t.equal(new Set(await misplaced(server)).size, 2);
  },
);

t.test('a foreground deletion waits for the dependents that block it, and for no others', async t => {
  const server = await collecting(t);
  const owner = await create(server, 'owner');
  const other = await create(server, 'other');
  const finalizers = ['example.com/hold'];
  await create(server, 'held', [blocking(owner)], { finalizers });
  await create(server, 'loose', [reference(owner)], { finalizers });
  await create(server, 'shared', [blocking(owner), reference(other)]);
  await deleteMap(server, 'owner', 'Foreground');
  const isDeleted = async (name: string): Promise<boolean> =>
    (await mapOf(server, name))?.metadata.deletionTimestamp !== undefined;
  await until('the blocking dependent is deleted', () => isDeleted('held'));
  await until('the shared one is released', async () => String(await ownersOf(server, 'shared')) === 'other');
  t.same((await mapOf(server, 'owner'))?.metadata.finalizers, ['foregroundDeletion']);
  const patch = { metadata: { finalizers: null } };
  await server.client.patch(maps, { namespace, name: 'held' }, { type: 'merge', patch });
  await gone(server, 'owner');
  await until('the other dependent is deleted after its owner', () => isDeleted('loose'));
  t.ok(await mapOf(server, 'shared'));
});

t.test('a foreground deletion goes on when its last blocking dependent does not block it any more', async t => {
  const server = await collecting(t);
  const other = await create(server, 'other');
  const table: { name: string; change: (owner: KubeObject) => object; finalizers: string[] }[] = [
    // The collector takes the owner from this dependent, since it has another one.
    { name: 'shared', change: () => ({}), finalizers: [] },
    { name: 'released', change: () => ({ ownerReferences: null }), finalizers: ['example.com/hold'] },
    { name: 'unblocked', change: owner => ({ ownerReferences: [reference(owner)] }), finalizers: ['example.com/hold'] },
  ];
  for (const { name, change, finalizers } of table) {
    const owner = await create(server, `${name}-owner`);
    const owners = name === 'shared' ? [blocking(owner), reference(other)] : [blocking(owner)];
    await create(server, name, owners, { finalizers });
    await deleteMap(server, `${name}-owner`, 'Foreground');
    if (name !== 'shared')
      await until(
        `${name} is deleted`,
        async () => (await mapOf(server, name))?.metadata.deletionTimestamp !== undefined,
      );
    const patch = { metadata: change(owner) };
    await server.client.patch(maps, { namespace, name }, { type: 'merge', patch });
    await gone(server, `${name}-owner`);
  }
  t.same(await ownersOf(server, 'shared'), ['other']);
});

t.test('objects that own each other are deleted in the foreground', async t => {
  const server = await collecting(t);
  const first = await create(server, 'first');
  const second = await create(server, 'second', [blocking(first)]);
  const patch = { metadata: { ownerReferences: [blocking(second)] } };
  await server.client.patch(maps, { namespace, name: 'first' }, { type: 'merge', patch });
  await deleteMap(server, 'first', 'Foreground');
  await gone(server, 'first');
  await gone(server, 'second');
});

t.test('a cycle of objects that nobody else owns stays while one of them exists, and goes with it', async t => {
  const server = await collecting(t);
  const [a, b, c] = [await create(server, 'a'), await create(server, 'b'), await create(server, 'c')];
  for (const [name, owner] of [
    ['a', b],
    ['b', c],
    ['c', a],
  ] as const) {
    const patch = { metadata: { ownerReferences: [reference(owner)] } };
    await server.client.patch(maps, { namespace, name }, { type: 'merge', patch });
  }
  await create(server, 'later', [absent]);
  await gone(server, 'later');
  t.same(await ownersOf(server, 'c'), ['a']);
  await deleteMap(server, 'b', 'Background');
  for (const name of ['a', 'b', 'c']) await gone(server, name);
});

t.test('what the finalizers of a collected object say about its own dependents', async t => {
  const server = await collecting(t);
  const table: { name: string; finalizers: string[]; propagation: 'Background' | 'Foreground'; stays: boolean }[] = [
    { name: 'plain', finalizers: [], propagation: 'Background', stays: false },
    { name: 'orphaning', finalizers: ['orphan'], propagation: 'Background', stays: true },
    // The owner waits for all below it, so that the deletion in the foreground goes on downwards.
    { name: 'orphaning-below-foreground', finalizers: ['orphan'], propagation: 'Foreground', stays: false },
  ];
  for (const { name, finalizers, propagation, stays } of table) {
    const owner = await create(server, `${name}-owner`);
    const middle = await create(server, `${name}-middle`, [blocking(owner)], { finalizers });
    await create(server, `${name}-leaf`, [blocking(middle)]);
    await deleteMap(server, `${name}-owner`, propagation);
    await gone(server, `${name}-middle`);
    await gone(server, `${name}-owner`);
    if (stays) t.same(await ownersOf(server, `${name}-leaf`), [], name);
    else await gone(server, `${name}-leaf`);
    t.equal((await mapOf(server, `${name}-leaf`)) !== undefined, stays, name);
  }
});

/** Returns a client before whose writes of an object another user writes to its metadata, up to a number of times. */
function overtaken(verb: 'update' | 'delete', name: string, changed: object, times: number) {
  let left = times;
  return (client: Client): Client => {
    const overtake = async (written: string | undefined): Promise<void> => {
      if (written !== name || left === 0) return;
      left--;
      const patch = { metadata: { annotations: { turn: String(left) }, ...changed } };
      await client.patch(maps, { namespace, name }, { type: 'merge', patch });
    };
    const update: Client['update'] = async (resource, written, options) => {
      await overtake(written.metadata.name);
      return client.update(resource, written, options);
    };
    const remove: Client['delete'] = async (resource, key, options) => {
      await overtake(key.name);
      return client.delete(resource, key, options);
    };
    return withVerbs(client, verb === 'update' ? { update } : { delete: remove });
  };
}

t.test('an object whose owners are removed just before its deletion stays', async t => {
  const server = await collecting(t, { wrap: overtaken('delete', 'kept', { ownerReferences: null }, 1) });
  await create(server, 'kept', [absent]);
  await until('the owners are removed', async () => (await ownersOf(server, 'kept')).length === 0);
  await create(server, 'later', [absent]);
  await gone(server, 'later');
  t.ok(await mapOf(server, 'kept'));
});

t.test('an object that changes otherwise just before its deletion goes', async t => {
  const server = await collecting(t, { wrap: overtaken('delete', 'changed', {}, 1) });
  await create(server, 'changed', [absent]);
  await gone(server, 'changed');
});

t.test('dependents that others write often are orphaned nevertheless', async t => {
  const server = await collecting(t, { wrap: overtaken('update', 'busy', {}, 5) });
  const owner = await create(server, 'owner');
  await create(server, 'busy', [reference(owner)]);
  await deleteMap(server, 'owner', 'Orphan');
  await gone(server, 'owner');
  t.same(await ownersOf(server, 'busy'), []);
});

t.test('dependents are orphaned in spite of one whose update is refused, and the owner waits for that', async t => {
  let isRefused = true;
  const wrap = (client: Client): Client => {
    const update: Client['update'] = (resource, next, options) =>
      next.metadata.name === 'refused' && isRefused
        ? Promise.reject(forbidden({ group: '', resource: 'configmaps' }, 'refused', 'by a policy'))
        : client.update(resource, next, options);
    return withVerbs(client, { update });
  };
  const server = await collecting(t, { wrap });
  const owner = await create(server, 'owner');
  for (const name of ['refused', 'free']) await create(server, name, [reference(owner)]);
  await deleteMap(server, 'owner', 'Orphan');
  await until('the other one is free', async () => (await ownersOf(server, 'free')).length === 0);
  t.same(await ownersOf(server, 'refused'), ['owner']);
  t.ok(await mapOf(server, 'owner'), 'its owner stays');
  isRefused = false;
  await gone(server, 'owner');
  t.same(await ownersOf(server, 'refused'), []);
});

t.test('dependents are orphaned several at a time, and then their owner goes', async t => {
  const together = 16;
  let [writing, most] = [0, 0];
  let areAllThere = (): void => undefined;
  const all = new Promise<void>(resolve => (areAllThere = resolve));
  const wrap = (client: Client): Client => {
    const update: Client['update'] = async (resource, next, options) => {
      most = Math.max(most, ++writing);
      if (next.metadata.name === 'owner') t.equal(writing, 1, 'all dependents are written before their owner');
      if (writing === together) areAllThere();
      await all;
      const written = await client.update(resource, next, options);
      writing--;
      return written;
    };
    return withVerbs(client, { update });
  };
  const server = await collecting(t, { wrap });
  const owner = await create(server, 'owner');
  const dependents = Array.from({ length: together + 4 }, (_, i) => `dependent-${i}`);
  for (const name of dependents) await create(server, name, [reference(owner)]);
  await deleteMap(server, 'owner', 'Orphan');
  await gone(server, 'owner');
  t.equal(most, together);
  for (const name of dependents) t.same(await ownersOf(server, name), [], name);
});
