/** How a namespace is emptied, and what its conditions say. as pkg/controller/namespace/deletion */
import t, { type Test } from 'tap';
import { methodNotAllowed, pathNotFound } from '../../../apimachinery/errors/status.js';
import type { Condition } from '../../../api/karmada/types.js';
import { find } from '../../../client/find.js';
import type { Client } from '../../../client/interface.js';
import { isDeletable, mirrorResources } from '../../../client/runtime/mirrors/mirrors.js';
import { startNamespaceController } from '../../../controllers/platform/namespace.js';
import { core, object } from '../../aggregation/fleet.js';
import type { TestServer } from '../../apiserver/running.js';
import { until } from '../../storage/until.js';
import { runningControllers, withVerbs } from '../one-controller.js';

const [namespaces, maps, secrets, pods] = [core('namespaces'), core('configmaps'), core('secrets'), core('pods')];
const namespace = 'doomed';

const emptying = async (t: Test, wrap?: (client: Client) => Client): Promise<TestServer> => {
  const server = await runningControllers(
    t,
    async context => {
      const mirrors = await mirrorResources(context, { wants: kind => isDeletable(kind) && kind.kind !== 'Event' });
      startNamespaceController(context, mirrors);
    },
    wrap && { wrap },
  );
  await server.client.create(namespaces, object('v1', 'Namespace', namespace));
  return server;
};

const create = ({ client }: TestServer, kind: 'ConfigMap' | 'Secret', name: string, finalizers: string[] = []) =>
  client.create(kind === 'Secret' ? secrets : maps, object('v1', kind, name, { metadata: { namespace, finalizers } }));

const conditionOf = async ({ client }: TestServer, type: string): Promise<Condition | undefined> => {
  const { status } = await client.get(namespaces, { name: namespace });
  return (status as { conditions?: Condition[] }).conditions?.find(condition => condition.type === type);
};

const isGone = ({ client }: TestServer): Promise<void> =>
  until('the namespace goes', async () => (await find(client, namespaces, { name: namespace })) === undefined);

t.test('the conditions count what is left and its finalizers, sorted', async t => {
  const server = await emptying(t);
  const { client } = server;
  await create(server, 'Secret', 's', ['example.com/b', 'example.com/a']);
  for (const name of ['m1', 'm2']) await create(server, 'ConfigMap', name, ['example.com/b']);
  await create(server, 'ConfigMap', 'free');
  await client.delete(namespaces, { name: namespace });
  await until('the free one goes', async () => (await find(client, maps, { namespace, name: 'free' })) === undefined);
  const expect = {
    NamespaceContentRemaining:
      'Some resources are remaining: configmaps. has 2 resource instances, secrets. has 1 resource instances',
    NamespaceFinalizersRemaining:
      'Some content in the namespace has finalizers remaining: example.com/a in 1 resource instances, example.com/b in 3 resource instances',
  };
  for (const [type, message] of Object.entries(expect))
    await until(`${type} says it`, async () => (await conditionOf(server, type))?.message === message);
  t.match(await conditionOf(server, 'NamespaceDeletionContentFailure'), { status: 'False', reason: 'ContentDeleted' });
  const patch = { metadata: { finalizers: null } };
  await client.patch(secrets, { namespace, name: 's' }, { type: 'merge', patch });
  for (const name of ['m1', 'm2']) await client.patch(maps, { namespace, name }, { type: 'merge', patch });
  await isGone(server);
});

t.test('nothing else is deleted before the Pods are gone', async t => {
  const server = await emptying(t);
  const { client } = server;
  await create(server, 'ConfigMap', 'used');
  const metadata = { namespace, finalizers: ['example.com/hold'] };
  const spec = { containers: [{ name: 'c', image: 'busybox' }] };
  await client.create(pods, object('v1', 'Pod', 'p', { metadata, spec }));
  await client.delete(namespaces, { name: namespace });
  await until(
    'the Pod holds the namespace',
    async () => (await conditionOf(server, 'NamespaceFinalizersRemaining'))?.status === 'True',
  );
  t.equal((await find(client, maps, { namespace, name: 'used' }))?.metadata.deletionTimestamp, undefined);
  await client.patch(pods, { namespace, name: 'p' }, { type: 'merge', patch: { metadata: { finalizers: null } } });
  await isGone(server);
});

