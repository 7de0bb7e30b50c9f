/**
 * Definitions of custom resources and their objects: watches, status, defaults, strict decoding. as test/e2e/apimachinery crd_watch.go,
 * custom_resource_definition.go, field_validation.go
 */
import t from 'tap';
import { definition, established } from './definition.js';
import { kit, type Patch, version } from './kit.js';
import { runningControlPlane } from './running-control-plane.js';

const server = await runningControlPlane(t);
const all = kit(t, server);
const { of } = all;
const definitions = of('apiextensions.k8s.io/v1/customresourcedefinitions');

t.test('a watch of a single custom resource has only its events', async t => {
  const made = definition('watched', { scope: 'Cluster' });
  await established(all, made);
  const things = of(`${made.group}/v1/${made.name}`);
  const names = ['name1', 'name2'] as const;
  const watches = await Promise.all(names.map(name => things.watch(`fieldSelector=metadata.name=${name}`)));
  for (const name of names) await things.create({ metadata: { name }, content: name });
  for (const name of names) await things.patch(name, { content: 'changed' });
  for (const name of names) await things.remove(name);
  for (const [i, events] of watches.entries())
    for (const type of ['ADDED', 'MODIFIED', 'DELETED'])
      t.match(await events.next(), { type, object: { metadata: { name: names[i] } } });
});

t.test('definitions are created, listed by label, deleted as a collection', async t => {
  const labels = { test: 'list' };
  const made = Array.from({ length: 10 }, () => definition('listed', { scope: 'Cluster', labels }));
  for (const each of [...made, definition('other', { scope: 'Cluster' })]) await established(all, each);
  const { items } = await definitions.list('labelSelector=test=list');
  t.same(items.map(({ metadata }) => metadata.name).sort(), made.map(each => `${each.name}.${each.group}`).sort());
  for (const item of items) {
    const wanted = made.find(each => `${each.name}.${each.group}` === item.metadata.name);
    t.match(item['spec'], wanted?.draft['spec']);
  }
  await definitions.removeAll('labelSelector=test=list');
  await definitions.count(0, 'labelSelector=test=list');
  t.ok((await definitions.list()).items.some(({ metadata }) => metadata.name.startsWith('other')));
});

t.test('the status of a definition can be read, updated, patched', async t => {
  const made = definition('status', { scope: 'Cluster' });
  const { spec } = await established(all, made);
  const place = `${made.name}.${made.group}/status`;
  t.same((await definitions.get(place))['spec'], spec);
  const updated = await definitions.update(place, thing =>
    (thing['status'] as { conditions: object[] }).conditions.push({ message: 'updated' }),
  );
  t.ok((updated['status'] as { conditions: { message?: string }[] }).conditions.some(c => c.message === 'updated'));
  const patched = await definitions.patch(
    place,
    [{ op: 'add', path: '/status/conditions', value: [{ message: 'patched' }] }],
    'json',
  );
  t.match(patched, { status: { conditions: [{ message: 'patched' }] } });
});

t.test('defaults apply to requests and to stored objects', async t => {
  const properties = { a: { type: 'string' }, b: { type: 'string' } };
  const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties };
  const made = definition('default', { scope: 'Cluster', versions: [{ name: 'v1', schema }] });
  await established(all, made);
  const things = of(`${made.group}/v1/${made.name}`);
  const first = await things.create({ metadata: { name: 'first' } });
  t.notOk('a' in first);
  const at = '/spec/versions/0/schema/openAPIV3Schema/properties';
  const change = (...patch: Patch[]) => definitions.patch(`${made.name}.${made.group}`, patch, 'json');
  await change({ op: 'add', path: `${at}/a/default`, value: 'A' });
  await things.becomes('first', ({ a }) => a === 'A');
  const second = await things.create({ metadata: { name: 'second' } });
  t.equal(second['a'], 'A', 'the default is stored');
  await change({ op: 'remove', path: `${at}/a/default` }, { op: 'add', path: `${at}/b/default`, value: 'B' });
  const later = await things.becomes('second', ({ b }) => b === 'B');
  t.equal(later['a'], 'A', 'stays');
  t.ok(version(first) < version(later));
});

