/** GET and LIST in all formats, over a socket. */
import { gunzipSync } from 'node:zlib';
import t from 'tap';
import { decodeProtobuf } from '../../../apiserver/negotiate/protobuf/envelope.js';
import { readYaml } from '../../../lib/yaml/read-yaml.js';
import { httpClient } from '../http-client.js';
import { runningServer } from '../running.js';

const maps = '/api/v1/namespaces/default/configmaps';
const tableType = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const partialType = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
const listType = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';

const server = await runningServer(t);
const ask = httpClient(t, server);
for (const name of ['a', 'b', 'c'])
  await ask(`POST ${maps}`, { body: { metadata: { name, labels: { name } }, data: { k: name } } });

t.test('one object', async t => {
  const plain = await ask(`GET ${maps}/a`);
  t.equal(plain.status, 200);
  t.match(plain.headers, { 'content-type': 'application/json', 'cache-control': 'no-cache, private' });
  t.match(plain.text, /^\{"kind":"ConfigMap","apiVersion":"v1","metadata":\{"name":"a",.*\}\n$/);
  const object: unknown = plain.json;

  const pretty = await ask(`GET ${maps}/a?pretty=1`);
  t.match(pretty.text, /^\{\n {2}"kind": "ConfigMap",\n/);
  t.same(pretty.json, object);
  t.equal((await ask(`GET ${maps}/a`, { headers: { 'user-agent': 'curl/8' } })).text, pretty.text);

  const yaml = await ask(`GET ${maps}/a`, { accept: 'application/yaml' });
  t.equal(yaml.headers['content-type'], 'application/yaml');
  t.match(yaml.text, /^apiVersion: v1\ndata:\n {2}k: a\nkind: ConfigMap\n/);
  const parsed = readYaml(yaml.text);
  t.same(parsed.type === 'value' && parsed.value, object);

  const protobuf = await ask(`GET ${maps}/a`, { accept: 'application/vnd.kubernetes.protobuf' });
  t.equal(protobuf.headers['content-type'], 'application/vnd.kubernetes.protobuf');
  t.match(decodeProtobuf(protobuf.bytes, { apiVersion: '', kind: '' }), { kind: 'ConfigMap', data: { k: 'a' } });
});

t.test('one object as a table, and as metadata', async t => {
  const { json: object } = await ask(`GET ${maps}/a`);
  const { json: table } = await ask(`GET ${maps}/a`, { accept: tableType });
  t.match(table, {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: { resourceVersion: object.metadata.resourceVersion },
  });
  t.same(Object.keys(table.columnDefinitions?.[0] ?? {}), ['name', 'type', 'format', 'description', 'priority']);
  t.same(table.rows[0]?.cells.slice(0, 2), ['a', 1]);
  t.same(table.rows[0]?.object, {
    kind: 'PartialObjectMetadata',
    apiVersion: 'meta.k8s.io/v1',
    metadata: object.metadata,
  });
  t.same((await ask(`GET ${maps}/a?includeObject=None`, { accept: tableType })).json.rows[0]?.object, null);
  t.same((await ask(`GET ${maps}/a?includeObject=Object`, { accept: tableType })).json.rows[0]?.object, object);
  t.same((await ask(`GET ${maps}/a`, { accept: partialType })).json, table.rows[0]?.object);
  const old = await ask(`GET ${maps}/a`, { accept: partialType.replace('v1', 'v1beta1') });
  t.equal(old.json.apiVersion, 'meta.k8s.io/v1beta1');
});

t.test('a list', async t => {
  const { json: list, text } = await ask(`GET ${maps}`);
  t.match(
    text,
    /^\{"kind":"ConfigMapList","apiVersion":"v1","metadata":\{"resourceVersion":"\d+"\},"items":\[\{"metadata":/,
  );
  t.same(
    list.items.map(item => item.metadata.name),
    ['a', 'b', 'c'],
  );
  t.same(Object.keys(list.items[0] ?? {}), ['metadata', 'data'], 'items omit apiVersion and kind');
  t.same((await ask(`GET ${maps}?pretty=1`)).json, list);
  const parsed = readYaml((await ask(`GET ${maps}`, { accept: 'application/yaml' })).text);
  t.same(parsed.type === 'value' && parsed.value, list);
  const protobuf = await ask(`GET ${maps}`, { accept: 'application/vnd.kubernetes.protobuf' });
  t.equal((decodeProtobuf(protobuf.bytes, { apiVersion: '', kind: '' })['items'] as unknown[]).length, 3);

  const { json: table } = await ask(`GET ${maps}`, { accept: tableType });
  t.same(
    table.rows.map(row => row.cells[0]),
    ['a', 'b', 'c'],
  );
  t.equal(table.metadata.resourceVersion, list.metadata.resourceVersion);
  const { json: partial } = await ask(`GET ${maps}`, { accept: listType });
  t.match(partial, { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1' });
  t.same(partial.items[1], {
    kind: 'PartialObjectMetadata',
    apiVersion: 'meta.k8s.io/v1',
    metadata: list.items[1]?.metadata,
  });

  const { json: page } = await ask(`GET ${maps}?limit=2`, { accept: tableType });
  t.match(page.metadata, { remainingItemCount: 1, continue: /\S/ });
  const { json: rest } = await ask(`GET ${maps}?limit=2&continue=${page.metadata.continue}`);
  t.same(rest.items.length, 1);
  t.same((await ask('GET /api/v1/namespaces/nowhere/configmaps')).json.items, [], 'an empty list has an empty array');
});

t.test('metadata.name in a field selector is a name; with a name in the path it must be the same', async t => {
  const named = await ask(`GET ${maps}?fieldSelector=metadata.name%3Db`);
  t.same(
    named.json.items.map(item => item.data),
    [{ k: 'b' }],
  );
  const { status, json } = await ask(
    'GET /api/v1/watch/namespaces/default/configmaps/a?fieldSelector=metadata.name%3Db',
  );
  t.match(
    { status, json },
    { status: 400, json: { message: "fieldSelector metadata.name doesn't match requested name" } },
  );
});

t.test('large responses are sent in chunks, and compressed for clients that accept it', async t => {
  const many = Array.from({ length: 300 }, (_, i) => `big-${String(i).padStart(3, '0')}`);
  await Promise.all(
    many.map(name =>
      ask('POST /api/v1/namespaces/kube-public/configmaps', {
        body: { metadata: { name }, data: { x: 'x'.repeat(900) } },
      }),
    ),
  );
  const path = 'GET /api/v1/namespaces/kube-public/configmaps';
  const plain = await ask(path);
  t.ok(plain.bytes.length > 300 * 900);
  t.equal(Number(plain.headers['content-length']), plain.bytes.length);
  t.equal(plain.json.items.length, 301);
  const zipped = await ask(path, { headers: { 'accept-encoding': 'gzip' } });
  t.match(zipped.headers, { 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
  t.ok(zipped.bytes.length < plain.bytes.length / 4);
  t.equal(gunzipSync(zipped.bytes).toString(), plain.text);
  const table = await ask(path, { accept: tableType });
  t.equal(table.json.rows.length, 301);
  const yaml = await ask(path, { accept: 'application/yaml', headers: { 'accept-encoding': 'gzip' } });
  t.match(gunzipSync(yaml.bytes).toString(), /^apiVersion: v1\nitems:\n/);
  const small = await ask(`GET ${maps}`, { headers: { 'accept-encoding': 'gzip' } });
  t.equal(small.headers['content-encoding'], undefined, 'small responses are not compressed');
});

t.test('refusals', async t => {
  const rows: readonly { given: string; accept?: string; expect: object }[] = [
    {
      given: `GET ${maps}/zz`,
      expect: { status: 404, json: { reason: 'NotFound', details: { name: 'zz', kind: 'configmaps' } } },
    },
    {
      given: `GET ${maps}/a`,
      accept: 'text/html',
      expect: { status: 406, json: { message: /^406: Not Acceptable\n\nAvailable representations: / } },
    },
    {
      given: `GET ${maps}`,
      accept: partialType,
      expect: {
        status: 406,
        json: {
          message: 'you requested PartialObjectMetadata, but the requested object is a list (*core.ConfigMapList)',
        },
      },
    },
    {
      given: `GET ${maps}/a?includeObject=No`,
      accept: tableType,
      expect: { status: 400, json: { message: /^Unable to convert to Table as requested: includeObject: / } },
    },
    {
      given: 'GET /api/v1/configmaps/a',
      expect: { status: 404, json: { message: 'the server could not find the requested resource', details: {} } },
    },
    { given: 'GET /api/v1/namespaces/default/nodes', expect: { status: 404 } },
    { given: 'GET /apis/apps/v9/deployments', expect: { status: 404, json: { reason: 'NotFound' } } },
    { given: 'GET /apis/apps/v9', expect: { status: 404, json: { reason: 'NotFound' } } },
    { given: 'GET /api/v9', expect: { status: 404, json: { reason: 'NotFound' } } },
    { given: 'POST /api/v1/configmaps', expect: { status: 405, json: { reason: 'MethodNotAllowed', details: {} } } },
    { given: `PUT ${maps}`, expect: { status: 405 } },
    { given: `OPTIONS ${maps}`, expect: { status: 405 } },
    { given: 'GET /apis/authorization.k8s.io/v1/selfsubjectaccessreviews', expect: { status: 405 } },
    { given: 'GET /apis/authorization.k8s.io/v1/selfsubjectaccessreviews/x', expect: { status: 404 } },
    { given: `GET ${maps}/a/nothing`, expect: { status: 404 } },
    { given: `GET ${maps}/a/status/more`, expect: { status: 404 } },
  ];
  for (const { given, accept, expect } of rows) {
    const { status, json } = await ask(given, accept === undefined ? {} : { accept });
    t.match({ status, json }, expect, `${given} ${accept ?? ''}`);
  }
  t.match(await ask('GET /apis/nope.example.com/v1/things'), { status: 404, text: '404 page not found\n' });
  t.match(await ask(`HEAD ${maps}`), { status: 405, text: '' });
});
