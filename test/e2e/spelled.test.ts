/** Raw JSON in native kinds keeps its exact text in all requests and formats. */
import t from 'tap';
import { runningServer, temporaryFolder } from '../apiserver/running.js';
import { json, merge, protobuf, wire, type Reply } from './wire.js';

const revisions = '/apis/apps/v1/namespaces/default/controllerrevisions';
const revision = (name: string, data: string, more = ''): string =>
  `{"kind":"ControllerRevision","apiVersion":"apps/v1","metadata":{"name":"${name}"${more}},"revision":1,"data": ${data}}`;

/** Returns the text after `"data":` in an answer, up to the last field. */
const dataOf = ({ bytes }: Reply): string =>
  /"data":(.*),"revision":1}\n?$/s.exec(bytes.toString())?.[1] ?? bytes.toString();

const spellings: readonly string[] = [
  '{"a":1.0,"b":[-0,-0.0,1e3,1E+2,0.10],"c":{"d":9223372036854775808}}',
  '{"b":1,"10":2,"2":3}',
  '{"a":1,"a":2.0}',
  '{"a":"\\u0041\\/","<":"&"}',
  '{"a":1.0,"__proto__":{"b":1.0},"toString":1}',
];

t.test('raw JSON keeps its text', async t => {
  const directory = await temporaryFolder(t);
  const config = {
    pkiDirectory: `${directory}/pki`,
    storage: { type: 'embedded', directory: `${directory}/storage` },
  } as const;
  const before = await runningServer(t, config);
  const client = wire(t, before);
  const send = (what: string, body?: string, type = json) =>
    client.send(what, { accept: json, ...(body !== undefined && { body, type }) });
  for (const [i, data] of spellings.entries()) {
    const path = `${revisions}/a${i}`;
    const made = await send(
      `POST ${revisions}?fieldValidation=Strict`,
      revision(`a${i}`, data.replaceAll(',', ' ,\n\t')),
    );
    t.equal(made.status, 201, made.bytes.toString());
    t.equal(dataOf(made), data, 'created');
    t.equal(dataOf(await send(`GET ${path}`)), data, 'read');

    const labelled = await send(`PATCH ${path}`, '{"metadata":{"labels":{"a":"b"}}}', merge);
    t.equal(dataOf(labelled), data, 'merge patch');
    const operations = '[{"op":"add","path":"/metadata/labels/c","value":"d"}]';
    t.equal(dataOf(await send(`PATCH ${path}`, operations, 'application/json-patch+json')), data, 'JSON patch');

    const { object } = await client.send(`GET ${path}`, { accept: protobuf });
    const copy = { ...object, metadata: { name: `b${i}` } };
    await client.send(`POST ${revisions}`, { body: copy, accept: protobuf });
    t.equal(dataOf(await send(`GET ${revisions}/b${i}`)), data, 'through protobuf');

    const generated = await send(`POST ${revisions}`, revision('', data, ',"generateName":"g-"'));
    t.equal(dataOf(generated), data, 'with a generated name');
  }

  const replaced = revision('a0', spellings[0] ?? '', ',"annotations":{"x":"y"}');
  const put = await send(`PUT ${revisions}/a0`, replaced);
  t.equal(dataOf(put), spellings[0], 'replaced');
  const same = await send(`PUT ${revisions}/a0`, replaced);
  t.equal(
    same.object.metadata.resourceVersion,
    put.object.metadata.resourceVersion,
    'an identical update writes nothing',
  );

  const pretty = await send(`GET ${revisions}/a0?pretty=1`);
  t.match(pretty.bytes.toString(), '\n  "data": {\n    "a": 1.0,\n    "b": [\n      -0,\n      -0.0,\n');

  client.disconnect();
  await before.stop();
  const after = wire(t, await runningServer(t, config));
  const patched = await after.send(`PATCH ${revisions}/a0`, {
    body: '{"metadata":{"labels":{"e":"f"}}}',
    type: merge,
    accept: json,
  });
  t.equal(dataOf(patched), spellings[0], 'after a restart');
});

const claims = '/apis/resource.k8s.io/v1/namespaces/default/resourceclaims';
const claim = (parameters: string): string =>
  `{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"c"},"spec":{"devices":{
    "requests":[{"name":"r","exactly":{"deviceClassName":"gpu"}}],
    "config":[{"opaque":{"driver":"a.example.com","parameters":${parameters}}}]}}}`;

t.test('raw JSON of a claim is kept through YAML, and can be read', async t => {
  const client = wire(t, await runningServer(t));
  const send = (what: string, body: string, type = json) => client.send(what, { body, type, accept: json });
  const made = await send(`POST ${claims}`, claim('{"a": 1.0}'));
  t.match(made.bytes.toString(), '"opaque":{"driver":"a.example.com","parameters":{"a":1.0}}');

  const patch = '{"data":{"x":2.50,"b":null}}';
  await send(`POST ${revisions}`, revision('r', '{"a":1.0,"b":2}'));
  const refused = await send(`PATCH ${revisions}/r`, patch, merge);
  t.match(refused.object.message, /data: Invalid value: .*field is immutable/s);
  const other = await send(`PUT ${revisions}/r`, revision('r', '{"a":1,"b":2}'));
  t.match(other.object.message, /data: Invalid value: .*field is immutable/s, '1 and 1.0 differ');
  const strategic = '{"metadata":{"labels":{"a":"b"}}}';
  const read = await send(`PATCH ${revisions}/r`, strategic, 'application/strategic-merge-patch+json');
  t.equal(read.status, 200, read.bytes.toString());
});

t.test('floats of -0 are kept', async t => {
  const client = wire(t, await runningServer(t));
  const definition = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"signs.example.com"},
    "spec":{"group":"example.com","scope":"Cluster","names":{"plural":"signs","kind":"Sign"},"versions":[{"name":"v1","served":true,"storage":true,
    "schema":{"openAPIV3Schema":{"type":"object","properties":{"a":{"type":"number","minimum":-0,"maximum":1.0,"default":-0.0},
    "b":{"type":"number","maximum":-0.0}}}}}]}}`;
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const expect = '{"a":{"type":"number","default":0,"maximum":1,"minimum":-0},"b":{"type":"number","maximum":-0}}';
  const made = await client.send(`POST ${path}`, { body: definition, type: json, accept: json });
  t.match(made.bytes.toString(), expect);
  const label = { body: '{"metadata":{"labels":{"a":"b"}}}', type: merge, accept: json };
  t.match(
    (await client.send(`PATCH ${path}/signs.example.com`, label)).bytes.toString(),
    expect,
    'after a change of another field',
  );
  const { object } = await client.send(`GET ${path}/signs.example.com`, { accept: protobuf });
  const spec = object['spec'] as {
    versions: [{ schema: { openAPIV3Schema: { properties: Record<string, unknown> } } }];
  };
  t.match(spec.versions[0].schema.openAPIV3Schema.properties['b'], { maximum: -0 }, 'in protobuf');
});
