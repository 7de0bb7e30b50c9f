/** The functions that patch an object, with patches of every type. */
import t from 'tap';
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { Patch } from '../../../client/interface.js';
import { atOnce } from '../../../lib/time-slice.js';
import { patch, patchedSteps } from '../../../registry/pipeline/patch.js';
import { configMap, configmaps, deployment, deployments, refusal } from '../serve.js';
import { openDeps, write } from './deps.js';

t.test('a patch changes a copy, which shares unchanged parts', async t => {
  const { scope } = await openDeps(t);
  const { schema } = scope(deployments).version;
  const live: KubeObject = {
    ...deployment('a'),
    spec: {
      replicas: 1,
      template: {
        spec: {
          containers: [
            { name: 'c', image: 'a' },
            { name: 'd', image: 'b' },
          ],
        },
      },
    },
  };
  const containers = (object: KubeObject): unknown =>
    (object['spec'] as { template: { spec: { containers: unknown } } }).template.spec.containers;
  const rows: readonly {
    name: string;
    body: Exclude<Patch, { type: 'apply' }>;
    replicas: unknown;
    containers: unknown;
  }[] = [
    {
      name: 'a JSON patch',
      body: {
        type: 'json',
        patch: [
          { op: 'replace', path: '/spec/replicas', value: 2 },
          { op: 'remove', path: '/spec/template/spec/containers/0' },
        ],
      },
      replicas: 2,
      containers: [{ name: 'd', image: 'b' }],
    },
    {
      name: 'a merge patch replaces lists',
      body: { type: 'merge', patch: { spec: { replicas: null, template: { spec: { containers: [{ name: 'e' }] } } } } },
      replicas: undefined,
      containers: [{ name: 'e' }],
    },
    {
      name: 'a strategic merge patch merges lists by their key',
      body: {
        type: 'strategic',
        patch: {
          spec: {
            template: {
              spec: {
                containers: [
                  { name: 'd', image: 'x' },
                  { name: 'c', $patch: 'delete' },
                ],
              },
            },
          },
        },
      },
      replicas: 1,
      containers: [{ name: 'd', image: 'x' }],
    },
  ];
  const before = structuredClone(live);
  for (const { name, body, replicas, containers: expect } of rows) {
    const patched = atOnce(patchedSteps(body, live, schema));
    t.equal((patched['spec'] as { replicas?: unknown }).replicas, replicas, name);
    t.same(containers(patched), expect, name);
    t.equal(patched.metadata, live.metadata, `${name}: the metadata is shared`);
    t.strictSame(live, before, `${name}: the live object is unchanged`);
  }
});

t.test('a patch that cannot be applied is refused, and nothing is written', async t => {
  const { deps, scope, create } = await openDeps(t);
  const created = await create(configmaps, configMap('a', { data: { k: 'v' } }));
  const rows: readonly { name: string; body: Patch; on?: string; expect: string | RegExp }[] = [
    {
      name: 'an object that does not exist',
      body: { type: 'merge', patch: {} },
      on: 'none',
      expect: '404 NotFound: configmaps "none" not found',
    },
    {
      name: 'a path that does not exist',
      body: { type: 'json', patch: [{ op: 'remove', path: '/data/none' }] },
      expect: /^422 Invalid: /,
    },
    {
      name: 'a test that fails',
      body: { type: 'json', patch: [{ op: 'test', path: '/data/k', value: 'w' }] },
      expect: /^422 Invalid: /,
    },
    { name: 'a field of another type', body: { type: 'merge', patch: { data: 'text' } }, expect: /^(400|422) / },
    {
      name: 'an unknown field',
      body: { type: 'merge', patch: { none: 1 } },
      expect: /^(400|422) .*unknown field "none"/,
    },
    { name: 'another name', body: { type: 'merge', patch: { metadata: { name: 'b' } } }, expect: /^(400|422) / },
    {
      name: 'another revision',
      body: { type: 'merge', patch: { metadata: { resourceVersion: '1' }, data: { k: 'w' } } },
      expect:
        '409 Conflict: Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
    },
  ];
  for (const { name, body, on = 'a', expect } of rows)
    t.match(await refusal(patch(deps, scope(configmaps), on, body, write)), expect, name);
  t.same(await deps.clientFor(scope(configmaps).user).get(configmaps, { namespace: 'default', name: 'a' }), created);
});

t.test('an unknown field is dropped with or without a warning', async t => {
  const { deps, scope, create, messages } = await openDeps(t);
  await create(configmaps, configMap('a'));
  const body: Patch = { type: 'merge', patch: { none: 1 } };
  await patch(deps, scope(configmaps), 'a', body, { ...write, fieldValidation: 'Warn' });
  t.strictSame(messages, ['warning: unknown field "none"']);
  await patch(deps, scope(configmaps), 'a', body, { ...write, fieldValidation: 'Ignore' });
  t.equal(messages.length, 1);
});

t.test('a dry run answers with the result and writes nothing', async t => {
  const { deps, scope, create } = await openDeps(t);
  const created = await create(configmaps, configMap('a', { data: { k: 'v' } }));
  const { answer, created: made } = await patch(
    deps,
    scope(configmaps),
    'a',
    { type: 'merge', patch: { data: { k: 'w' } } },
    { ...write, dryRun: true },
  );
  t.equal(made, false);
  t.match('object' in answer ? answer.object : answer.stored.object, { data: { k: 'w' } });
  t.same(await deps.clientFor(scope(configmaps).user).get(configmaps, { namespace: 'default', name: 'a' }), created);
});

t.test('an apply creates the object, and is refused for a wrong identity', async t => {
  const { deps, scope } = await openDeps(t);
  const apply = async (body: object) =>
    patch(
      deps,
      scope(configmaps),
      'a',
      { type: 'apply', patch: { apiVersion: 'v1', kind: 'ConfigMap', ...body } },
      write,
    );
  t.equal((await apply({ metadata: { name: 'a' } })).created, true);
  t.equal((await apply({ metadata: { name: 'a' }, data: { k: 'v' } })).created, false);
  t.match(await refusal(apply({ kind: 'Secret', metadata: { name: 'a' } })), /^(400|500) /);
  t.equal(
    await refusal(
      patch(
        deps,
        scope(configmaps),
        'b',
        { type: 'apply', patch: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b', uid: 'u' } } },
        write,
      ),
    ),
    '409 Conflict: Operation cannot be fulfilled on configmaps "b": uid mismatch: the provided object specified uid u, and no existing object was found',
  );
  t.match(
    await refusal(apply({ metadata: { name: 'a', managedFields: [{ manager: 'x' }] } })),
    /metadata\.managedFields must be nil/,
  );
});
