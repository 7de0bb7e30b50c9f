/** 64-bit integers are kept exactly in all requests and formats. */
import t, { type Test } from 'tap';
import { type Int64, int64Of } from '../../lib/json/json.js';
import { runningServer, temporaryFolder, type TestServer } from '../apiserver/running.js';
import { anything, customKind, definitionsPath, listMap, object, set, text, version, whole } from '../custom-kinds.js';
import { accepts, protobuf, wire, type Reply, type Wire } from './wire.js';

const json = 'application/json';
const integer = { type: 'integer', format: 'int64' };
const spec = {
  type: 'object',
  properties: {
    count: integer,
    plain: whole,
    small: { type: 'integer', format: 'int32' },
    bounded: { type: 'integer', minimum: -9007199254740993, maximum: 1e18, multipleOf: 3 },
    one: { ...integer, enum: ['LONG'] },
    set: set(integer),
    items: listMap(['id'], { id: integer, text }),
    float: { type: 'number' },
    either: { 'x-kubernetes-int-or-string': true },
    by: { ...integer, default: 'LONG' },
    next: integer,
    free: anything,
  },
  'x-kubernetes-validations': [
    { rule: '!has(self.next) || self.count + 1 == self.next', messageExpression: 'string(self.count)' },
    {
      rule: '!has(self.count) || self.count != 9007199254740995 && dyn(self.count) != 9007199254740996.0',
      message: 'not these',
    },
  ],
};
const columns = [
  { name: 'N', type: 'integer', jsonPath: '.spec.count' },
  { name: 'Text', type: 'string', jsonPath: '.spec.count' },
  { name: 'Float', type: 'number', jsonPath: '.spec.count' },
  { name: 'Whole', type: 'integer', jsonPath: '.spec.float' },
];
const definition = JSON.stringify(
  customKind('Long', [version('v1', object({ spec }), { additionalPrinterColumns: columns })]),
).replaceAll('"LONG"', '9007199254740993');

const longs = '/apis/example.com/v1/namespaces/default/longs';
const long = (name: string, spec: string): string =>
  `{"apiVersion":"example.com/v1","kind":"Long","metadata":{"name":"${name}"},"spec":${spec}}`;

const specOf = ({ object }: Reply): Record<string, unknown> => object['spec'] as Record<string, unknown>;

async function defined(t: Test, server: TestServer): Promise<Wire> {
  const client = wire(t, server);
  const made = await client.send(`POST ${definitionsPath}`, {
    body: definition,
    type: json,
    accept: json,
  });
  t.equal(made.status, 201, made.bytes.toString());
  return client;
}

const started = async (t: Test): Promise<Wire> => defined(t, await runningServer(t));

const values = [
  9223372036854775807n,
  -9223372036854775808n,
  9007199254740993n,
  -9007199254740993n,
  9007199254740992n,
  9007199254740991,
] as const;

/** Returns a neighbouring number, which may be equal as a double. */
const beside = (value: Int64): bigint => BigInt(value) - (value < 0 ? -1n : 1n);

