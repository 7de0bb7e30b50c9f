import t from 'tap';
import type { GroupVersionResource, KubeObject } from '../../../apimachinery/interface.js';
import type { WatchEvent } from '../../../client/interface.js';
import { customPrinter } from '../../../registry/dynamic/printer.js';
import { refusal, serve } from '../serve.js';
import { condition, crds, define, definition, unserved, until, version, widget, widgets } from './definitions.js';

const a = { namespace: 'default', name: 'a' };
const v = (name: string): GroupVersionResource => ({ ...widgets, version: name });
const typed = (properties: object, more: object = {}) => ({
  openAPIV3Schema: { type: 'object', properties, ...more },
});
const noPath = '404 NotFound: the server could not find the requested resource';

t.test('versions differ in apiVersion, and are pruned by their own schema', async t => {
  const { client } = await serve(t);
  const spec = (...names: string[]) => ({
    spec: { type: 'object', properties: Object.fromEntries(names.map(name => [name, { type: 'integer' }])) },
  });
  await define(
    client,
    definition({
      versions: [
        version('v1beta1', { schema: typed(spec('old')) }),
        version('v1', { schema: typed(spec('old', 'young')) }),
        version('v2', { served: false }),
      ],
    }),
  );
  const made = await client.create(v('v1'), widget('a', { spec: { old: 1, young: 2, none: 3 } }));
  t.same(made.spec, { old: 1, young: 2 });
  const seen = await client.get(v('v1beta1'), a);
  t.equal(seen.apiVersion, 'example.com/v1beta1');
  t.equal(seen.metadata.resourceVersion, made.metadata.resourceVersion);
  t.equal((await client.list(v('v1beta1'))).items[0]?.apiVersion, 'example.com/v1beta1');
  const old = await client.create(v('v1beta1'), widget('b', { spec: { old: 1, young: 2 } }, 'example.com/v1beta1'));
  t.same(old.spec, { old: 1 });
  t.equal((await client.get(v('v1'), { ...a, name: 'b' })).apiVersion, 'example.com/v1');
  t.equal(await refusal(client.list(v('v2'))), noPath, 'a version that is not served');
});

t.test('fields unknown to the storage version are lost on write', async t => {
  const { client } = await serve(t);
  const n = { type: 'integer' };
  const young = { type: 'object', required: ['young'], properties: { young: { type: 'string' }, n } };
  await define(
    client,
    definition({
      versions: [
        version('v1', { schema: typed({ spec: { type: 'object', properties: { n } } }) }),
        version('v2', { storage: false, schema: typed({ spec: young }) }),
      ],
    }),
  );
  const made = await client.create(v('v2'), widget('a', { spec: { n: 1, young: 'x' } }, 'example.com/v2'));
  t.same(made.spec, { n: 1 });
  t.same((await client.get(v('v2'), a)).spec, { n: 1 });
  t.same((await client.get(widgets, a)).spec, { n: 1 });
  t.match(
    await refusal(client.create(v('v2'), widget('b', { spec: { n: 1 } }, 'example.com/v2'))),
    /spec\.young: Required value/,
    'objects are validated with the version of the request',
  );
});

t.test('defaults, validation and generation follow the schema', async t => {
  const { client } = await serve(t);
  const properties = {
    spec: {
      type: 'object',
      properties: {
        n: { type: 'integer', minimum: 1 },
        mode: { type: 'string', default: 'fast', enum: ['fast', 'slow'] },
      },
    },
    status: { type: 'object', properties: { n: { type: 'integer', maximum: 9 } } },
  };
  await define(
    client,
    definition({ versions: [version('v1', { schema: typed(properties), subresources: { status: {} } })] }),
  );
  const made = await client.create(widgets, widget('a', { spec: { n: 1 }, status: { n: 3 } }));
  t.match(made, { spec: { n: 1, mode: 'fast' }, metadata: { generation: 1 } });
  t.equal(made.status, undefined, 'the status is written separately');
  t.equal(
    await refusal(client.update(widgets, { ...made, spec: { n: 0, mode: 'x' } })),
    '422 Invalid: Widget.example.com "a" is invalid: [spec.mode: Unsupported value: "x": supported values: "fast", "slow", spec.n: Invalid value: 0: spec.n in body should be greater than or equal to 1]',
  );
  const status = await client.update(widgets, { ...made, spec: { n: 7 }, status: { n: 4 } }, { subresource: 'status' });
  t.match(status, { spec: { n: 1 }, status: { n: 4 }, metadata: { generation: 1 } });
  t.equal(
    await refusal(client.update(widgets, { ...status, status: { n: 10 } }, { subresource: 'status' })),
    '422 Invalid: Widget.example.com "a" is invalid: status.n: Invalid value: 10: n in body should be less than or equal to 9',
  );
  const next = await client.update(widgets, { ...status, spec: { n: 2 }, status: { n: 5 } });
  t.match(next, { spec: { n: 2 }, status: { n: 4 }, metadata: { generation: 2 } });
});

