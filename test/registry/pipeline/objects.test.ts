import t from 'tap';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { configMap, configmaps, deployment, deployments, pod, pods, refusal, serve } from '../serve.js';

const a = { namespace: 'default', name: 'a' };

t.test('the life cycle of an object: create, get, update, patch, delete', async t => {
  const { client } = await serve(t);
  const created = await client.create(configmaps, configMap('a', { data: { k: 'v' } }));
  t.match(created.metadata, {
    name: 'a',
    namespace: 'default',
    uid: /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    creationTimestamp: '2026-01-01T00:00:00Z',
    resourceVersion: /^[0-9]+$/,
  });
  t.equal(await client.get(configmaps, a), created, 'readers share the object of the writer');
  const updated = await client.update(configmaps, { ...created, data: { k: 'w' } });
  t.same(updated.data, { k: 'w' });
  t.ok(Number(updated.metadata.resourceVersion) > Number(created.metadata.resourceVersion));
  t.equal(updated.metadata.uid, created.metadata.uid);
  const patched = await client.patch(configmaps, a, { type: 'merge', patch: { data: { k: null, n: 'm' } } });
  t.same(patched.data, { n: 'm' });
  await client.delete(configmaps, a);
  t.equal(await refusal(client.get(configmaps, a)), '404 NotFound: configmaps "a" not found');
});

t.test('an update without changes is not written', async t => {
  const { client, clock } = await serve(t);
  const created = await client.create(configmaps, configMap('a', { data: { k: 'v' } }));
  clock.now += 60_000;
  const writes: readonly [string, Promise<KubeObject>][] = [
    ['update', client.update(configmaps, created)],
    ['update without resourceVersion', client.update(configmaps, configMap('a', { data: { k: 'v' } }))],
    ['merge patch', client.patch(configmaps, a, { type: 'merge', patch: { data: { k: 'v' } } })],
    ['JSON patch', client.patch(configmaps, a, { type: 'json', patch: [{ op: 'test', path: '/data/k', value: 'v' }] })],
  ];
  for (const [name, write] of writes)
    t.equal((await write).metadata.resourceVersion, created.metadata.resourceVersion, name);
});

t.test('a create validates and completes the object', async t => {
  const { client } = await serve(t);
  await client.create(configmaps, configMap('taken'));
  const cases: readonly { name: string; given: KubeObject; expect: string }[] = [
    { name: 'exists', given: configMap('taken'), expect: '409 AlreadyExists: configmaps "taken" already exists' },
    {
      name: 'no name',
      given: configMap(''),
      expect: '422 Invalid: ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
    },
    {
      name: 'resourceVersion',
      given: configMap('a', { metadata: { resourceVersion: '1' } }),
      expect: '500 : resourceVersion should not be set on objects to be created',
    },
    {
      name: 'finalizer without a domain',
      given: configMap('a', { metadata: { finalizers: ['mine'] } }),
      expect:
        '422 Invalid: ConfigMap "a" is invalid: metadata.finalizers[0]: Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified',
    },
    {
      name: 'two controllers',
      given: configMap('a', {
        metadata: {
          ownerReferences: [
            { apiVersion: 'v1', kind: 'A', name: 'o', uid: 'u', controller: true },
            { apiVersion: 'v1', kind: 'B', name: 'p', uid: 'v', controller: true },
          ],
        },
      }),
      expect:
        '422 Invalid: ConfigMap "a" is invalid: metadata.ownerReferences: Invalid value: [{"apiVersion":"v1","kind":"A","name":"o","uid":"u","controller":true},{"apiVersion":"v1","kind":"B","name":"p","uid":"v","controller":true}]: Only one reference can have Controller set to true. Found "true" in references for A/o and B/p',
    },
    {
      name: 'too many annotations',
      given: configMap('a', { metadata: { annotations: { a: 'x'.repeat(262144) } } }),
      expect:
        '422 Invalid: ConfigMap "a" is invalid: metadata.annotations: Too long: may not be more than 262144 bytes',
    },
  ];
  for (const { name, given, expect } of cases) t.equal(await refusal(client.create(configmaps, given)), expect, name);
  const sent = {
    uid: 'x',
    creationTimestamp: '2000-01-01T00:00:00Z',
    deletionTimestamp: '2000-01-01T00:00:00Z',
    generation: 5,
  };
  const { metadata } = await client.create(configmaps, configMap('b', { metadata: sent }));
  t.not(metadata.uid, 'x');
  t.equal(metadata.creationTimestamp, '2026-01-01T00:00:00Z');
  t.equal(metadata.deletionTimestamp, undefined);
  t.equal(metadata.generation, 5, 'a kind without generation rules keeps the given generation');
});

