/** Custom resources in OpenAPI, and their use by kubectl. as test/e2e/apimachinery/crd_publish_openapi.go */
import t, { type Test } from 'tap';
import { kubectlFor, needsKubectl } from '../../e2e/kubectl.js';
import { until } from '../../storage/until.js';
import { type Defined, definition, established, type Version } from './definition.js';
import { kit, version } from './kit.js';
import { runningControlPlane } from './running-control-plane.js';

const server = await runningControlPlane(t);
const all = kit(t, server);
const kubectl = kubectlFor(t, server);
const definitions = all.of('apiextensions.k8s.io/v1/customresourcedefinitions');

const text = (description: string) => ({ description, type: 'string' });
const list = (description: string, properties: object, required?: string[]) => ({
  description,
  type: 'array',
  items: { type: 'object', ...(required ? { required } : {}), properties },
});

const foo = {
  description: 'Foo CRD for Testing',
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      description: 'Specification of Foo',
      properties: {
        bars: list(
          'List of Bars and their specs.',
          {
            name: text('Name of Bar.'),
            age: text('Age of Bar.'),
            feeling: { ...text('Whether Bar is feeling great.'), enum: ['Great', 'Down'] },
            bazs: { description: 'List of Bazs.', type: 'array', items: { type: 'string' } },
          },
          ['name'],
        ),
      },
    },
    status: {
      description: 'Status of Foo',
      type: 'object',
      properties: { bars: list('List of Bars and their statuses.', { name: text('Name of Bar.') }) },
    },
  },
};
const waldo = (more: object, spec: object) => ({
  description: 'Waldo CRD for Testing',
  type: 'object',
  ...more,
  properties: { spec: { description: 'Specification of Waldo', type: 'object', ...spec } },
});
const open = { 'x-kubernetes-preserve-unknown-fields': true };

interface Document {
  readonly definitions: Readonly<Record<string, object | undefined>>;
}

/** Returns the definition of a kind in OpenAPI v2. */
async function published({ group, kind }: Defined, version: string): Promise<object | undefined> {
  const { definitions } = (await all.read('/openapi/v2')) as unknown as Document;
  return definitions[`${group.split('.').reverse().join('.')}.${version}.${kind}`];
}

/** Checks that OpenAPI v2 and v3 have the schema. */
async function says(t: Test, made: Defined, version: string, schema: object): Promise<void> {
  await until(`${made.kind} ${version}`, async () => (await published(made, version)) !== undefined);
  t.match(await published(made, version), schema, `${version} is published`);
  const { components } = (await all.read(`/openapi/v3/apis/${made.group}/${version}`)) as unknown as {
    components: { schemas: Record<string, object> };
  };
  t.match(components.schemas[`${made.group.split('.').reverse().join('.')}.${version}.${made.kind}`], schema);
}

const gone = (made: Defined, version: string): Promise<void> =>
  until(`the end of ${made.kind} ${version}`, async () => (await published(made, version)) === undefined);

async function define(versions: readonly Version[], group?: string): Promise<Defined> {
  const made = definition('published', { versions, ...(group === undefined ? {} : { group }) });
  await established(all, made);
  return made;
}

t.test('kinds of several groups are published', async t => {
  const [a, b] = [
    await define([{ name: 'v1', schema: foo }]),
    await define([{ name: 'v1beta1', schema: waldo({}, {}) }]),
  ];
  await says(t, a, 'v1', foo);
  await says(t, b, 'v1beta1', waldo({}, {}));
});

t.test('versions of one group are published', async t => {
  const one = await define(['v2', 'v3'].map(name => ({ name, schema: foo })));
  for (const name of ['v2', 'v3']) await says(t, one, name, foo);
  const group = 'common-group.example.com';
  const a = await define([{ name: 'v4', schema: foo }], group);
  const b = await define([{ name: 'v5', schema: waldo({}, {}) }], group);
  await says(t, a, 'v4', foo);
  await says(t, b, 'v5', waldo({}, {}));
});

t.test('kinds of one version are published', async t => {
  const group = 'common-version.example.com';
  const a = await define([{ name: 'v6', schema: foo }], group);
  const b = await define([{ name: 'v6', schema: waldo({}, {}) }], group);
  await says(t, a, 'v6', foo);
  await says(t, b, 'v6', waldo({}, {}));
  await definitions.remove(`${a.name}.${group}`);
  await gone(a, 'v6');
  await says(t, b, 'v6', waldo({}, {}));
});