t.test('a status with a default is returned, although the sent status was dropped', async t => {
  const { client } = await serve(t);
  const status = {
    type: 'object',
    default: { phase: 'New' },
    properties: { phase: { type: 'string' }, replicas: { type: 'integer', default: 0 } },
  };
  const subresources = { status: {} };
  await define(client, definition({ versions: [version('v1', { schema: typed({ status }), subresources })] }));
  const first = { phase: 'New', replicas: 0 };
  const sent = { status: { phase: 'Mine' } };
  t.same((await client.create(widgets, widget('a', sent), { dryRun: true })).status, first, 'of a dry run');
  t.same((await client.create(widgets, widget('a', sent))).status, first, 'of a new object');
  t.same((await client.get(widgets, a)).status, first);
  const apply = { type: 'apply', patch: { ...widget('b', sent) }, force: true } as const;
  t.same((await client.patch(widgets, { ...a, name: 'b' }, apply)).status, first, 'of an applied one');
  const labelled = await client.patch(widgets, a, { type: 'merge', patch: { metadata: { labels: { l: '1' } } } });
  t.same(labelled.status, first, 'of a change');
  const none = await client.patch(widgets, a, { type: 'merge', patch: { status: null } }, { subresource: 'status' });
  t.same(none.status, first, 'of none');
});

t.test('replicas, selectable fields and columns are read at the paths in the CRD', async t => {
  const { client, catalogue } = await serve(t);
  await define(
    client,
    definition({
      versions: [
        version('v1', {
          subresources: {
            scale: {
              specReplicasPath: '.spec.n',
              statusReplicasPath: '.status.n',
              labelSelectorPath: '.status.selector',
            },
          },
          selectableFields: [{ jsonPath: '.spec.color' }],
          additionalPrinterColumns: [
            { name: 'Color', type: 'string', jsonPath: '.spec.color', priority: 1 },
            { name: 'N', type: 'integer', jsonPath: '.spec.n' },
            { name: 'Since', type: 'date', jsonPath: '.spec.since' },
          ],
          schema: typed(
            {
              spec: {
                type: 'object',
                properties: { color: { type: 'string' } },
                'x-kubernetes-preserve-unknown-fields': true,
              },
            },
            { 'x-kubernetes-preserve-unknown-fields': true },
          ),
        }),
      ],
    }),
  );
  for (const [name, color] of [
    ['a', 'red'],
    ['b', 'blue'],
  ] as const)
    await client.create(widgets, widget(name, { spec: { color, n: 2, since: '2026-01-01T00:00:00Z' } }));
  const red = await client.list(widgets, { fieldSelector: 'spec.color=red' });
  t.same(
    red.items.map(({ metadata }) => metadata.name),
    ['a'],
  );
  t.equal(
    await refusal(client.list(widgets, { fieldSelector: 'spec.n=2' })),
    '400 BadRequest: field label not supported: spec.n',
  );
  const scale = await client.get(widgets, a, { subresource: 'scale' });
  t.match(scale, { kind: 'Scale', spec: { replicas: 2 } });
  await client.update(widgets, { ...scale, spec: { replicas: 5 } }, { subresource: 'scale' });
  const printer = catalogue.find(widgets)?.versions[0]?.printer;
  const row = printer?.row(await client.get(widgets, a), new Date('2026-01-01T01:00:00Z'));
  t.same(row, ['a', 'red', 5, '60m']);
  t.same(
    printer?.columns.map(({ name, priority = 0 }) => `${name} ${priority}`),
    ['Name 0', 'Color 1', 'N 0', 'Since 0'],
  );
});

