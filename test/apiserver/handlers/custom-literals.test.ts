/** Integers of custom resources that are written as floats are floats until they are stored. */
import t from 'tap';
import { anything, customKind, definitionsPath, listMap, object, set, version, whole } from '../../custom-kinds.js';
import { httpClient } from '../http-client.js';
import { runningServer } from '../running.js';

const ask = httpClient(t, await runningServer(t));
const path = '/apis/example.com/v1/namespaces/default/floats';
const types = { json: 'application/json', merge: 'application/merge-patch+json', patch: 'application/json-patch+json' };

const schema = object({
  spec: object(
    {
      ...{ replicas: whole, n: whole, of: { type: 'array', items: whole }, free: anything },
      ruled: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self > 1' }] },
      double: { type: 'number', 'x-kubernetes-validations': [{ rule: 'self > 1.0' }] },
      either: { 'x-kubernetes-int-or-string': true },
      items: { type: 'array', items: object({ n: whole }) },
      set: set(whole),
      by: listMap(['n'], { n: whole }),
      byBoth: listMap(['n', 'm'], { n: whole, m: { ...whole, default: 0 } }),
    },
    {
      'x-kubernetes-validations': [
        { rule: '!has(self.items) || self.items.all(item, item.n < 5)' },
        { rule: '!has(self.either) || self.either == 2' },
      ],
    },
  ),
  status: object({ replicas: whole }),
});
const subresources = {
  status: {},
  scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
};
await ask(`POST ${definitionsPath}`, { body: customKind('Float', [version('v1', schema, { subresources })]) });
while ((await ask(`GET ${path}`)).status !== 200) await new Promise(resolve => setImmediate(resolve));

const float = (name: string, rest: string, resourceVersion = ''): string =>
  `{"apiVersion":"example.com/v1","kind":"Float","metadata":{"name":"${name}","resourceVersion":"${resourceVersion}"},${rest}}`;
const send = (what: string, body: string, type: keyof typeof types = 'json') => ask(what, { body, type: types[type] });
const refused = (at: string, value: string): object => ({
  code: 422,
  reason: 'Invalid',
  details: {
    causes: [
      { field: at, message: `Invalid value: 0: ${at} accessor error: ${value} is of the type float64, expected int64` },
    ],
  },
});

t.test('at the paths of the scale subresource', async t => {
  const rows: readonly { readonly literal: string; readonly shown?: string }[] = [
    { literal: '2.0', shown: '2' },
    { literal: '2e0', shown: '2' },
    { literal: '1.0E6', shown: '1e+06' },
    { literal: '-0.0', shown: '-0' },
    { literal: '2' },
    { literal: '-0' },
  ];
  for (const { literal, shown } of rows) {
    const name = `s${rows.findIndex(row => row.literal === literal)}`;
    const expected = shown === undefined ? undefined : refused('.spec.replicas', shown);
    const created = await send(`POST ${path}`, float(name, `"spec":{"replicas":${literal}}`));
    t.match(created.json, expected ?? { spec: { replicas: Number(literal) + 0 } }, `created with ${literal}`);
    const other = await send(`POST ${path}`, float(`${name}x`, '"spec":{"replicas":1}'));
    const { resourceVersion } = other.json.metadata;
    const patched = await send(`PATCH ${path}/${name}x`, `{"spec":{"replicas":${literal}}}`, 'merge');
    t.match(patched.json, expected ?? { spec: { replicas: Number(literal) + 0 } }, `merged with ${literal}`);
    const added = `[{"op":"add","path":"/spec/replicas","value":${literal}}]`;
    t.match((await send(`PATCH ${path}/${name}x`, added, 'patch')).json, expected ?? { kind: 'Float' }, 'JSON patch');
    if (!expected) continue;
    const body = float(`${name}x`, `"spec":{"replicas":${literal}}`, resourceVersion);
    t.match((await send(`PUT ${path}/${name}x`, body)).json, expected, `replaced with ${literal}`);
    t.match((await send(`PUT ${path}/${name}x/status`, body)).status, 200, 'not in its status');
    t.match(
      (await send(`PATCH ${path}/${name}x/status`, `{"status":{"replicas":${literal}}}`, 'merge')).json,
      refused('.status.replicas', shown ?? ''),
      `its status with ${literal}`,
    );
    t.match(
      (await send(`PATCH ${path}/${name}x`, `{"status":{"replicas":${literal}}}`, 'merge')).status,
      200,
      'an ignored status',
    );
  }
  const yaml = await ask(`POST ${path}`, {
    body: 'apiVersion: example.com/v1\nkind: Float\nmetadata: {name: yaml}\nspec: {replicas: 2.0}',
    type: 'application/yaml',
  });
  t.match(yaml.json, { spec: { replicas: 2 } }, 'YAML is converted to JSON first');
});

