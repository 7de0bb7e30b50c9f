/** Changes by mutating webhooks, and the order in which they are called. */
import t from 'tap';
import { admissionAnswer as answer, patchAnswer as patch } from '../../aggregation/webhooks.js';
import { toBase64 } from '../../../apimachinery/codec/base64.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { anything, object as shape, whole } from '../../custom-kinds.js';
import { configMap, configmaps, deployment, deployments, namespaces, refusal } from '../../registry/serve.js';
import { define, definition, version, widget, widgets } from '../../registry/dynamic/definitions.js';
import { eventually, x, create } from '../plugins/configured.js';
import { object } from '../plugins/guarded.js';
import { hook, configure, called, start } from './hooked.js';

interface Replicas {
  readonly replicas: number;
}

t.test('patches', async t => {
  const { server, webhook } = await start(t);
  const { client, annotations } = server;
  await configure(
    client,
    'Mutating',
    'c',
    hook(webhook, {
      rules: [
        { apiGroups: ['', 'apps'], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps', 'deployments'] },
      ],
    }),
  );
  await called(webhook, () => create(server));
  webhook.answer = review =>
    patch(review, [
      { op: 'add', path: '/data', value: { k: 'v' } },
      { op: 'add', path: '/nope', value: 1 },
    ]);
  const made = await client.create(configmaps, configMap('x'));
  t.same(made['data'], { k: 'v' });
  t.notOk('nope' in made, 'unknown fields are dropped');
  t.notOk(
    (made.metadata.managedFields ?? []).some(entry => JSON.stringify(entry).includes('f:k')),
    'no manager owns the dropped fields',
  );
  t.same(JSON.parse(annotations.get('patch.webhook.admission.k8s.io/round_0_index_0') ?? ''), {
    configuration: 'c',
    webhook: 'w.example.com',
    patch: [
      { op: 'add', path: '/data', value: { k: 'v' } },
      { op: 'add', path: '/nope', value: 1 },
    ],
    patchType: 'JSONPatch',
  });
  t.match(
    annotations.get('mutation.webhook.admission.k8s.io/round_0_index_0'),
    '{"configuration":"c","webhook":"w.example.com","mutated":false}',
  );
  webhook.answer = review =>
    patch(review, [{ op: 'add', path: '/spec/template/spec/containers/-', value: { name: 'side', image: 's:1' } }]);
  const dep = await client.create(deployments, deployment('x'));
  t.match(
    dep,
    {
      spec: {
        template: {
          spec: {
            containers: [
              { name: 'c' },
              { name: 'side', imagePullPolicy: 'IfNotPresent', terminationMessagePath: '/dev/termination-log' },
            ],
          },
        },
      },
    },
    'defaults are applied afterwards',
  );

  const head = '500 InternalError: Internal error occurred: ';
  const failed = `${head}failed calling webhook "w.example.com": received `;
  const cases: { name: string; given: Record<string, unknown>; expect: string }[] = [
    {
      name: 'base64 of invalid JSON',
      given: { patchType: 'JSONPatch', patch: toBase64('{') },
      expect: `${failed}undecodable patch in webhook response: unexpected end of JSON input`,
    },
    {
      name: 'not a list',
      given: { patchType: 'JSONPatch', patch: toBase64('{}') },
      expect: `${failed}undecodable patch in webhook response: json: cannot unmarshal object into Go value of type jsonpatch.Patch`,
    },
    {
      name: 'no type',
      given: { patch: toBase64('[]') },
      expect: `${failed}invalid webhook response: webhook returned response.patch but not response.patchType`,
    },
    {
      name: 'no patch',
      given: { patchType: 'JSONPatch' },
      expect: `${failed}invalid webhook response: webhook returned response.patchType but not response.patch`,
    },
    {
      name: 'another type',
      given: { patchType: 'Merge', patch: toBase64('[{"op":"remove","path":"/data"}]') },
      expect: `${head}failed calling webhook "w.example.com": unsupported patch type "Merge"`,
    },
    {
      name: 'a path that does not exist',
      given: { patchType: 'JSONPatch', patch: toBase64('[{"op":"remove","path":"/none"}]') },
      expect: head,
    },
    {
      name: 'a value of another type',
      given: { patchType: 'JSONPatch', patch: toBase64('[{"op":"add","path":"/data","value":7}]') },
      expect: head,
    },
  ];
  for (const { name, given, expect } of cases) {
    webhook.answer = review => answer(review, { allowed: true, ...given });
    t.equal((await refusal(create(server))).slice(0, expect.length), expect, name);
  }
  webhook.answer = review => patch(review, [{ op: 'add', path: '/metadata/labels', value: { a: 'b' } }]);
  t.equal(
    await refusal(client.delete(configmaps, x)),
    `${head}admission webhook "w.example.com" attempted to modify the object, which is not supported for this operation`,
  );
  webhook.answer = review =>
    patch(review, [{ op: 'replace', path: '/metadata/managedFields', value: [{ manager: 'x', operation: 'Nope' }] }]);
  const created = await client.create(configmaps, configMap('y', { data: { a: 'b' } }));
  t.match(
    created.metadata.managedFields,
    [{ manager: 'test', operation: 'Update' }],
    'invalid managed fields are replaced',
  );
  t.match(server.warnings.at(-1), /^\.metadata\.managedFields was in an invalid state after admission/);
  webhook.answer = review => patch(review, [{ op: 'replace', path: '/metadata/name', value: 'Not A Name' }]);
  t.match(
    await refusal(create(server)),
    '422 Invalid: ConfigMap "Not A Name" is invalid: metadata.name',
    'validation comes afterwards',
  );
  const moved = '400 BadRequest: the namespace of the provided object does not match the namespace sent on the request';
  await client.create(namespaces, object('v1', 'Namespace', { name: 'other' }));
  webhook.answer = review => patch(review, [{ op: 'add', path: '/metadata/namespace', value: 'other' }]);
  t.equal(
    await refusal(client.create(configmaps, configMap('z'))),
    moved,
    'the object cannot be moved to another namespace',
  );
  t.equal(await refusal(client.patch(configmaps, { ...x, name: 'y' }, { type: 'merge', patch: { data: {} } })), moved);
});

t.test('mutating webhooks are called in order, and again with reinvocationPolicy IfNeeded', async t => {
  const { server, webhook } = await start(t);
  const { client, annotations } = server;
  const at = (path: string, more: object = {}) =>
    hook(webhook, {
      name: `${path}.example.com`,
      clientConfig: { url: `${webhook.url}/${path}`, caBundle: webhook.caBundle },
      ...more,
    });
  webhook.answer = (review, path) => {
    const { data = {} } = (review['request'] as { object: { data?: Record<string, string> } }).object;
    const seen = Object.keys(data).length;
    const name = path.slice(1, 2);
    return name in data
      ? patch(review, [{ op: 'replace', path: `/data/${name}`, value: `${data[name]},${seen}` }])
      : patch(review, [
          ...('d' in data || seen > 0 ? [] : [{ op: 'add', path: '/data', value: {} }]),
          { op: 'add', path: `/data/${name}`, value: String(seen) },
        ]);
  };
  await configure(client, 'Mutating', 'm2', at('c'));
  await configure(client, 'Mutating', 'm1', at('a', { reinvocationPolicy: 'IfNeeded' }), at('b'));
  const made = await eventually(
    () => create(server),
    ({ data }) => Object.keys(data ?? {}).length === 3,
  );
  t.same(made['data'], { a: '0,3', b: '1', c: '2' }, 'a is called again, since later webhooks changed the object');
  t.equal(
    annotations.get('mutation.webhook.admission.k8s.io/round_1_index_0'),
    '{"configuration":"m1","webhook":"a.example.com","mutated":true}',
  );
  t.notOk(annotations.has('mutation.webhook.admission.k8s.io/round_1_index_1'));
  server.addMutation(({ object }) => {
    if (object?.kind === 'ConfigMap') object['data'] = { ...(object['data'] as object), late: 'x' };
  });
  t.same((await create(server))['data'], { a: '0,4', b: '1', c: '2', late: 'x' }, 'after plugins, too');
});

t.test('validating webhooks are called in parallel', async t => {
  const { server, webhook } = await start(t);
  const { client } = server;
  let waiting: (() => void)[] = [];
  const names = ['a', 'b', 'c'];
  const all = names.map(name =>
    hook(webhook, {
      name: `${name}.example.com`,
      clientConfig: { url: `${webhook.url}/${name}`, caBundle: webhook.caBundle },
    }),
  );
  await configure(client, 'Validating', 'c', ...all);
  await eventually(
    () => create(server),
    () => webhook.calls.length >= 3,
  );
  webhook.answer = async review => {
    await new Promise<void>(resolve => {
      waiting.push(resolve);
      if (waiting.length < names.length) return;
      for (const go of waiting) go();
      waiting = [];
    });
    return answer(review, { allowed: false });
  };
  t.match(
    await refusal(create(server)),
    /^400 : admission webhook "[abc]\.example\.com" denied the request without explanation$/,
  );
});

t.test('numbers in a patch are decoded as they are written, int or float', async t => {
  const { server, webhook } = await start(t);
  const { client } = server;
  const schema = { openAPIV3Schema: shape({ spec: shape({ n: whole, free: anything }), status: shape({ n: whole }) }) };
  const subresources = { scale: { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' } };
  await define(client, definition({ versions: [version('v1', { schema, subresources })] }));
  await configure(
    client,
    'Mutating',
    'c',
    hook(webhook, {
      rules: [
        {
          apiGroups: ['apps'],
          apiVersions: ['v1'],
          operations: ['*'],
          resources: ['deployments', 'deployments/scale'],
        },
        { apiGroups: ['example.com'], apiVersions: ['v1'], operations: ['*'], resources: ['widgets'] },
      ],
    }),
  );
  const attempt = (): Promise<unknown> => client.create(deployments, deployment('x'), { dryRun: true });
  await called(webhook, attempt);
  const answers = (operations: string): void => {
    webhook.answer = review =>
      answer(review, { allowed: true, patchType: 'JSONPatch', patch: Buffer.from(operations).toString('base64') });
  };
  const head = '500 InternalError: Internal error occurred: ';
  const replicas = 'json: cannot unmarshal number N into Go struct field DeploymentSpec.spec.replicas of type int32';
  const put = (literal: string): string => `{"op":"replace","path":"/spec/replicas","value":${literal}}`;
  const tested = (literal: string): string => `{"op":"test","path":"/spec/replicas","value":${literal}}`;
  const unfit = (literal: string): string => head + replicas.replace('N', literal);
  const rows: readonly { readonly given: string; readonly expect: number | string }[] = [
    { given: put('3'), expect: 3 },
    { given: put('-0'), expect: 0 },
    { given: put('3.0'), expect: unfit('3.0') },
    { given: put('3e0'), expect: unfit('3e0') },
    { given: put('1e400'), expect: unfit('1e400') },
    { given: put('9223372036854775808'), expect: unfit('9223372036854775808') },
    { given: `${put('3.0')},${tested('3.0')},${put('2')}`, expect: 2 },
    { given: `${put('3.0')},${tested('3')},${put('2')}`, expect: head },
    { given: '{"op":"add","path":"/nope","value":1e400}', expect: 1 },
    { given: '{"op":"remove","path":"/apiVersion"},{"op":"remove","path":"/kind"}', expect: 1 },
    {
      given: '{"op":"replace","path":"/apiVersion","value":"apps/v7"}',
      expect: `${head}no kind "Deployment" is registered for version "apps/v7" in scheme "pkg/api/legacyscheme/scheme.go:30"`,
    },
  ];
  for (const { given, expect } of rows) {
    answers(`[${given}]`);
    if (typeof expect === 'number')
      t.equal(
        ((await client.create(deployments, deployment('x'), { dryRun: true })).spec as Replicas).replicas,
        expect,
        given,
      );
    else t.equal((await refusal(attempt())).slice(0, Math.max(expect.length, head.length)), expect, given);
  }

  answers('[]');
  await client.create(widgets, widget('w', { spec: { n: 1 } }));
  const added = (path: string, literal: string): string => `{"op":"add","path":"${path}","value":${literal}}`;
  const float =
    '422 Invalid: Widget.example.com "NAME" is invalid: .spec.n: Invalid value: 0: .spec.n accessor error: 2 is of the type float64, expected int64';
  const custom: readonly { readonly given: string; readonly expect: unknown }[] = [
    { given: added('/spec/n', '2'), expect: { n: 2 } },
    { given: added('/spec/n', '2.0'), expect: float },
    {
      given: added('/spec/free', '{"a":1.0,"b":9223372036854775808,"c":-0}'),
      expect: { n: 1, free: { a: 1, b: 2 ** 63, c: 0 } },
    },
    {
      given: added('/spec/free', '1e400'),
      expect: `${head}json: cannot unmarshal number 1e400 into Go value of type float64`,
    },
    { given: added('/spec/n', '2.5'), expect: '422 Invalid' },
  ];
  for (const { given, expect } of custom) {
    const writes: Readonly<Record<string, () => Promise<KubeObject>>> = {
      v: () => client.create(widgets, widget('v', { spec: { n: 1 } }), { dryRun: true }),
      w: () =>
        client.patch(widgets, { ...x, name: 'w' }, { type: 'merge', patch: { spec: { n: 1 } } }, { dryRun: true }),
    };
    for (const [name, write] of Object.entries(writes)) {
      answers(`[${given}]`);
      if (typeof expect === 'object') t.strictSame((await write()).spec, expect, given);
      else {
        const message = String(expect).replace('NAME', name);
        t.equal((await refusal(write())).slice(0, message.length), message, given);
      }
    }
  }
});

t.test('patches are bounded, and so is what they make of an object', async t => {
  const { server, webhook } = await start(t);
  const { client } = server;
  const labels = (count: number): Record<string, string> =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 'v']));
  const add = (path: string, value: unknown) => ({ op: 'add', path, value });
  await configure(client, 'Mutating', 'c', hook(webhook));
  await called(webhook, () => create(server));
  const head = '500 InternalError: Internal error occurred: ';
  const bound = 'Request entity too large: an object may consist of at most 50000 JSON values';
  const rows = [
    {
      name: 'a patch of too many values',
      patch: [add('/data', labels(50_001))],
      expect: `${head}failed calling webhook "w.example.com": received undecodable patch in webhook response: ${bound}`,
    },
    {
      name: 'a patch that adds too many to the object',
      data: labels(30_000),
      patch: [add('/metadata/annotations', labels(30_000))],
      expect: head + bound,
    },
    {
      name: 'a patch that copies too many',
      patch: [
        add('/data', labels(4000)),
        ...Array.from({ length: 20 }, (_, i) => ({ op: 'copy', from: '/data', path: `/copy${i}` })),
      ],
      expect: head + bound,
    },
    {
      name: 'no metadata',
      patch: [{ op: 'remove', path: '/metadata' }],
      expect: '422 Invalid: ConfigMap "" is invalid: ',
    },
    { name: 'metadata of another type', patch: [add('/metadata', 'none')], expect: head },
  ];
  for (const { name, data = {}, patch: operations, expect } of rows) {
    webhook.answer = review => patch(review, operations);
    const refused = await refusal(client.create(configmaps, configMap('large', { data })));
    t.equal(refused.slice(0, expect.length), expect, name);
  }
  webhook.answer = review => patch(review, [add('/data', labels(48_000))]);
  const taken = await client.create(configmaps, configMap('taken'));
  t.equal(Object.keys(taken['data'] as object).length, 48_000, 'as many as fit are taken');
});