t.test('each version has its own subresources', async t => {
  const { client, catalogue } = await serve(t);
  const scaled = (field: string) => ({
    scale: {
      specReplicasPath: `.spec.${field}`,
      statusReplicasPath: `.status.${field}`,
      labelSelectorPath: '.status.s',
    },
  });
  await define(
    client,
    definition({
      versions: [
        version('v1', { subresources: { status: {}, ...scaled('n') } }),
        version('v2', { subresources: scaled('m') }),
        version('v3'),
      ],
    }),
  );
  const resources = await client.mapper.resources();
  t.same(
    resources.filter(r => r.resource === 'widgets').map(r => `${r.version} ${r.subresources.join(' ')}`),
    ['v3 ', 'v2 scale', 'v1 status scale'],
  );
  const made = await client.create(
    v('v2'),
    widget('a', { spec: { n: 1, m: 2 }, status: { m: 3, s: 'a=b' } }, 'example.com/v2'),
  );
  t.same(made.status, { m: 3, s: 'a=b' }, 'without the subresource, status is part of the object');
  const scale = await client.get(v('v2'), a, { subresource: 'scale' });
  t.match(scale, { spec: { replicas: 2 }, status: { replicas: 3, selector: 'a=b' } });
  t.match(await client.get(v('v1'), a, { subresource: 'scale' }), { spec: { replicas: 1 }, status: { replicas: 0 } });
  const part = catalogue.find(v('v2'))?.versions.find(({ name }) => name === 'v2')?.subresources?.['scale'];
  t.same(part?.type === 'scale' && part.printer.row({ ...scale, metadata: { name: 'a' } }, new Date()), [
    'a',
    2,
    3,
    null,
  ]);
  const touched = await client.patch(v('v1'), a, { type: 'merge', patch: { spec: { o: {} }, status: { m: 9 } } });
  t.match(
    touched,
    { spec: { o: {} }, status: { m: 3 }, metadata: { generation: 2 } },
    'an empty object differs from an absent one',
  );
  const merge = { type: 'merge', patch: { spec: { m: [] }, status: { m: 1.5, s: { x: [1, null] } } } } as const;
  t.equal(
    await refusal(client.patch(v('v2'), a, merge)),
    '422 Invalid: Widget.example.com "a" is invalid: [.spec.m: Invalid value: 0: .spec.m accessor error: [] is of the type []interface {}, expected int64, .status.m: Invalid value: 0: .status.m accessor error: 1.5 is of the type float64, expected int64, .status.s: Invalid value: "": .status.s accessor error: map[x:[1 <nil>]] is of the type map[string]interface {}, expected string]',
  );
  t.match(
    await refusal(client.patch(v('v2'), a, { type: 'merge', patch: { spec: 'x' } })),
    '.spec.m: Invalid value: 0: .spec.m accessor error: x is of the type string, expected map[string]interface{}',
  );
});

t.test('a subresource that is added later is served', async t => {
  const { client } = await serve(t);
  const made = await define(client);
  await client.create(widgets, widget('a', { spec: { n: 1 } }));
  const versions = [version('v1', { subresources: { status: {} } })];
  const next = await client.update(crds, { ...made, spec: { ...(made.spec as object), versions } });
  t.equal(next.metadata.generation, 2);
  const isServed = async (): Promise<boolean> =>
    (await client.mapper.resources()).some(r => r.resource === 'widgets' && r.subresources.includes('status'));
  while (!(await isServed())) await new Promise(resolve => setImmediate(resolve));
  t.match(await client.get(widgets, a, { subresource: 'status' }), { spec: { n: 1 } });
});

t.test('cells of null and empty values', t => {
  const printer = customPrinter([
    { name: 'T', type: 'string', jsonPath: '.t' },
    { name: 'D', type: 'date', jsonPath: '.d' },
    { name: 'I', type: 'integer', jsonPath: '.i' },
  ]);
  const now = new Date();
  t.same(printer.row(widget('a', { t: null, d: '', i: null }), now), ['a', '<no value>', '<unknown>', null]);
  t.same(printer.row(widget('a', { d: 'yesterday', i: 2.9 }), now), ['a', null, '<invalid>', 2]);
  t.end();
});

