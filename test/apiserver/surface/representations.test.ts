/** Formats of requests and responses, row by row. Protobuf is tested in test/apiserver/handlers/protobuf.test.ts. */
import { gunzipSync } from 'node:zlib';
import t from 'tap';
import { encodeProtobuf } from '../../../apiserver/negotiate/protobuf/envelope.js';
import { readYaml } from '../../../lib/yaml/read-yaml.js';
import { anything, customKind, definitionsPath, object, version } from '../../custom-kinds.js';
import { type Ask, httpClient, watch } from '../http-client.js';
import { runningServer } from '../running.js';

const json = 'application/json';
const yaml = 'application/yaml';
const protobuf = 'application/vnd.kubernetes.protobuf';
const as = (kind: string, type = json, version = 'v1'): string => `${type};as=${kind};v=${version};g=meta.k8s.io`;

const server = await runningServer(t);
const ask = httpClient(t, server);
const maps = '/api/v1/namespaces/default/configmaps';
const foos = '/apis/example.com/v1/namespaces/default/foos';
await ask(`POST ${definitionsPath}`, { body: customKind('Foo', [version('v1', object({ spec: anything }))]) });
const foo = { apiVersion: 'example.com/v1', kind: 'Foo', metadata: { name: 'a' }, spec: { z: 1, a: { y: 2, b: 3 } } };
while ((await ask(`GET ${foos}`)).status !== 200); // until the definition is served
await ask(`POST ${foos}`, { body: foo });
await ask(`POST ${maps}`, { body: { metadata: { name: 'a' }, data: { k: 'v' } } });

t.test('bodies', async t => {
  const accepted = `${json}, ${yaml}, ${protobuf}`;
  const unknown = {
    status: 415,
    json: {
      reason: 'UnsupportedMediaType',
      message: `the body of the request was in an unknown format - accepted media types include: ${accepted}`,
    },
  };
  const map = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
  const text = (name: string): string => `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}}}`;
  const made = { status: 201 };
  const rows: readonly [path: string, type: string | undefined, body: unknown, expect: object][] = [
    [maps, json, map('j'), made],
    [maps, yaml, text('yaml'), made],
    [maps, protobuf, encodeProtobuf(map('p')), made],
    [maps, 'text/plain', map('x'), unknown],
    [maps, 'application/cbor', map('x'), unknown],
    [foos, json, { ...foo, metadata: { name: 'j' } }, made],
    [foos, yaml, 'apiVersion: example.com/v1\nkind: Foo\nmetadata: {name: yaml}', made],
    [foos, 'text/plain', foo, { status: 415 }],
  ];
  for (const [path, type, body, expect] of rows)
    t.match(
      await ask(`POST ${path}`, { body, ...(type !== undefined && { type }) }),
      expect,
      `${path} ${String(type)}`,
    );
  t.equal((await ask(`POST ${foos}`, { body: encodeProtobuf(map('x')), type: protobuf })).status >= 400, true);
});

t.test('kinds of patches', async t => {
  const merge = 'application/merge-patch+json';
  const strategic = 'application/strategic-merge-patch+json';
  const apply = 'application/apply-patch+yaml';
  const rows: readonly [path: string, type: string, body: unknown, status: number, message?: string | RegExp][] = [
    [maps, 'application/json-patch+json', [], 200],
    [maps, merge, {}, 200],
    [maps, `${merge}; charset=utf-8`, {}, 200],
    [maps, strategic, {}, 200],
    [maps, apply, { apiVersion: 'v1', kind: 'ConfigMap' }, 200],
    [maps, 'application/apply-patch+cbor', {}, 415, '415: Unsupported Media Type'],
    [maps, json, {}, 415, '415: Unsupported Media Type'],
    [foos, merge, {}, 200],
    [
      foos,
      strategic,
      {},
      415,
      /accepted media types include: application\/json-patch\+json, application\/merge-patch\+json/,
    ],
    [foos, json, {}, 415, /^the body of the request was in an unknown format - accepted media types include: /],
  ];
  for (const [path, type, body, status, message] of rows) {
    const answer = await ask(`PATCH ${path}/a?fieldManager=m`, { type, body });
    t.equal(answer.status, status, `${path} ${type}`);
    if (message !== undefined) t.match(answer.json.message, message);
  }
});