t.test('objects of a server that cannot delete collections are deleted one by one', async t => {
  const refusals: Partial<Record<string, Error>> = { configmaps: methodNotAllowed(), secrets: pathNotFound() };
  const server = await emptying(t, client => {
    const deleteCollection: Client['deleteCollection'] = (resource, query, options) => {
      const refusal = refusals[resource.resource];
      return refusal ? Promise.reject(refusal) : client.deleteCollection(resource, query, options);
    };
    return withVerbs(client, { deleteCollection });
  });
  for (const name of ['m1', 'm2']) await create(server, 'ConfigMap', name);
  await create(server, 'Secret', 's');
  await server.client.delete(namespaces, { name: namespace });
  await isGone(server);
});

t.test('what has no mirror, or is deleted one by one, is listed in pages', async t => {
  const lengths: number[] = [];
  const server = await emptying(t, client =>
    withVerbs(client, {
      deleteCollection: (resource, query, options) =>
        resource.resource === 'events'
          ? Promise.reject(methodNotAllowed())
          : client.deleteCollection(resource, query, options),
      async list(resource, query) {
        const list = await client.list(resource, query);
        if (query?.namespace === namespace) lengths.push(list.items.length);
        return list;
      },
    }),
  );
  const { client } = server;
  const involvedObject = { kind: 'ConfigMap', name: 'm', namespace };
  for (let i = 0; i < 510; i++)
    await client.create(core('events'), object('v1', 'Event', `e${i}`, { metadata: { namespace }, involvedObject }));
  await client.delete(namespaces, { name: namespace });
  await isGone(server);
  t.equal(Math.max(...lengths), 500);
});

t.test('a deletion that is refused keeps the namespace, and is told', async t => {
  const server = await emptying(t);
  const { client } = server;
  await create(server, 'ConfigMap', 'kept');
  await create(server, 'Secret', 's');
  const admission = (resource: string) => ({ group: 'admissionregistration.k8s.io', version: 'v1', resource });
  const resourceRules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['DELETE'], resources: ['configmaps'] }];
  const policies = admission('validatingadmissionpolicies');
  const bindings = admission('validatingadmissionpolicybindings');
  const apiVersion = 'admissionregistration.k8s.io/v1';
  const validations = [{ expression: `request.namespace != '${namespace}'`, message: 'it is kept' }];
  await client.create(
    policies,
    object(apiVersion, 'ValidatingAdmissionPolicy', 'keep', {
      spec: { matchConstraints: { resourceRules }, validations },
    }),
  );
  const spec = { policyName: 'keep', validationActions: ['Deny'] };
  await client.create(bindings, object(apiVersion, 'ValidatingAdmissionPolicyBinding', 'keep', { spec }));
  await until('the policy works', () =>
    client.delete(maps, { namespace, name: 'kept' }, { dryRun: true }).then(
      () => false,
      (error: unknown) => String(error).includes('it is kept'),
    ),
  );
  await client.delete(namespaces, { name: namespace });
  await until(
    'the condition',
    async () => (await conditionOf(server, 'NamespaceDeletionContentFailure'))?.status === 'True',
  );
  t.match(await conditionOf(server, 'NamespaceDeletionContentFailure'), {
    reason: 'ContentDeletionFailed',
    message: /^Failed to delete all resource types, 1 remaining: .*it is kept/,
  });
  t.equal(await find(client, secrets, { namespace, name: 's' }), undefined, 'other objects are deleted');
  await client.delete(bindings, { name: 'keep' });
  await isGone(server);
});

t.test('objects that are deleted already are not deleted again for each one that goes', async t => {
  const asked = { deletions: 0, lists: 0 };
  const server = await emptying(t, client =>
    withVerbs(client, {
      deleteCollection(resource, query, options) {
        if (resource.resource === 'configmaps') asked.deletions++;
        return client.deleteCollection(resource, query, options);
      },
      list(resource, query) {
        if (resource.resource === 'configmaps' && query?.namespace === namespace) asked.lists++;
        return client.list(resource, query);
      },
    }),
  );
  const { client } = server;
  const names = Array.from({ length: 30 }, (_, i) => `m${i}`);
  for (const name of names) await create(server, 'ConfigMap', name, ['example.com/hold']);
  await client.delete(namespaces, { name: namespace });
  await until('the condition counts them', async () =>
    /hold in 30 /.test((await conditionOf(server, 'NamespaceFinalizersRemaining'))?.message ?? ''),
  );
  for (const name of names) {
    await client.patch(maps, { namespace, name }, { type: 'merge', patch: { metadata: { finalizers: null } } });
    await until(`${name} is seen to go`, async () => (await find(client, maps, { namespace, name })) === undefined);
  }
  await isGone(server);
  t.ok(asked.deletions < 10, `${asked.deletions} deletions of the collection`);
  t.ok(asked.lists < 10, `${asked.lists} lists`);
});