t.test('a change of a CRD ends the watches of its resource', async t => {
  const { client } = await serve(t);
  const made = await define(client);
  const stop = new AbortController();
  const seen: WatchEvent[] = [];
  const watching = (async () => {
    for await (const event of client.watch(widgets, {}, stop.signal)) seen.push(event);
  })();
  await client.create(widgets, widget('a', { spec: { n: 1 } }));
  await client.update(crds, {
    ...made,
    spec: { ...(made.spec as object), versions: [version('v1', { schema: typed({}) })] },
  });
  await watching;
  t.same(
    seen.map(({ type }) => type),
    ['ADDED'],
  );
  const pruned = await client.get(widgets, a);
  t.equal(pruned['spec'], undefined, 'stored objects are read with the new schema');
  const again = client.watch(widgets, {}, stop.signal)[Symbol.asyncIterator]();
  t.equal(((await again.next()).value as WatchEvent).object.metadata.name, 'a');
  stop.abort();
});

t.test('a CRD is removed after its last object', async t => {
  const { client } = await serve(t);
  await define(client);
  await client.create(widgets, widget('free'));
  const held: KubeObject = { ...widget('a'), metadata: { ...a, finalizers: ['example.com/x'] } };
  await client.create(widgets, held);
  await client.delete(crds, { name: 'widgets.example.com' });
  const going = await until(client, event => condition(event, 'Terminating') === 'True InstanceDeletionInProgress');
  t.same(going.metadata.finalizers, ['customresourcecleanup.apiextensions.k8s.io']);
  t.equal(
    await refusal(client.create(widgets, widget('late'))),
    '403 Forbidden: widgets.example.com "late" is forbidden: create not allowed while custom resource definition is terminating',
  );
  for (;;) {
    const { items } = await client.list(widgets);
    if (items.length === 1 && items[0]?.metadata.deletionTimestamp !== undefined) break;
    await new Promise(setImmediate);
  }
  await client.patch(widgets, a, { type: 'merge', patch: { metadata: { finalizers: [] } } });
  await until(client, ({ type }) => type === 'DELETED');
  await unserved(client);
  await define(client);
  t.same((await client.list(widgets)).items, [], 'after it is created again, it has no objects');
});

t.test('unknown formats cause warnings on create and for new ones in an update', async t => {
  const { client, warnings } = await serve(t);
  const of = (...formats: string[]) => ({
    versions: [
      version('v1', {
        schema: typed(
          Object.fromEntries(
            formats.map((format, i) => [`f${i}`, { type: 'array', items: { type: 'string', format } }]),
          ),
        ),
      }),
    ],
  });
  const made = await define(client, definition(of('date-time', 'odd', 'odd')));
  t.same(warnings, ['unrecognized format "odd"']);
  warnings.length = 0;
  await client.update(crds, { ...made, spec: { ...(made.spec as object), ...of('odd', 'int32') } });
  t.same(warnings, ['unrecognized format "int32"']);
});

t.test('existing CRDs are served from the start', async t => {
  const { client, backend } = await serve(t);
  await define(client);
  await client.create(widgets, widget('a'));
  const second = await serve(t, { backend });
  t.equal((await second.client.get(widgets, a)).metadata.name, 'a');
});