const port = {
  type: 'object',
  properties: {
    containerPort: { type: 'integer', format: 'int32' },
    protocol: { type: 'string' },
    name: { type: 'string' },
  },
  required: ['containerPort', 'protocol'],
};
const specSchema = {
  type: 'object',
  properties: {
    foo: { type: 'string' },
    cronSpec: { type: 'string', pattern: String.raw`^(\d+|\*)(/\d+)?(\s+(\d+|\*)(/\d+)?){4}$` },
    ports: {
      type: 'array',
      items: port,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['containerPort', 'protocol'],
    },
  },
};
const open = { 'x-kubernetes-preserve-unknown-fields': true };
const embedded = {
  type: 'object',
  'x-kubernetes-embedded-resource': true,
  properties: { metadata: { type: 'object', properties: { name: { type: 'string' } } }, spec: { type: 'object' } },
};

const spec = ['spec:', '  cronSpec: "* * * * */5"', '  ports:', '  - {name: x, containerPort: 80, protocol: TCP}'];

/** Cases of server-side apply with strict field validation. */
const applied: readonly { name: string; schema?: object; lines: readonly string[]; refused?: RegExp }[] = [
  { name: 'what its schema allows', schema: { spec: specSchema }, lines: spec },
  { name: 'unknown fields, where there is no schema', lines: [...spec, '  unknown: uk1'] },
  {
    name: 'fields that its schema does not have',
    schema: { spec: specSchema },
    lines: ['unknownField: unknown', ...spec],
    refused: /\.unknownField: field not declared in schema/,
  },
  {
    name: 'unknown metadata',
    schema: { spec: { ...specSchema, ...open } },
    lines: ['  unknownMeta: unknown', ...spec],
    refused: /\.metadata\.unknownMeta: field not declared in schema/,
  },
  {
    name: 'unknown metadata of embedded objects',
    schema: { spec: { ...specSchema, ...open, properties: { ...specSchema.properties, template: embedded } } },
    lines: [
      ...['spec:', '  template:', '    apiVersion: foo/v1', '    kind: Sub'],
      ...['    metadata:', '      unknownSubMeta: unknown', '      name: subobject'],
    ],
    refused: /\.spec\.template\.metadata\.unknownSubMeta: field not declared in schema/,
  },
  {
    name: 'the same field twice, where unknown ones are kept',
    schema: { spec: { ...specSchema, ...open } },
    lines: ['spec:', '  unknown: uk1', '  foo: foo1', '  foo: foo2'],
    refused: /line 8: key \\?"foo\\?" already set in map/,
  },
];

for (const { name, schema, lines, refused } of applied)
  t.test(`applying ${name}`, async t => {
    const root = schema ? { type: 'object', properties: schema } : undefined;
    const versions = [{ name: 'v1beta1', ...(root ? { schema: root } : {}) }];
    const made = definition('strict', { scope: 'Cluster', versions });
    await established(all, made);
    const head = [`apiVersion: ${made.group}/v1beta1`, `kind: ${made.kind}`, 'metadata:', '  name: mytest'];
    const answer = await all.ask(
      `PATCH /apis/${made.group}/v1beta1/${made.name}/mytest?fieldManager=manager&fieldValidation=Strict`,
      { body: [...head, ...lines].join('\n'), type: 'application/apply-patch+yaml' },
    );
    if (refused) t.match(answer.json.message, refused);
    else t.equal(answer.status, 201, answer.text);
  });

const text = (metadata: string, spec: string): string =>
  `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"my-dep",${metadata}"labels":{"app":"nginx"}},` +
  `"spec":{${spec}"selector":{"matchLabels":{"app":"nginx"}},"template":{"metadata":{"labels":{"app":"nginx"}},` +
  '"spec":{"containers":[{"name":"nginx","image":"nginx"}]}}}}';

t.test('strict decoding of typed objects', async t => {
  const cases = {
    'strict decoding error: unknown field "spec.unknownField", duplicate field "spec.replicas"': text(
      '',
      '"unknownField":"foo","replicas":2,"replicas":3,',
    ),
    'strict decoding error: unknown field "metadata.unknownMeta"': text('"unknownMeta":"foo",', ''),
  };
  for (const [message, body] of Object.entries(cases)) {
    const { status, json } = await all.ask(
      'POST /apis/apps/v1/namespaces/default/deployments?fieldManager=manager&fieldValidation=Strict',
      { body },
    );
    t.equal(status, 400);
    t.ok(json.message.includes(message), json.message);
  }
});