t.test('an empty resourceVersion is allowed on create', async t => {
  const { client } = await serve(t);
  for (const [i, resourceVersion] of ['0', 'abc', '-1', ''].entries()) {
    const made = await client.create(configmaps, configMap(`v${i}`, { metadata: { resourceVersion } }));
    t.match(made.metadata.resourceVersion, /^[1-9]/, resourceVersion);
  }
  const refused = client.create(configmaps, configMap('v', { metadata: { resourceVersion: '7' } }));
  t.equal(await refusal(refused), '500 : resourceVersion should not be set on objects to be created');
});

t.test('duplicate owner references are dropped with a warning', async t => {
  const { client, warnings } = await serve(t);
  const owner = { apiVersion: 'v1', kind: 'A', name: 'o', uid: 'u' };
  const { metadata } = await client.create(
    configmaps,
    configMap('a', { metadata: { ownerReferences: [owner, { ...owner }] } }),
  );
  t.same(metadata.ownerReferences, [owner]);
  t.match(warnings, [/^\.metadata\.ownerReferences contains duplicate entries; .* duplicate UID\(s\) observed: u$/]);
});

t.test('generateName retries with other names', async t => {
  const { client } = await serve(t, { random: size => new Uint8Array(size) });
  const generated = (): KubeObject => configMap('', { metadata: { generateName: 'g-' } });
  const first = await client.create(configmaps, generated());
  t.equal(first.metadata.name, 'g-bbbbb');
  t.equal(first.metadata.generateName, 'g-');
  t.equal(
    await refusal(client.create(configmaps, generated())),
    '409 AlreadyExists: configmaps "g-bbbbb" already exists, the server was not able to generate a unique name for the object',
  );
});

t.test('the generation follows the spec', async t => {
  const { client } = await serve(t);
  const created = await client.create(deployments, { ...deployment('a'), status: { replicas: 7 } });
  t.equal(created.metadata.generation, 1);
  t.same(created.status, {}, 'status is dropped on create');
  const steps: readonly { name: string; patch: Record<string, unknown>; expect: number }[] = [
    { name: 'spec', patch: { spec: { replicas: 3 } }, expect: 2 },
    { name: 'label', patch: { metadata: { labels: { a: 'b' } } }, expect: 2 },
    { name: 'annotation', patch: { metadata: { annotations: { a: 'b' } } }, expect: 3 },
    { name: 'status through the main endpoint', patch: { status: { replicas: 3 } }, expect: 3 },
  ];
  for (const { name, patch, expect } of steps) {
    const patched = await client.patch(deployments, a, { type: 'merge', patch });
    t.equal(patched.metadata.generation, expect, name);
    t.same(patched.status, {}, name);
  }
  const status = { type: 'merge', patch: { spec: { replicas: 9 }, status: { replicas: 3 } } } as const;
  const updated = await client.patch(deployments, a, status, { subresource: 'status' });
  t.match(updated, { metadata: { generation: 3 }, spec: { replicas: 3 }, status: { replicas: 3 } });
  t.same(
    updated.metadata.managedFields?.map(entry => [entry.manager, entry.subresource]),
    [
      ['test', undefined],
      ['test', 'status'],
    ],
  );
});

t.test('an update refuses conflicts and restores immutable fields', async t => {
  const { client } = await serve(t);
  const created = await client.create(configmaps, configMap('a', { data: { k: 'v' } }));
  const changed = await client.update(configmaps, { ...created, data: { k: 'w' } });
  const cases: readonly { name: string; given: KubeObject; expect: string | RegExp }[] = [
    {
      name: 'stale',
      given: created,
      expect:
        '409 Conflict: Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
    },
    {
      name: 'other uid',
      given: configMap('a', { metadata: { uid: 'x' } }),
      expect:
        /^409 Conflict: Operation cannot be fulfilled on configmaps "a": StorageError: invalid object, Code: 4, Key: \/registry\/configmaps\/default\/a, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: x, UID in object meta: [0-9a-f-]+$/,
    },
    { name: 'missing', given: configMap('none'), expect: '404 NotFound: configmaps "none" not found' },
  ];
  for (const { name, given, expect } of cases) t.match(await refusal(client.update(configmaps, given)), expect, name);
  const { metadata } = await client.update(
    configmaps,
    configMap('a', { metadata: { creationTimestamp: '2000-01-01T00:00:00Z' } }),
  );
  t.equal(metadata.creationTimestamp, changed.metadata.creationTimestamp);
  t.equal(metadata.uid, changed.metadata.uid);
});

t.test('a patch is retried after a conflict', async t => {
  const { client } = await serve(t);
  await client.create(configmaps, configMap('a'));
  const keys = Array.from({ length: 50 }, (_, i) => `k${i}`);
  await Promise.all(keys.map(key => client.patch(configmaps, a, { type: 'merge', patch: { data: { [key]: 'v' } } })));
  const { data } = await client.get(configmaps, a);
  t.same(Object.keys(data as object).sort(), [...keys].sort());
});