t.test('CEL rules validate objects and their changes', async t => {
  const { client } = await serve(t);
  const spec = {
    type: 'object',
    properties: { n: { type: 'integer' }, name: { type: 'string' } },
    'x-kubernetes-validations': [
      { rule: 'self.n < 5', message: 'too many' },
      { rule: 'self.name == oldSelf.name', message: 'never renamed' },
    ],
  };
  await define(client, definition({ versions: [version('v1', { schema: typed({ spec }) })] }));
  const head = '422 Invalid: Widget.example.com "a" is invalid: ';
  t.equal(
    await refusal(client.create(widgets, widget('a', { spec: { n: 5, name: 'x' } }))),
    `${head}spec: Invalid value: too many`,
  );
  t.equal(
    await refusal(client.create(widgets, widget('a', { spec: { n: 'x', name: 'x' } }))),
    `${head}[spec.n: Invalid value: "string": spec.n in body must be of type integer: "string", <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation]`,
  );
  const made = await client.create(widgets, widget('a', { spec: { n: 1, name: 'x' } }));
  t.equal(
    await refusal(client.update(widgets, { ...made, spec: { n: 1, name: 'y' } })),
    `${head}spec: Invalid value: never renamed`,
  );
  const broken = { ...spec, 'x-kubernetes-validations': [{ rule: 'self.x < 5' }] };
  t.match(
    await refusal(
      client.create(
        crds,
        definition(
          {
            names: { plural: 'gadgets', kind: 'Gadget' },
            versions: [version('v1', { schema: typed({ spec: broken }) })],
          },
          { name: 'gadgets.example.com' },
        ),
      ),
    ),
    /x-kubernetes-validations\[0\]\.rule: Invalid value: .*compilation failed.*undefined field 'x'/,
  );
});

t.test('a CRD with an unusable conversion webhook is not served', async t => {
  const { client, catalogue } = await serve(t);
  const conversion = {
    strategy: 'Webhook',
    webhook: {
      clientConfig: { url: 'https://h', caBundle: Buffer.from('none').toString('base64') },
      conversionReviewVersions: ['v1'],
    },
  };
  await client.create(crds, definition({ conversion }));
  const seen = await until(client, event => condition(event, 'Established') !== 'none');
  t.equal(condition({ object: seen }, 'Established'), 'False InvalidCABundle');
  t.equal(catalogue.find(widgets), undefined);
  await client.update(crds, { ...seen, spec: { ...(seen.spec as object), conversion: { strategy: 'None' } } });
  const mended = await until(client, event => condition(event, 'Established').startsWith('True'));
  const broken = { ...mended, spec: { ...(mended.spec as object), conversion } };
  t.match(
    await refusal(client.update(crds, broken)),
    /spec\.conversion\.webhookClientConfig\.caBundle: Invalid value: "bm9uZQ==": unable to load root certificates: unable to parse bytes as PEM block/,
  );
});

t.test('fields with the names of Object.prototype members are ordinary fields', async t => {
  const { client } = await serve(t);
  const scale = { statusReplicasPath: '.status.replicas' };
  const versions = (specReplicasPath: string) => [
    version('v1', { subresources: { status: {}, scale: { ...scale, specReplicasPath } } }),
  ];
  const paths = ['.spec.__proto__.polluted', '.spec.constructor.prototype.polluted', '.spec.constructor'];
  for (const [i, path] of paths.entries()) {
    const names = { plural: `widgets${i}`, kind: `Widget${i}` };
    await define(client, definition({ names, versions: versions(path) }, { name: `widgets${i}.example.com` }));
    const resource = { ...widgets, resource: names.plural };
    const text = '{"__proto__": {"a": 1}, "spec": {"__proto__": {"b": 2}}, "constructor": 3}';
    const own = JSON.parse(text) as Record<string, unknown>;
    const base = { ...widget('a'), kind: names.kind };
    await client.create(resource, Object.fromEntries([...Object.entries(base), ...Object.entries(own)]) as KubeObject);
    await client.patch(resource, a, { type: 'merge', patch: { status: { c: 4 } } }, { subresource: 'status' });
    const kept = await client.get(resource, a);
    t.same(Object.getOwnPropertyDescriptor(kept, '__proto__')?.value, { a: 1 }, 'kept by a change of its status');
    t.equal(kept['constructor'], 3);
    await client.patch(resource, a, { type: 'merge', patch: { spec: { replicas: 7 } } }, { subresource: 'scale' });
    t.equal(({} as { polluted?: number }).polluted, undefined, `${path} is a path in the object`);
    const { spec } = await client.get(resource, a);
    const last = path.split('.').slice(2);
    const found = last.reduce<unknown>((at, name) => Object.getOwnPropertyDescriptor(at, name)?.value as unknown, spec);
    t.equal(found, 7);
  }
});