t.test('a renamed version is published', async t => {
  const made = await define(['v2', 'v3'].map(name => ({ name, schema: foo })));
  const at = '/spec/versions/1/name';
  const patch = [
    { op: 'test', path: at, value: 'v3' },
    { op: 'replace', path: at, value: 'v4' },
  ];
  await definitions.patch(`${made.name}.${made.group}`, patch, 'json');
  await says(t, made, 'v4', foo);
  await gone(made, 'v3');
  await says(t, made, 'v2', foo);
});

t.test('a version that is no longer served is not published', async t => {
  const made = await define(['v5', 'v6alpha1'].map(name => ({ name, schema: foo })));
  for (const name of ['v5', 'v6alpha1']) await says(t, made, name, foo);
  const before = await definitions.get(`${made.name}.${made.group}`);
  const after = await definitions.update(before.metadata.name, ({ spec }) => {
    const [, second] = (spec as { versions: { served: boolean }[] }).versions;
    if (second) second.served = false;
  });
  t.ok(version(after) > version(before));
  await gone(made, 'v6alpha1');
  await says(t, made, 'v5', foo);
});

/** Objects that kubectl accepts and refuses, and its explanations. `%` is replaced by the plural. */
const dialogues: Readonly<
  Record<
    string,
    { schema?: object; taken: object; refused?: readonly [object, RegExp][]; explained: readonly [string, RegExp][] }
  >
> = {
  'a schema': {
    schema: foo,
    taken: { spec: { bars: [{ name: 'test-bar' }] } },
    refused: [
      [
        { spec: { bars: [{ name: 'test-bar', feeling: 'NonExistentValue' }] } },
        /Unsupported value: "NonExistentValue"/,
      ],
      [{ spec: { foo: true } }, /unknown field "spec\.foo"|field not declared in schema/],
      [{ spec: { bars: [{ age: '10' }] } }, /missing required field "name"|spec\.bars\[0\]\.name: Required value/],
    ],
    explained: [
      [
        '%',
        /DESCRIPTION:.*Foo CRD for Testing.*FIELDS:.*apiVersion.*<string>.*APIVersion defines.*spec.*<Object>.*Specification of Foo/s,
      ],
      [
        '%.metadata',
        /DESCRIPTION:.*Standard object's metadata.*FIELDS:.*creationTimestamp.*<string>.*CreationTimestamp is a timestamp/s,
      ],
      ['%.spec', /DESCRIPTION:.*Specification of Foo.*FIELDS:.*bars.*<\[\]Object>.*List of Bars and their specs/s],
      [
        '%.spec.bars',
        /FIELD:.*bars.*<\[\]Object>.*List of Bars and their specs.*bazs.*<\[\]string>.*List of Bazs.*name.*<string>.*Name of Bar/s,
      ],
      ['%.spec.bars2', /field "bars2" does not exist/],
    ],
  },
  'no schema': { taken: { a: { b: [{ c: 'd' }] } }, explained: [['%', /DESCRIPTION:.*<empty>/s]] },
  'a schema that keeps unknown fields': {
    schema: waldo(open, {}),
    taken: { a: { b: [{ c: 'd' }] } },
    explained: [['%', /KIND:.*E2epublished/s]],
  },
  'a schema that keeps unknown fields in a part': {
    schema: waldo({}, open),
    taken: { spec: { a: null, b: [{ c: 'd' }] } },
    explained: [['%', /DESCRIPTION:.*Waldo CRD for Testing/s]],
  },
};

for (const [name, { schema, taken, refused = [], explained }] of Object.entries(dialogues))
  t.test(`kubectl validates and explains ${name}`, needsKubectl, async t => {
    const made = await define([{ name: 'v1', ...(schema ? { schema } : {}) }]);
    await until(made.kind, async () => (await published(made, 'v1')) !== undefined);
    const head = { apiVersion: `${made.group}/v1`, kind: made.kind, metadata: { name: 'test-cr' } };
    for (const verb of ['create', 'apply']) {
      const { code, err } = await kubectl(`${verb} -f -`, { input: JSON.stringify({ ...head, ...taken }) });
      t.equal(code, 0, err);
      await all.of(`${made.group}/v1/${made.name}`, 'default').remove('test-cr');
      for (const [object, fault] of refused) {
        const { code, err } = await kubectl(`${verb} -f -`, { input: JSON.stringify({ ...head, ...object }) });
        t.not(code, 0);
        t.match(err, fault);
      }
    }
    for (const [what, expected] of explained) {
      const { out, err } = await kubectl(`explain ${what.replace('%', made.name)}`);
      t.match(out + err, expected, what);
    }
  });
