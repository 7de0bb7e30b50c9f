/** POST, PUT, PATCH and DELETE over a socket: bodies, options, refusals. What is stored is tested with the pipeline. */
import t from 'tap';
import { encodeProtobuf } from '../../../apiserver/negotiate/protobuf/envelope.js';
import { httpClient } from '../http-client.js';
import { runningServer } from '../running.js';

const maps = '/api/v1/namespaces/default/configmaps';
const server = await runningServer(t);
const ask = httpClient(t, server);
const object = (name: string, more: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  ...more,
});

t.test('bodies in all accepted formats', async t => {
  const rows: readonly { type: string; body: unknown }[] = [
    { type: 'application/json', body: object('json', { data: { k: 'v' } }) },
    { type: 'application/json; charset=utf-8', body: { metadata: { name: 'untyped' }, data: { k: 'v' } } },
    { type: 'application/yaml', body: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: yaml}\ndata:\n  k: v\n' },
    {
      type: 'application/vnd.kubernetes.protobuf',
      body: encodeProtobuf({ ...object('protobuf', { data: { k: 'v' } }) }),
    },
  ];
  for (const { type, body } of rows) {
    const { status, json } = await ask(`POST ${maps}`, { type, body });
    t.match({ status, json }, { status: 201, json: { kind: 'ConfigMap', data: { k: 'v' } } }, type);
  }
});