t.test('a dry run stores nothing', async t => {
  const { client } = await serve(t);
  const dry = await client.create(configmaps, configMap('a', { data: { k: 'v' } }), { dryRun: true });
  t.match(dry, { metadata: { name: 'a', uid: /./ }, data: { k: 'v' } });
  t.equal(dry.metadata.resourceVersion, undefined);
  t.equal(await refusal(client.get(configmaps, a)), '404 NotFound: configmaps "a" not found');
  const created = await client.create(configmaps, configMap('a'));
  const patched = await client.patch(configmaps, a, { type: 'merge', patch: { data: { k: 'v' } } }, { dryRun: true });
  t.match(patched, { metadata: { resourceVersion: created.metadata.resourceVersion }, data: { k: 'v' } });
  await client.delete(configmaps, a, { dryRun: true });
  t.equal(await client.get(configmaps, a), created);
});

t.test('the scale subresource reads and writes replicas', async t => {
  const { client } = await serve(t);
  await client.create(deployments, deployment('a'));
  const scale = await client.get(deployments, a, { subresource: 'scale' });
  t.match(scale, {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name: 'a', namespace: 'default' },
    spec: { replicas: 1 },
    status: { replicas: 0, selector: 'app=a' },
  });
  const scaled = await client.update(
    deployments,
    { ...scale, spec: { replicas: 5 } },
    { subresource: 'scale', fieldManager: 'scaler' },
  );
  t.same(scaled.spec, { replicas: 5 });
  const whole = await client.get(deployments, a);
  t.match(whole, { spec: { replicas: 5 }, metadata: { generation: 2 } });
  const [entry] = whole.metadata.managedFields?.filter(each => each.manager === 'scaler') ?? [];
  t.same(entry, {
    manager: 'scaler',
    operation: 'Update',
    apiVersion: 'apps/v1',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:spec': { 'f:replicas': {} } },
    subresource: 'scale',
  });
  t.equal(
    await refusal(
      client.patch(deployments, a, { type: 'merge', patch: { spec: { replicas: -1 } } }, { subresource: 'scale' }),
    ),
    '422 Invalid: Scale.autoscaling "a" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
  );
});

t.test('server-side apply creates, merges and has conflicts with other managers', async t => {
  const { client } = await serve(t);
  const apply = (manager: string, data: object, force = false): Promise<KubeObject> =>
    client.patch(
      configmaps,
      a,
      { type: 'apply', patch: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data }, force },
      { fieldManager: manager },
    );
  t.same((await apply('alice', { k: 'v' })).data, { k: 'v' });
  t.same((await apply('bob', { n: 'm' })).data, { k: 'v', n: 'm' });
  t.equal(
    await refusal(apply('bob', { k: 'w' })),
    '409 Conflict: Apply failed with 1 conflict: conflict with "alice": .data.k',
  );
  t.same((await apply('bob', { k: 'w' }, true)).data, { k: 'w' });
});

t.test('pods are deleted gracefully', async t => {
  const { client, clock } = await serve(t);
  const scheduled = await client.create(pods, pod('a', { nodeName: 'n', terminationGracePeriodSeconds: 30 }));
  await client.delete(pods, a);
  const terminating = await client.get(pods, a);
  t.match(terminating.metadata, {
    deletionTimestamp: '2026-01-01T00:00:30Z',
    deletionGracePeriodSeconds: 30,
    generation: (scheduled.metadata.generation ?? 0) + 1,
  });
  await client.delete(pods, a, { gracePeriodSeconds: 60 });
  t.equal(await client.get(pods, a), terminating, 'the grace period never grows');
  clock.now += 10_000;
  await client.delete(pods, a, { gracePeriodSeconds: 15 });
  t.match((await client.get(pods, a)).metadata, {
    deletionTimestamp: '2026-01-01T00:00:15Z',
    deletionGracePeriodSeconds: 15,
  });
  await client.delete(pods, a, { gracePeriodSeconds: 0 });
  t.equal(await refusal(client.get(pods, a)), '404 NotFound: pods "a" not found');

  await client.create(pods, { ...pod('a', {}), metadata: { name: 'a', namespace: 'default', finalizers: ['x.io/y'] } });
  await client.delete(pods, a);
  const over = await client.get(pods, a);
  t.match(over.metadata, { deletionGracePeriodSeconds: 0 }, 'without a node, at once');
  for (const options of [{ propagationPolicy: 'Foreground' }, { gracePeriodSeconds: 0 }, {}] as const) {
    await client.delete(pods, a, options);
    t.equal(await client.get(pods, a), over, 'it does not change any more, not even its finalizers');
  }
});

t.test('keys with the names of Object.prototype members are ordinary keys', async t => {
  const { client } = await serve(t);
  const secrets = { group: '', version: 'v1', resource: 'secrets' };
  const stringData = JSON.parse('{"__proto__": "a", "constructor": "b"}') as Record<string, string>;
  const metadata = { name: 's', namespace: 'default' };
  const { data } = await client.create(secrets, { apiVersion: 'v1', kind: 'Secret', metadata, stringData });
  t.same(Object.entries(data as object), [
    ['__proto__', 'YQ=='],
    ['constructor', 'Yg=='],
  ]);
});