t.test('custom resources keep 64-bit integers', async t => {
  const client = await started(t);
  const send = (what: string, body?: string, type = json) =>
    client.send(what, { accept: json, ...(body !== undefined && { body, type }) });
  const { events } = await client.watch(`${longs}?watch=1`, json);
  const iterator = events[Symbol.asyncIterator]();

  for (const [i, value] of values.entries()) {
    const name = `a${i}`;
    const check = async (how: string, reply: Reply, status: number, expect: unknown): Promise<void> => {
      if (reply.status !== status) throw new Error(`${how}: ${reply.bytes.toString()}`);
      t.strictSame(specOf(reply), expect, how);
      const event = (await iterator.next()).value as { object: { spec?: unknown } } | undefined;
      t.strictSame(event?.object.spec, expect, `${how}, watched`);
      t.strictSame(specOf(await send(`GET ${longs}/${name}`)), expect, `${how}, read again`);
    };
    const by = 9007199254740993n;
    const floats = { by, either: value, float: value, free: { deep: [value] }, count: value };
    const text = `{"count":${value},"either":${value},"float":${value},"free":{"deep":[${value}]}}`;
    const made = await send(`POST ${longs}`, long(name, text));
    await check('create', made, 201, floats);

    const metadata = `{name: ${name}, resourceVersion: "${made.object.metadata.resourceVersion}"}`;
    const yaml = `apiVersion: example.com/v1\nkind: Long\nmetadata: ${metadata}\nspec:\n  count: ${value}\n`;
    await check('update', await send(`PUT ${longs}/${name}`, yaml, 'application/yaml'), 200, { by, count: value });

    const operations = `[{"op":"test","path":"/spec/count","value":${value}},{"op":"add","path":"/spec/plain","value":${value}},
      {"op":"copy","from":"/spec/count","path":"/spec/either"},{"op":"replace","path":"/spec/count","value":1}]`;
    await check('JSON patch', await send(`PATCH ${longs}/${name}`, operations, 'application/json-patch+json'), 200, {
      by,
      either: value,
      count: 1,
      plain: value,
    });
    const other = `[{"op":"test","path":"/spec/plain","value":${beside(value)}}]`;
    t.equal(
      (await send(`PATCH ${longs}/${name}`, other, 'application/json-patch+json')).status,
      422,
      'the neighbouring number differs',
    );

    const merge = `{"spec":{"count":${value},"plain":null,"either":null,"by":${value}}}`;
    await check('merge patch', await send(`PATCH ${longs}/${name}`, merge, 'application/merge-patch+json'), 200, {
      by: value,
      count: value,
    });

    const apply = `${longs}/${name}?fieldManager=m`;
    const type = 'application/apply-patch+yaml';
    const applied = long(name, `{"count":${value},"set":[${value}],"items":[{"id":${value},"text":"x"}]}`);
    const merged = { by: value, items: [{ id: value, text: 'x' }], count: value, set: [value] };
    const reply = await send(`PATCH ${apply}`, applied, type);
    await check('apply', reply, 200, merged);
    const { managedFields } = reply.object.metadata;
    const fields = managedFields?.find(({ manager }) => manager === 'm')?.['fieldsV1'] as Record<string, object>;
    t.hasProps(fields, ['f:spec']);
    t.match(reply.bytes.toString(), `"f:set":{"v:${value}":{}}`);
    t.match(reply.bytes.toString(), `"k:{\\"id\\":${value}}":{".":{}`);
    const conflict = await send(
      `PATCH ${longs}/${name}?fieldManager=o`,
      long(name, `{"count":${beside(value)}}`),
      type,
    );
    t.equal(conflict.status, 409, 'another value is a conflict');
    const shared = await send(`PATCH ${longs}/${name}?fieldManager=o`, long(name, `{"count":${value}}`), type);
    await check('the same value is none', shared, 200, merged);
    const more = `{"count":${value},"set":[1],"items":[{"id":${beside(value)}},{"id":${value},"text":"y"}]}`;
    await check('apply again', await send(`PATCH ${apply}`, long(name, more), type), 200, {
      ...merged,
      ...{ set: [1], items: [{ id: int64Of(beside(value)) }, { id: value, text: 'y' }] },
    });
  }
});

interface Refusal {
  readonly given: string;
  readonly expect: RegExp;
}

