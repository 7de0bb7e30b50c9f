/** Headers of responses, row by row. Those for browsers and load balancers are tested in test/apiserver/http/{edge,hostile}.test.ts. */
import t from 'tap';
import { httpClient } from '../http-client.js';
import { runningServer } from '../running.js';

const server = await runningServer(t);
const ask = httpClient(t, server);
const stranger = httpClient(t, { ...server, pki: { ...server.pki, admin: { certificate: '', key: '' } } });
const maps = '/api/v1/namespaces/default/configmaps';
await ask(`POST ${maps}`, { body: { metadata: { name: 'a' } } });
const discovery = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

t.test('audit id and cache control', async t => {
  const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
  const paths = [`${maps}/a`, maps, `${maps}/none`, '/nothing', '/version', '/healthz', '/apis', '/openapi/v2'];
  for (const path of [...paths, `${maps}?watch=1&timeoutSeconds=1`]) {
    const { headers } = await ask(`GET ${path}`);
    t.match(headers['audit-id'], uuid, path);
    t.equal(headers['cache-control'], 'no-cache, private', path);
    t.equal((await ask(`GET ${path}`, { headers: { 'audit-id': 'mine' } })).headers['audit-id'], 'mine', path);
  }
  const refused = await stranger(`GET ${maps}`, { headers: { authorization: 'Bearer x' } });
  t.match(refused, { status: 401, headers: { 'audit-id': uuid, 'cache-control': 'no-cache, private' } });
  t.equal((await ask('GET /apis', { accept: discovery })).headers['cache-control'], 'public');
  t.equal((await ask('GET /.well-known/openid-configuration')).headers['cache-control'], 'public, max-age=3600');
});

t.test('the uids of the flow schema and the priority level', async t => {
  const uid = /^[0-9a-f-]{36}$/;
  const flow = { 'x-kubernetes-pf-flowschema-uid': uid, 'x-kubernetes-pf-prioritylevel-uid': uid };
  for (const path of [`${maps}/a`, `${maps}/none`, `${maps}?watch=1&timeoutSeconds=1`, '/nothing', '/healthz'])
    t.match((await ask(`GET ${path}`)).headers, flow, path);
  const { items } = (await ask('GET /apis/flowcontrol.apiserver.k8s.io/v1/flowschemas')).json;
  const exempt = items.find(({ metadata }) => metadata.name === 'exempt')?.metadata as unknown as { uid: string };
  t.equal((await ask('GET /version')).headers['x-kubernetes-pf-flowschema-uid'], exempt.uid, 'of whom');
  t.match((await stranger(`GET ${maps}`)).headers, flow, 'requests without permission have them, too');
  const refused = await stranger(`GET ${maps}`, { headers: { authorization: 'Bearer x' } });
  const streamed = await ask('GET /api/v1/namespaces/default/pods/none/log');
  for (const { headers } of [refused, streamed]) for (const name of Object.keys(flow)) t.notOk(headers[name], name);
});

t.test('warnings', async t => {
  const body = '{"metadata":{"name":"w"},"x":1,"y":1,"x":2,"data":{"k":"1","k":"2"}}';
  const { headers } = await ask(`POST ${maps}`, { body });
  const contentType = ['unknown field \\"x\\"', 'unknown field \\"y\\"', 'duplicate field \\"data.k\\"'];
  t.equal(headers['warning'], contentType.map(text => `299 - "${text}"`).join(', '), 'no duplicates');
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: 'u' };
  const twice = await ask(`POST ${maps}`, { body: { metadata: { name: 'o', ownerReferences: [owner, owner] } } });
  t.match(twice.headers['warning'], /^299 - "\.metadata\.ownerReferences contains duplicate entries/);
  const old = await ask('GET /api/v1/componentstatuses');
  t.match(old.headers['warning'], /^299 - "v1 ComponentStatus is deprecated in v1\.19\+"$/);
  const many = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`f${i}${'x'.repeat(290)}`, 1]));
  const cut = await ask(`POST ${maps}`, { body: { metadata: { name: 'many' }, ...many } });
  const all = String(cut.headers['warning']).split(', ');
  t.ok(all.length < 60 && all.every(text => text.length <= 256 + 9), `${all.length} of 60`);
});

t.test('Retry-After', async t => {
  const { json, headers } = await ask(`GET ${maps}?resourceVersion=99999999`);
  t.match(json, { code: 504, details: { retryAfterSeconds: 1 } });
  t.equal(headers['retry-after'], '1');
  t.notOk((await ask(`GET ${maps}/none`)).headers['retry-after']);
});

t.test('refusals have the format that the client accepts', async t => {
  const jane = { 'impersonate-user': 'jane' };
  const bearer = { authorization: 'Bearer x' };
  for (const accept of ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf']) {
    const forbidden = await ask(`GET ${maps}`, { accept, headers: jane });
    t.match(forbidden, { status: 403, headers: { 'content-type': accept, 'x-content-type-options': 'nosniff' } });
    const unknown = await stranger(`GET ${maps}`, { accept, headers: bearer });
    t.match(unknown, { status: 401, headers: { 'content-type': accept } });
  }
});

t.test('ETags', async t => {
  for (const path of [maps, `${maps}/a`]) {
    const { status, headers } = await ask(`GET ${path}`, { headers: { 'if-none-match': '*', 'if-match': '"x"' } });
    t.equal(status, 200, `${path}: conditional requests are ignored`);
    t.notOk(headers['etag']);
  }
  for (const [path, accept] of [
    ['/apis', discovery],
    ['/api', discovery],
    ['/openapi/v2', 'application/json'],
    ['/openapi/v3', 'application/json'],
    ['/openapi/v3/apis/apps/v1', 'application/json'],
  ] as const) {
    const { headers } = await ask(`GET ${path}`, { accept });
    const etag = String(headers['etag']);
    t.match(etag, /^"[0-9A-F]{128}"$/, path);
    const again = await ask(`GET ${path}`, { accept, headers: { 'if-none-match': etag } });
    t.match(again, { status: 304, text: '', headers: { etag, 'content-length': undefined } }, path);
    t.equal((await ask(`GET ${path}`, { accept, headers: { 'if-none-match': '"other"' } })).status, 200);
  }
});