t.test('the preferred media type of the client', async t => {
  const rows: readonly [accept: string, native: string, custom: string][] = [
    [`${protobuf},${json}`, protobuf, json],
    [`${json},${protobuf}`, json, json],
    [`${protobuf};q=0.2,${json};q=0.1`, protobuf, json],
    [`${protobuf};q=0.2,${yaml};q=0.3`, yaml, yaml],
    ['*/*', json, json],
    ['application/*', json, json],
    [`${as('Table', json, 'v9')},${yaml}`, yaml, yaml],
    [`${protobuf};stream=watch,${json}`, protobuf, json],
    [`${json};stream=other,${yaml}`, yaml, yaml],
    [`${json};sv=v2,${yaml}`, yaml, yaml],
    [`${json};unknown=1`, json, json],
  ];
  for (const [accept, native, custom] of rows) {
    for (const path of [maps, `${maps}/a`])
      t.equal((await ask(`GET ${path}`, { accept })).headers['content-type'], native, `${path} ${accept}`);
    t.equal((await ask(`GET ${foos}`, { accept })).headers['content-type'], custom, `${foos} ${accept}`);
  }
  t.match((await ask(`GET ${maps}/a`, { accept: `${json};pretty=1` })).text, /^\{\n {2}"kind"/);
});

t.test('media types that are not acceptable', async t => {
  const types = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';
  const byHandler = {
    status: 406,
    json: { reason: 'NotAcceptable', message: `only the following media types are accepted: ${types}` },
  };
  const byRouter = await ask(`GET ${maps}/a`, { accept: 'text/html' });
  t.equal(byRouter.status, 406);
  t.equal(byRouter.headers['content-type'], json);
  t.match(byRouter.text, /^\{\n {2}"kind": "Status",/);
  t.match(byRouter.json.message, /^406: Not Acceptable\n\nAvailable representations: application\/json, /);
  t.match(await ask(`GET ${maps}/a`, { accept: as('Nothing') }), byHandler);
  t.match(await ask(`GET ${foos}/a`, { accept: 'text/html' }), byHandler);
  t.equal((await ask(`GET ${foos}/a`, { accept: protobuf })).status, 406);
  for (const accept of ['application/cbor', 'application/cbor-seq'])
    t.equal((await ask(`GET ${maps}/a`, { accept })).status, 406);
  const watched = await ask(`GET ${maps}?watch=1`, { accept: yaml });
  t.match(watched, { status: 406, headers: { 'content-type': yaml } });
  t.match(watched.text, /application\/json;stream=watch,\s+application\/vnd\.kubernetes\.protobuf;stream=watch/);
});

t.test('tables', async t => {
  for (const version of ['v1', 'v1beta1'])
    t.match((await ask(`GET ${maps}`, { accept: as('Table', json, version) })).json, {
      kind: 'Table',
      apiVersion: `meta.k8s.io/${version}`,
      metadata: { resourceVersion: /^\d+$/ },
      columnDefinitions: [{ name: 'Name', type: 'string', format: 'name', description: String, priority: 0 }],
    });
  const inYaml = await ask(`GET ${maps}`, { accept: as('Table', yaml) });
  t.match(inYaml, { headers: { 'content-type': yaml }, text: /^apiVersion: meta\.k8s\.io\/v1\ncolumnDefinitions:\n/ });
  t.equal((await ask(`GET ${maps}`, { accept: as('Table', protobuf) })).status, 406);
  const review = { body: { spec: { resourceAttributes: {} } }, accept: as('Table') };
  t.equal((await ask('POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews', review)).status, 406);
  const page = await ask(`GET ${maps}?limit=1`, { accept: as('Table') });
  t.match(page.json.metadata, { continue: /\S/, remainingItemCount: Number });
  const stream = await watch(t, server, `${maps}?watch=1&resourceVersion=0`, as('Table'));
  const [first, second] = [await stream.next(), await stream.next()];
  t.ok(Array.isArray(first?.object.columnDefinitions));
  t.equal(second?.object.columnDefinitions, null, 'only the first event has column definitions');
});

t.test('metadata alone', async t => {
  for (const path of [maps, foos]) {
    const one = await ask(`GET ${path}/a`, { accept: as('PartialObjectMetadata') });
    t.same(Object.keys(one.json), ['kind', 'apiVersion', 'metadata']);
    t.match(one.json, { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: { name: 'a' } });
    const list = await ask(`GET ${path}`, { accept: as('PartialObjectMetadataList') });
    t.match(list.json.items[0], { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' });
    const wrong = await ask(`GET ${path}`, { accept: as('PartialObjectMetadata') });
    t.match(wrong.json, {
      code: 406,
      message: /^you requested PartialObjectMetadata, but the requested object is a list \(/,
    });
    const binary = await ask(`GET ${path}`, { accept: as('PartialObjectMetadataList', protobuf) });
    t.match(binary, { status: 200, headers: { 'content-type': protobuf } });
  }
});

t.test('the content type of responses', async t => {
  const rows: readonly [path: string, accept: string, type: string][] = [
    [maps, json, json],
    [maps, as('Table'), json],
    [maps, as('PartialObjectMetadataList'), json],
    [maps, yaml, yaml],
    [maps, protobuf, protobuf],
    [`${maps}?watch=1&timeoutSeconds=1`, json, json],
    [`${maps}?watch=1&timeoutSeconds=1`, protobuf, `${protobuf};stream=watch`],
  ];
  for (const [path, accept, type] of rows)
    t.equal((await ask(`GET ${path}`, { accept })).headers['content-type'], type, `${path} ${accept}`);
});

t.test('the order of fields, and omitted fields', async t => {
  const native = await ask(`GET ${maps}/a`);
  t.match(
    native.text,
    /^\{"kind":"ConfigMap","apiVersion":"v1","metadata":\{"name":"a","namespace":"default","uid":.*\},"data":\{"k":"v"\}\}\n$/,
  );
  const custom = await ask(`GET ${foos}/a`);
  t.match(
    custom.text,
    /^\{"apiVersion":"example\.com\/v1","kind":"Foo","metadata":\{"creationTimestamp":.*,"uid":"[^"]*"\},"spec":\{"a":\{"b":3,"y":2\},"z":1\}\}\n$/,
  );
  t.notMatch((await ask(`GET ${maps}/a?pretty=1`)).text, /\n$/);
  const natives = (await ask(`GET ${maps}`)).json;
  t.notOk('kind' in (natives.items[0] ?? {}));
  t.notOk('continue' in natives.metadata);
  const customs = (await ask(`GET ${foos}`)).json;
  t.match(customs, { items: [{ kind: 'Foo', apiVersion: 'example.com/v1' }], metadata: { continue: '' } });
  for (const path of ['/api/v1/namespaces/kube-public/pods', '/apis/example.com/v1/namespaces/kube-public/foos'])
    t.match((await ask(`GET ${path}`)).text, /"items":\[\]/);
  const role = { body: { metadata: { name: 'nothing' }, rules: [] } };
  const made = await ask('POST /apis/rbac.authorization.k8s.io/v1/clusterroles', role);
  t.match(made.text, /"rules":null/);
  const deployment = {
    metadata: { name: 'd' },
    spec: {
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  };
  const { text } = await ask('POST /apis/apps/v1/namespaces/default/deployments', { body: deployment });
  t.match(text, /"template":\{"metadata":\{"labels":\{"a":"b"\}\},/, 'a zero time is omitted');
});

t.test('the protobuf envelope', async t => {
  const { bytes } = await ask(`GET ${maps}/a`, { accept: protobuf });
  t.equal(bytes.toString('latin1', 0, 4), 'k8s\0');
  t.equal(bytes.toString('latin1', 4, 21), '\n\x0f\n\x02v1\x12\tConfigMap'.slice(0, 17));
  t.equal(bytes.toString('latin1', bytes.length - 4), '\x1a\0"\0');
  const watched = await ask(`GET ${maps}?watch=1&timeoutSeconds=1&resourceVersion=0&fieldSelector=metadata.name%3Da`, {
    accept: protobuf,
  });
  t.equal(watched.bytes.readUInt32BE(0), watched.bytes.length - 4, 'the length of the only event');
  t.ok(watched.bytes.includes(bytes), 'an event has the whole envelope');
});

t.test('compression', async t => {
  const data = { x: 'x'.repeat(140 * 1024) };
  const made = await ask(`POST /api/v1/namespaces/kube-public/configmaps`, {
    body: { metadata: { name: 'large' }, data },
  });
  const large = 'GET /api/v1/namespaces/kube-public/configmaps';
  // A fixed revision: the server writes by itself, and a list has the revision of the store.
  const list = `${large}?resourceVersion=${made.json.metadata.resourceVersion}&resourceVersionMatch=Exact`;
  const zipped: Ask = { headers: { 'accept-encoding': 'gzip' } };
  for (const path of [list, `${large}/large`])
    for (const accept of [json, yaml, protobuf]) {
      const answer = await ask(path, { ...zipped, accept });
      t.match(
        answer.headers,
        { 'content-encoding': 'gzip', vary: 'Accept-Encoding', 'content-type': accept },
        `${path} ${accept}`,
      );
      t.ok(gunzipSync(answer.bytes).equals((await ask(path, { accept })).bytes), 'the same');
    }
  t.notOk((await ask(large, { headers: { 'accept-encoding': 'br' } })).headers['content-encoding']);
  t.notOk((await ask(`GET ${maps}`, zipped)).headers['content-encoding'], 'small responses are not compressed');
  const stream = await ask(`${large}?watch=1&timeoutSeconds=1&resourceVersion=0`, zipped);
  t.notOk(stream.headers['content-encoding'], 'watches are not compressed');
});

t.test('JSON keys are case-sensitive, numbers keep their type, and the last duplicate counts', async t => {
  const body = '{"metadata":{"name":"case"},"Data":{"a":"1"},"data":{"b":"1"},"data":{"b":"2"}}';
  const made = await ask(`POST ${maps}`, { body });
  t.match(made, { status: 201, json: { data: { b: '2', a: undefined } } });
  t.match(made.headers['warning'], /unknown field \\"Data\\".*duplicate field \\"data\\"/);
  const large = `{"apiVersion":"example.com/v1","kind":"Foo","metadata":{"name":"n"},"spec":{"n":9007199254740991,"f":1.5}}`;
  t.match((await ask(`POST ${foos}`, { body: large })).text, /"spec":\{"f":1\.5,"n":9007199254740991\}/);
  const parsed = readYaml((await ask(`GET ${foos}/n`, { accept: yaml })).text);
  t.match(parsed, { value: { spec: { n: 9007199254740991 } } });
});