t.test('custom resources refuse numbers out of range, and convert others to floats', async t => {
  const client = await started(t);
  const create = (spec: string) => client.send(`POST ${longs}`, { body: long('x', spec), type: json, accept: json });
  const refusals: readonly Refusal[] = [
    {
      given: '{"count":9223372036854775808}',
      expect: /spec\.count: Invalid value: "float64": spec\.count in body must be of type int64: "float64"/,
    },
    {
      given: '{"plain":-9223372036854775809}',
      expect: /spec\.plain: Invalid value: "number": spec\.plain in body must be of type integer: "number"/,
    },
    { given: '{"plain":1e18}', expect: /spec\.plain in body must be of type integer: "number"/ },
    {
      given: '{"small":9007199254740993}',
      expect: /Checked value must be of type integer with format int32 in spec\.small/,
    },
    { given: '{"bounded":-9007199254740996}', expect: /should be greater than or equal to -9007199254740992/ },
    { given: '{"bounded":1000000000000000001}', expect: /should be less than or equal to 1000000000000000000/ },
    {
      given: '{"bounded":9007199254740992}',
      expect: /spec\.bounded: Invalid value: 9007199254740992: .* multiple of 3/,
    },
    {
      given: '{"one":9007199254740992}',
      expect: /Unsupported value: 9007199254740992: supported values: "9007199254740993"/,
    },
    {
      given: '{"set":[9007199254740993,9007199254740993]}',
      expect: /spec\.set\[1\]: Duplicate value: 9007199254740993/,
    },
    {
      given: '{"items":[{"id":9007199254740993},{"id":9007199254740993}]}',
      expect: /Duplicate value: \{"id":9007199254740993\}/,
    },
    {
      given: '{"either":9223372036854775808}',
      expect: /spec\.either in body must be of type integer,string: "number"/,
    },
    { given: '{"count":9007199254740993,"next":9007199254740993}', expect: /Invalid value: 9007199254740993/ },
    { given: '{"count":9223372036854775807,"next":1}', expect: /integer overflow/ },
    { given: '{"count":9007199254740995}', expect: /not these/ },
    { given: '{"count":9007199254740996}', expect: /not these/ },
    { given: '{"count":1e400}', expect: /json: cannot unmarshal number 1e400 into Go value of type float64/ },
  ];
  for (const { given, expect } of refusals) {
    const { status, object } = await create(given);
    t.ok(status === 422 || status === 400, given);
    t.match(object.message, expect, given);
  }
  const made = await create(
    '{"count":9007199254740999,"next":9007199254741000,"one":9007199254740993,"set":[9007199254740992,9007199254740993],' +
      '"bounded":999999999999999999,"float":9223372036854775808,"free":{"a":[9223372036854775808,1e21,1e-7,1e18,1.0]}}',
  );
  t.match(
    made.bytes.toString(),
    '"spec":{"bounded":999999999999999999,"by":9007199254740993,"count":9007199254740999,"float":9223372036854776000,' +
      '"free":{"a":[9223372036854776000,1e+21,1e-7,1000000000000000000,1]},' +
      '"next":9007199254741000,"one":9007199254740993,"set":[9007199254740992,9007199254740993]}',
  );
  const table = await client.send(`GET ${longs}`, { accept: `${json};as=Table;g=meta.k8s.io;v=v1` });
  t.match(
    table.bytes.toString(),
    '"cells":["x",9007199254740999,"9007199254740999",9007199254741000,-9223372036854775808]',
  );
  const yaml = await client.send(`GET ${longs}/x`, { accept: 'application/yaml' });
  t.match(yaml.bytes.toString(), /\n {2}count: 9007199254740999\n/);
  t.match(yaml.bytes.toString(), /\n {2}float: 9223372036854776000\n/);
  const pretty = await client.send(`GET ${longs}/x?pretty=1`, { accept: json });
  t.match(pretty.bytes.toString(), /\n {4}"count": 9007199254740999,\n/);
  const unchanged = await client.send(`PUT ${longs}/x`, { body: pretty.bytes, type: json, accept: json });
  t.strictSame(unchanged.object.metadata, made.object.metadata, 'an identical apply changes nothing');
  for (const body of [long('y', '{"count":1e18}'), long('y', '{"count": 1e18, }')]) {
    const type = 'application/apply-patch+yaml';
    const applied = await client.send(`PATCH ${longs}/y?fieldManager=m`, { body, type, accept: json });
    t.equal(specOf(applied)['count'], 1000000000000000000n, 'whole floats in YAML are integers');
  }
});

const deployments = '/apis/apps/v1/namespaces/default/deployments';
const deployment = (name: string, seconds: string): string =>
  `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"${name}"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{
    "metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}],"terminationGracePeriodSeconds":${seconds},
    "tolerations":[{"key":"k","operator":"Exists","effect":"NoExecute","tolerationSeconds":${seconds}}]}}}}`;

interface Template {
  readonly template: {
    readonly spec: { terminationGracePeriodSeconds: unknown; tolerations: { tolerationSeconds: unknown }[] };
  };
}

t.test('native kinds keep 64-bit integers', async t => {
  const client = wire(t, await runningServer(t));
  const send = (what: string, body: string, type = json) => client.send(what, { body, type, accept: json });
  const found = (reply: Reply): unknown => {
    const { spec } = (reply.object['spec'] as Template).template;
    const { terminationGracePeriodSeconds: seconds, tolerations } = spec;
    return seconds === tolerations[0]?.tolerationSeconds ? seconds : spec;
  };
  const { events } = await client.watch(`${deployments}?watch=1`, protobuf);
  const iterator = events[Symbol.asyncIterator]();
  for (const [i, value] of [9223372036854775807n, -9223372036854775808n, 9007199254740993n, 30].entries()) {
    const path = `${deployments}/d${i}`;
    const made = await send(`POST ${deployments}`, deployment(`d${i}`, String(value)));
    t.equal(found(made), value, made.bytes.toString());
    const event = (await iterator.next()).value as { object: Reply['object'] };
    t.equal(found({ ...made, object: event.object }), value, 'watched in protobuf');
    for (const accept of [protobuf, json, accepts.typed])
      t.equal(found(await client.send(`GET ${path}`, { accept })), value, accept);
    const { object } = await client.send(`GET ${path}`, { accept: protobuf });
    const again = { ...object, metadata: { name: `e${i}` } };
    t.equal(found(await client.send(`POST ${deployments}`, { body: again, accept: protobuf })), value, 'in protobuf');
    await iterator.next();
    const yaml = await client.send(`GET ${path}`, { accept: 'application/yaml' });
    t.match(yaml.bytes.toString(), `terminationGracePeriodSeconds: ${value}\n`);

    const change = (seconds: unknown): string =>
      `{"spec":{"template":{"spec":{"terminationGracePeriodSeconds":${String(seconds)},` +
      `"tolerations":[{"key":"k","operator":"Exists","effect":"NoExecute","tolerationSeconds":${String(seconds)}}]}}}}`;
    for (const type of ['merge-patch', 'strategic-merge-patch'])
      for (const next of [1, value]) {
        const reply = await send(`PATCH ${path}`, change(next), `application/${type}+json`);
        t.equal(found(reply), next, type);
        await iterator.next();
      }
    const at = '/spec/template/spec/terminationGracePeriodSeconds';
    const test = `[{"op":"test","path":"${at}","value":${value}}]`;
    t.equal((await send(`PATCH ${path}`, test, 'application/json-patch+json')).status, 200);
    const apply = deployment(`d${i}`, String(value));
    const type = 'application/apply-patch+yaml';
    t.equal(found(await send(`PATCH ${path}?fieldManager=m`, apply, type)), value, 'apply');
    await iterator.next();
    const other = await send(`PATCH ${path}?fieldManager=n`, deployment(`d${i}`, String(beside(value))), type);
    t.equal(other.status, 409, other.bytes.toString());
  }
});