t.test('bodies that are refused', async t => {
  const json = 'application/json';
  const rows: readonly { body: unknown; type?: string; query?: string; expect: [number, RegExp] }[] = [
    { body: '', expect: [400, /json parse error: unexpected end of JSON input \(<empty>\)$/] },
    {
      body: '{"a":',
      expect: [400, /^the object provided is unrecognized \(must be of type ConfigMap\): .* \(\{"a":\)$/],
    },
    { body: '[]', expect: [400, /cannot unmarshal array into Go value of type struct .* \(5b5d\)$/] },
    { body: '{"kind":5}', expect: [400, /cannot unmarshal number into Go struct field \.kind of type string/] },
    {
      body: { ...object('a'), kind: 'Secret' },
      expect: [400, /^Secret in version "v1" cannot be handled as a ConfigMap: converting/],
    },
    { body: { ...object('a'), kind: 'No' }, expect: [400, /no kind "No" is registered for version "v1" in scheme/] },
    {
      body: object('a', { data: [] }),
      expect: [400, /cannot unmarshal array into Go struct field ConfigMap\.data of type map\[string\]string$/],
    },
    {
      body: object('a', { more: 1 }),
      query: '?fieldValidation=Strict',
      expect: [400, /strict decoding error: unknown field "more"$/],
    },
    {
      body: 'a: b: c',
      type: 'application/yaml',
      expect: [400, /\(must be of type ConfigMap\): yaml: line 1: /],
    },
    { body: 'x', type: 'text/plain', expect: [415, /^the body of the request was in an unknown format/] },
    {
      body: 'k8s',
      type: 'application/vnd.kubernetes.protobuf',
      expect: [400, /does not appear to be a protobuf message/],
    },
    {
      body: object('a', { data: { k: 'x'.repeat(3 << 20) } }),
      expect: [413, /^Request entity too large: limit is 3145728$/],
    },
    { body: object('a'), query: '?dryRun=No', expect: [422, /^CreateOptions\.meta\.k8s\.io "" is invalid/] },
  ];
  for (const { body, type = json, query = '', expect } of rows) {
    const { status, json } = await ask(`POST ${maps}${query}`, { body, type });
    const message = json.message;
    t.equal(status, expect[0], message);
    t.match(message, expect[1]);
  }
});

t.test('warnings', async t => {
  const body = '{"metadata":{"name":"warned","x":1},"data":{"k":"1","k":"2"},"more":1}';
  const { status, headers } = await ask(`POST ${maps}`, { body });
  t.equal(status, 201);
  t.equal(
    headers['warning'],
    ['unknown field \\"metadata.x\\"', 'duplicate field \\"data.k\\"', 'unknown field \\"more\\"']
      .map(w => `299 - "${w}"`)
      .join(', '),
  );
  const quiet = await ask(`POST ${maps}?fieldValidation=Ignore`, { body: body.replace('warned', 'quiet') });
  t.equal(quiet.headers['warning'], undefined);
});

t.test('the field manager is a parameter, or taken from the User-Agent', async t => {
  const managers = async (query: string, name: string): Promise<unknown> => {
    const { json } = await ask(`POST ${maps}${query}`, { body: object(name, { data: { k: 'v' } }) });
    return json.metadata.managedFields.map(entry => entry.manager);
  };
  t.same(await managers('', 'by-agent'), ['test']);
  t.same(await managers('?fieldManager=me', 'by-parameter'), ['me']);
});

t.test('the four kinds of patches', async t => {
  await ask(`POST ${maps}`, { body: object('p', { data: { a: '1', b: '2' } }) });
  const rows: readonly { type: string; body: unknown; query?: string; expect: object }[] = [
    { type: 'application/merge-patch+json', body: { data: { a: null } }, expect: { data: { b: '2', a: undefined } } },
    {
      type: 'application/json-patch+json',
      body: [{ op: 'add', path: '/data/c', value: '3' }],
      expect: { data: { c: '3' } },
    },
    { type: 'application/strategic-merge-patch+json', body: { data: { d: '4' } }, expect: { data: { d: '4' } } },
    {
      type: 'application/apply-patch+yaml',
      body: 'apiVersion: v1\nkind: ConfigMap\ndata: {e: "5"}\n',
      query: '?fieldManager=m',
      expect: { data: { e: '5' } },
    },
  ];
  for (const { type, body, query = '', expect } of rows) {
    const { status, json } = await ask(`PATCH ${maps}/p${query}`, { type, body });
    t.match({ status, json }, { status: 200, json: expect }, type);
  }
  const applied = await ask(`PATCH ${maps}/new?fieldManager=m`, {
    type: 'application/apply-patch+yaml',
    body: object('new'),
  });
  t.equal(applied.status, 201, 'apply creates a missing object');
  const refused: readonly { type: string; body: unknown; expect: [number, RegExp] }[] = [
    { type: 'application/x-patch', body: '{}', expect: [415, /^415: Unsupported Media Type$/] },
    {
      type: 'application/merge-patch+json',
      body: '{"a":',
      expect: [400, /^error decoding patch: unexpected end of JSON input$/],
    },
    { type: 'application/merge-patch+json', body: '[]', expect: [400, /cannot unmarshal array/] },
    { type: 'application/json-patch+json', body: '{}', expect: [400, /cannot unmarshal object/] },
    {
      type: 'application/apply-patch+yaml',
      body: '{}',
      expect: [422, /fieldManager: Required value: is required for apply patch$/],
    },
  ];
  for (const { type, body, expect } of refused) {
    const { status, json } = await ask(`PATCH ${maps}/p`, { type, body });
    t.equal(status, expect[0], json.message);
    t.match(json.message, expect[1]);
  }
});

t.test('deletions', async t => {
  for (const name of ['d1', 'd2', 'd3', 'd4']) await ask(`POST ${maps}`, { body: object(name) });
  t.match((await ask(`DELETE ${maps}/d1`)).json, {
    kind: 'Status',
    status: 'Success',
    details: { name: 'd1', kind: 'configmaps' },
  });
  const wrong = await ask(`DELETE ${maps}/d2`, { body: { preconditions: { uid: 'no' } } });
  t.match(wrong.json, { reason: 'Conflict', message: /the UID in the precondition \(no\) does not match/ });
  const inYaml = await ask(`DELETE ${maps}/d2`, { body: 'dryRun: [All]\n', type: 'application/yaml' });
  t.equal(inYaml.status, 200);
  t.equal((await ask(`GET ${maps}/d2`)).status, 200, 'a dry run deletes nothing');
  const options = encodeProtobuf({ apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Background' });
  t.equal((await ask(`DELETE ${maps}/d2`, { body: options, type: 'application/vnd.kubernetes.protobuf' })).status, 200);
  t.equal((await ask(`GET ${maps}/d2`)).status, 404);
  t.match(await ask(`DELETE ${maps}/d3`, { body: { kind: 'ConfigMap' } }), { status: 400 });
  t.match(await ask(`DELETE ${maps}/d3`, { body: '{' }), { status: 400 });
  const both = await ask(`DELETE ${maps}?fieldSelector=metadata.name%3Dd3`);
  t.same(
    both.json.items.map(item => item.metadata.name),
    ['d3'],
    'deletecollection returns the list',
  );
  t.equal((await ask(`GET ${maps}/d4`)).status, 200);
});
