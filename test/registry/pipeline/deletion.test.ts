import t from 'tap';
import type { DeleteOptions } from '../../../client/interface.js';
import { configMap, configmaps, deployment, deployments, namespaces, refusal, serve } from '../serve.js';

const a = { namespace: 'default', name: 'a' };
const finalizers = (...names: readonly string[]): Record<string, unknown> => ({ metadata: { finalizers: names } });

t.test('finalizers keep a deleted object until the last is gone', async t => {
  const { client } = await serve(t);
  await client.create(deployments, {
    ...deployment('a'),
    metadata: { name: 'a', namespace: 'default', finalizers: ['example.com/x', 'example.com/y'] },
  });
  await client.delete(deployments, a);
  const terminating = await client.get(deployments, a);
  t.match(terminating.metadata, {
    deletionTimestamp: '2026-01-01T00:00:00Z',
    deletionGracePeriodSeconds: 0,
    generation: 2,
  });
  await client.delete(deployments, a);
  t.equal(await client.get(deployments, a), terminating, 'a second deletion changes nothing');
  t.equal(
    await refusal(client.create(deployments, deployment('a'))),
    '409 AlreadyExists: object is being deleted: deployments.apps "a" already exists',
  );
  t.equal(
    await refusal(client.create(deployments, deployment('a'), { dryRun: true })),
    '409 AlreadyExists: object is being deleted: deployments.apps "a" already exists',
  );
  const set = (names: readonly string[]) =>
    client.patch(deployments, a, { type: 'merge', patch: { metadata: { finalizers: names } } });
  t.equal(
    await refusal(set(['example.com/x', 'example.com/z'])),
    '422 Invalid: Deployment.apps "a" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/z"}',
  );
  const left = await set(['example.com/y']);
  t.same(left.metadata.finalizers, ['example.com/y']);
  const last = await set([]);
  t.equal(last.metadata.finalizers, undefined);
  t.equal(last.metadata.resourceVersion, left.metadata.resourceVersion, 'the answer has the last stored version');
  t.equal(await refusal(client.get(deployments, a)), '404 NotFound: deployments.apps "a" not found');
});

t.test('propagation policies set the finalizers', async t => {
  const cases: readonly {
    name: string;
    given: readonly string[];
    options: DeleteOptions;
    expect: readonly string[] | undefined;
  }[] = [
    { name: 'background', given: [], options: {}, expect: undefined },
    { name: 'foreground', given: [], options: { propagationPolicy: 'Foreground' }, expect: ['foregroundDeletion'] },
    { name: 'orphan', given: [], options: { propagationPolicy: 'Orphan' }, expect: ['orphan'] },
    { name: 'an existing finalizer is kept', given: ['orphan'], options: {}, expect: ['orphan'] },
    { name: 'background clears', given: ['orphan'], options: { propagationPolicy: 'Background' }, expect: undefined },
    {
      name: 'one replaces the other',
      given: ['orphan', 'example.com/x'],
      options: { propagationPolicy: 'Foreground' },
      expect: ['example.com/x', 'foregroundDeletion'],
    },
  ];
  const { client } = await serve(t);
  for (const [i, { name, given, options, expect }] of cases.entries()) {
    const key = { namespace: 'default', name: `c${i}` };
    await client.create(configmaps, configMap(key.name, finalizers(...given)));
    await client.delete(configmaps, key, options);
    if (expect) t.same((await client.get(configmaps, key)).metadata.finalizers, expect, name);
    else t.match(await refusal(client.get(configmaps, key)), /^404/, name);
  }
});

t.test('finalizers of the garbage collector are removed before the object is deleted', async t => {
  const { client } = await serve(t);
  const { metadata } = await client.create(configmaps, configMap('a', finalizers('orphan')));
  await client.delete(configmaps, a, { propagationPolicy: 'Background' });
  const { resourceVersion = '' } = metadata;
  const events: unknown[] = [];
  for await (const { type, object } of client.watch(configmaps, { resourceVersion }, new AbortController().signal)) {
    events.push([type, object.metadata.finalizers]);
    if (type === 'DELETED') break;
  }
  t.same(events, [
    ['MODIFIED', undefined],
    ['DELETED', undefined],
  ]);
});

t.test('preconditions of a deletion are checked', async t => {
  const { client } = await serve(t);
  const { metadata } = await client.create(configmaps, configMap('a'));
  t.equal(
    await refusal(client.delete(configmaps, a, { preconditions: { uid: 'x' } })),
    `409 Conflict: Operation cannot be fulfilled on ConfigMap "a": the UID in the precondition (x) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
  );
  t.equal(
    await refusal(client.delete(configmaps, a, { preconditions: { resourceVersion: '1' } })),
    `409 Conflict: Operation cannot be fulfilled on ConfigMap "a": the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`,
  );
  const { uid = '', resourceVersion = '' } = metadata;
  await client.delete(configmaps, a, { preconditions: { uid, resourceVersion } });
  t.match(await refusal(client.get(configmaps, a)), /^404/);
});

t.test('a namespace is marked first and removed with its last finalizer', async t => {
  const { client } = await serve(t);
  const created = await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } });
  t.match(created, { spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } });
  await client.delete(namespaces, { name: 'n' });
  const terminating = await client.get(namespaces, { name: 'n' });
  t.match(terminating, { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' }, status: { phase: 'Terminating' } });
  t.equal(terminating.metadata.deletionGracePeriodSeconds, undefined);
  await client.delete(namespaces, { name: 'n' });
  t.equal(await client.get(namespaces, { name: 'n' }), terminating);
  await client.update(namespaces, { ...terminating, spec: { finalizers: [] } }, { subresource: 'finalize' });
  t.match(await refusal(client.get(namespaces, { name: 'n' })), /^404/);
});

t.test('deletecollection deletes by selectors', async t => {
  const { client } = await serve(t);
  for (let i = 0; i < 40; i++)
    await client.create(configmaps, configMap(`c${i}`, { metadata: { labels: { even: String(i % 2 === 0) } } }));
  await client.deleteCollection(configmaps, { namespace: 'default', labelSelector: 'even=true' });
  const { items } = await client.list(configmaps, { namespace: 'default' });
  t.equal(items.length, 20);
  t.ok(items.every(item => item.metadata.labels?.even === 'false'));
});

t.test('a deletion that only marks an object has its own messages for preconditions', async t => {
  const { client } = await serve(t);
  const { metadata } = await client.create(namespaces, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'n' },
  });
  const key = { name: 'n' };
  t.equal(
    await refusal(client.delete(namespaces, key, { preconditions: { uid: 'x' } })),
    `409 Conflict: Operation cannot be fulfilled on namespaces "n": Precondition failed: UID in precondition: x, UID in object meta: ${metadata.uid}`,
  );
  t.equal(
    await refusal(client.delete(namespaces, key, { preconditions: { resourceVersion: '1' } })),
    `409 Conflict: Operation cannot be fulfilled on namespaces "n": Precondition failed: ResourceVersion in precondition: 1, ResourceVersion in object meta: ${metadata.resourceVersion}`,
  );
});