t.test('native kinds refuse numbers out of range', async t => {
  const client = wire(t, await runningServer(t));
  const send = (what: string, body: string, type = json) => client.send(what, { body, type, accept: json });
  const field = (literal: string): string =>
    `json: cannot unmarshal number ${literal} into Go struct field PodSpec.spec.template.spec.terminationGracePeriodSeconds of type int64`;
  await send(`POST ${deployments}`, deployment('d', '1'));
  const patch = (seconds: string): string =>
    `{"spec":{"template":{"spec":{"terminationGracePeriodSeconds":${seconds}}}}}`;
  for (const literal of ['9223372036854775808', '-9223372036854775809', '1e400', '1.5', '12345678901234567890123']) {
    const refused = await send(`POST ${deployments}`, deployment('x', literal));
    t.equal(refused.status, 400);
    t.match(refused.object.message, field(literal), literal);
  }
  const merge = await send(`PATCH ${deployments}/d`, patch('9223372036854775808'), 'application/merge-patch+json');
  t.match(merge.object.message, field('9223372036854775808'));
  // Go converts the numbers of the object one by one.
  const strategic = `{"spec":{"replicas":4294967298,"template":{"spec":{"terminationGracePeriodSeconds":9223372036854775808}}}}`;
  const wrapped = await send(`PATCH ${deployments}/d`, strategic, 'application/strategic-merge-patch+json');
  t.match(wrapped.object['spec'], {
    replicas: 2,
    template: { spec: { terminationGracePeriodSeconds: -9223372036854775808n } },
  });
  const map = `{"apiVersion":"v1","kind":"ResourceQuota","metadata":{"name":"q"},"spec":{"hard":{"pods":9223372036854775807}}}`;
  const quota = await send('POST /api/v1/namespaces/default/resourcequotas', map);
  t.match(quota.bytes.toString(), '"hard":{"pods":"9223372036854775807"}');
});

t.test('stored integers are exact after a restart', async t => {
  const directory = await temporaryFolder(t);
  const config = {
    pkiDirectory: `${directory}/pki`,
    storage: { type: 'embedded', directory: `${directory}/storage` },
  } as const;
  const spec = '{"count":9007199254740999,"free":{"a":[9223372036854775808,-9223372036854775808]}}';
  const before = await runningServer(t, config);
  const client = await defined(t, before);
  const made = await client.send(`POST ${longs}`, { body: long('x', spec), type: json, accept: json });
  t.equal(made.status, 201);
  await client.send(`POST ${deployments}`, { body: deployment('d', '9007199254740993'), type: json, accept: json });
  client.disconnect();
  await before.stop();

  const after = wire(t, await runningServer(t, config));
  const type = 'application/merge-patch+json';
  const patched = await after.send(`PATCH ${longs}/x`, { body: '{"spec":{"plain":1}}', type, accept: json });
  const expect = { by: 9007199254740993n, count: 9007199254740999n, plain: 1 };
  t.match(specOf(patched), { ...expect, free: { a: [9223372036854775808, -9223372036854775808n] } });
  const labelled = { body: '{"metadata":{"labels":{"a":"b"}}}', type, accept: json };
  const { object } = await after.send(`PATCH ${deployments}/d`, labelled);
  t.match(object['spec'], { template: { spec: { terminationGracePeriodSeconds: 9007199254740993n } } });
});