t.test('in other places', async t => {
  const numbers = '"spec":{"n":2.0,"of":[1e1,-0.0],"free":{"a":-0,"b":1e2,"c":1.50}}';
  const spec = { n: 2, of: [10, 0], free: { a: 0, b: 100, c: 1.5 } };
  const made = await send(`POST ${path}`, float('e', numbers));
  t.strictSame(made.json.spec, spec);
  t.match(made.json.metadata, { generation: 1 });
  const generation = async (what: string, body: string, type: keyof typeof types): Promise<unknown> =>
    ((await send(what, body, type)).json.metadata as { generation?: number }).generation;
  const at = `PATCH ${path}/e`;
  t.equal(await generation(at, '{"spec":{"n":2}}', 'merge'), 1, 'nothing changed');
  t.equal(await generation(at, '{"spec":{"n":2.0}}', 'merge'), 2, 'the stored value was an int');
  t.equal(
    await generation(
      at,
      '[{"op":"add","path":"/spec/of/0","value":10.0},{"op":"remove","path":"/spec/of/1"}]',
      'patch',
    ),
    3,
  );
  t.equal(await generation(at, '{"spec":{"free":{"c":1.5}}}', 'merge'), 3, 'a float is a float');
  t.equal(await generation(at, '{"spec":{"free":{"c":1.500}}}', 'merge'), 3);
  const { resourceVersion } = (await ask(`GET ${path}/e`)).json.metadata;
  t.equal(await generation(`PUT ${path}/e`, float('e', numbers, resourceVersion), 'json'), 4);
  t.strictSame((await ask(`GET ${path}/e`)).json.spec, spec);
});

t.test('in sets and list maps', async t => {
  const duplicate = (field: string, value: string): object => ({
    details: { causes: [{ reason: 'FieldValueDuplicate', field, message: `Duplicate value: ${value}` }] },
  });
  const rows: readonly { readonly spec: string; readonly expect: object }[] = [
    { spec: '"set":[1,1]', expect: duplicate('spec.set[1]', '1') },
    { spec: '"set":[1,1.0]', expect: { spec: { set: [1, 1] } } },
    { spec: '"set":[1.0,1,1e0]', expect: duplicate('spec.set[2]', '1') },
    { spec: '"by":[{"n":1},{"n":1.0}]', expect: { spec: { by: [{ n: 1 }, { n: 1 }] } } },
    { spec: '"by":[{"n":1.0},{"n":10e-1}]', expect: duplicate('spec.by[1]', '{"n":1}') },
    { spec: '"byBoth":[{"n":1,"m":2},{"n":1.0,"m":2}]', expect: duplicate('spec.byBoth[1]', '{"m":2,"n":1}') },
  ];
  for (const { spec, expect } of rows)
    t.match((await send(`POST ${path}?dryRun=All`, float('l', `"spec":{${spec}}`))).json, expect, spec);
});

t.test('in expressions', async t => {
  const wrong = (field: string, type: string, what: string, rule: string): object => ({
    details: {
      causes: [{ field, message: `Invalid value: "${type}": invalid data, expected ${what} evaluating rule: ${rule}` }],
    },
  });
  const whole = 'int, got float64';
  const rows: readonly { readonly spec: string; readonly expect: object }[] = [
    { spec: '"ruled":2', expect: { kind: 'Float' } },
    { spec: '"ruled":2.0', expect: wrong('spec.ruled', 'integer', whole, 'self > 1') },
    { spec: '"ruled":-0', expect: { details: { causes: [{ field: 'spec.ruled' }] } } },
    { spec: '"double":2.0', expect: { kind: 'Float' } },
    {
      spec: '"items":[{"n":1},{"n":2.0}]',
      expect: wrong('spec', 'object', whole, '!has(self.items) || self.items.all(item, item.n < 5)'),
    },
    { spec: '"either":2', expect: { kind: 'Float' } },
    {
      spec: '"either":2.0',
      expect: wrong(
        'spec',
        'object',
        'XIntOrString value to be either a string or integer',
        '!has(self.either) || self.either == 2',
      ),
    },
  ];
  for (const { spec, expect } of rows)
    t.match((await send(`POST ${path}?dryRun=All`, float('r', `"spec":{${spec}}`))).json, expect, spec);
  await send(`POST ${path}`, float('r', '"spec":{"ruled":2}'));
  const again = await send(`PATCH ${path}/r`, '{"spec":{"ruled":2.0}}', 'merge');
  t.match(again.json, wrong('spec.ruled', 'integer', whole, 'self > 1'), 'it is a change');
});

t.test('beyond float64', async t => {
  const text = 'json: cannot unmarshal number 1e400 into Go value of type float64';
  const head = 'Float in version "v1" cannot be handled as a Float: ';
  const spec = '{"spec":{"free":{"a":"-1e500","b":1e400}}}';
  const rows: readonly (readonly [what: string, body: string, type: keyof typeof types, expect: object])[] = [
    [`POST ${path}`, float('z', spec.slice(1, -1)), 'json', { code: 400, message: head + text }],
    [`PATCH ${path}/e`, spec, 'merge', { code: 400, message: `error decoding patch: ${text}` }],
    [`PATCH ${path}/e?fieldValidation=Ignore`, spec, 'merge', { code: 422, message: new RegExp(`: ${text}$`) }],
    [
      `PATCH ${path}/e?fieldValidation=Ignore`,
      '[{"op":"add","path":"/spec/free/b","value":1e400}]',
      'patch',
      { code: 422, message: new RegExp(`"b\\\\":1e400.*: ${text}$`) },
    ],
  ];
  for (const [what, body, type, expect] of rows) t.match((await send(what, body, type)).json, expect, what);
  const twice = '[{"op":"add","path":"/spec/n","value":1e400},{"op":"replace","path":"/spec/n","value":3}]';
  t.match(
    (await send(`PATCH ${path}/e?fieldValidation=Ignore`, twice, 'patch')).json,
    { spec: { n: 3 } },
    'fields that are removed in the end are not validated',
  );
});
