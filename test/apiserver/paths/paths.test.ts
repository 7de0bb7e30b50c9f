/** Non-resource paths, over a socket. */
import { createHash } from 'node:crypto';
import t from 'tap';
import { decodeProtobuf } from '../../../apiserver/negotiate/protobuf/envelope.js';
import { healthEndpoints } from '../../../apiserver/paths/health.js';
import { httpClient } from '../http-client.js';
import { runningServer } from '../running.js';

t.test('discovery', async t => {
  const server = await runningServer(t);
  const ask = httpClient(t, server);
  t.match((await ask('GET /api')).json, {
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ serverAddress: `127.0.0.1:${server.port}` }],
  });
  t.match((await ask('GET /apis')).json, { kind: 'APIGroupList' });
  t.match((await ask('GET /apis/')).json, { kind: 'APIGroupList' });
  t.match((await ask('GET /apis/apps')).json, { kind: 'APIGroup', name: 'apps' });
  t.match((await ask('GET /apis/apps/v1/')).json, { kind: 'APIResourceList', groupVersion: 'apps/v1' });
  t.match((await ask('GET /api/v1')).json, { kind: 'APIResourceList', groupVersion: 'v1' });
  t.match(await ask('GET /apis/no.example.com'), { status: 404, text: '404 page not found\n' });
  t.match((await ask('DELETE /apis/apps/v1')).json, { code: 405, reason: 'MethodNotAllowed' });

  const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';
  const aggregated = await ask('GET /apis', { accept });
  t.match(aggregated.headers, {
    'content-type': 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
    'cache-control': 'public',
    vary: 'Accept',
    etag: /^"[0-9A-F]{128}"$/,
  });
  t.match(aggregated.json, { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2' });
  const again = await ask('GET /apis', { accept, headers: { 'if-none-match': String(aggregated.headers['etag']) } });
  t.match(again, { status: 304, text: '' });
  const binary = 'application/vnd.kubernetes.protobuf;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  const inProtobuf = await ask('GET /apis', { accept: binary });
  t.match(inProtobuf.headers, { 'content-type': binary, etag: aggregated.headers['etag'], vary: 'Accept' });
  const { metadata: _, ...items } = decodeProtobuf(inProtobuf.bytes, { apiVersion: '', kind: '' });
  t.match(items, aggregated.json.items.length > 0 && { kind: 'APIGroupDiscoveryList', items: aggregated.json.items });
  t.equal(
    (await ask('GET /apis', { accept: accept.replace('v=v2', 'v=v9').replace(',application/json', '') })).status,
    406,
  );
  t.equal((await ask('GET /apis/apps', { accept: accept.replace(',application/json', '') })).status, 406);
  const beta = accept.replace('v=v2', 'v=v2beta1');
  t.equal((await ask('GET /apis', { accept: beta.replace(',application/json', '') })).status, 406, 'it is removed');
  t.match((await ask('GET /apis', { accept: beta })).json, { kind: 'APIGroupList' });
  const kubectl = await ask('GET /apis', { accept: `${accept.split(',')[0]},${beta}` });
  t.equal(kubectl.text, aggregated.text);
  const nopeer = await ask('GET /apis', { accept: `${accept.split(',')[0]};profile=nopeer` });
  t.match(nopeer.json, { kind: 'APIGroupDiscoveryList' });

  const { resources } = (await ask('GET /api/v1')).json as unknown as { resources: { name: string }[] };
  const hash = createHash('sha256').update('/v1/Pod').digest().subarray(0, 8).toString('base64');
  t.match(
    resources.find(({ name }) => name === 'pods'),
    { storageVersionHash: hash },
    'the hash of group, version and kind',
  );
  const eviction = resources.find(({ name }) => name === 'pods/eviction');
  t.same(eviction, {
    ...{ name: 'pods/eviction', singularName: '', namespaced: true, group: 'policy', version: 'v1', kind: 'Eviction' },
    verbs: ['create'],
  });
});

t.test('OpenAPI', async t => {
  const server = await runningServer(t);
  const ask = httpClient(t, server);
  const index = await ask('GET /openapi/v3');
  const url =
    (index.json as unknown as { paths: Record<string, { serverRelativeURL: string }> }).paths['apis/apps/v1']
      ?.serverRelativeURL ?? '';
  t.match(url, /^\/openapi\/v3\/apis\/apps\/v1\?hash=[0-9A-F]{128}$/);
  const hashed = await ask(`GET ${url}`);
  t.match(hashed.json, { openapi: '3.0.0' });
  t.match(hashed.headers, { 'cache-control': 'public, immutable', expires: /GMT$/ });
  const plain = await ask('GET /openapi/v3/apis/apps/v1');
  t.equal(plain.text, hashed.text);
  t.match(plain.headers, { 'cache-control': 'no-cache, private', etag: hashed.headers['etag'] });
  t.match(await ask('GET /openapi/v3/apis/apps/v1?hash=OLD'), { status: 301, headers: { location: url } });
  t.match(await ask('GET /openapi/v3/apis/no/v1'), { status: 404, text: '' });
  const v3 = 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf';
  const inProtobuf = await ask(`GET ${url}`, { accept: v3 });
  t.match(inProtobuf.headers, {
    'content-type': v3,
    etag: hashed.headers['etag'],
    'cache-control': 'public, immutable',
  });
  t.equal(inProtobuf.bytes.toString('latin1', 0, 7), '\n\x053.0.0');
  t.equal((await ask(`GET ${url}`, { accept: v3.replace('v3.v1', 'v3@v1') })).headers['content-type'], v3);
  t.match(await ask(`GET ${url}`, { accept: 'application/yaml' }), { status: 406, text: '' });
  t.equal((await ask('GET /openapi/v3', { accept: 'application/yaml' })).status, 200, 'the index is public');
  const v2 = await ask('GET /openapi/v2', { headers: { 'accept-encoding': 'gzip' } });
  t.match(v2.headers, {
    'content-encoding': 'gzip',
    vary: 'Accept-Encoding, Accept',
    'last-modified': /GMT$/,
    etag: /^"/,
  });
  t.match(await ask('GET /openapi/v2', { accept: 'application/yaml' }), { status: 406, text: '' });
  for (const path of ['/openapi/v2', '/openapi/v3', '/openapi/v3/apis/apps/v1', url]) {
    const { headers } = await ask(`GET ${path}`);
    const etag = String(headers['etag']);
    const etags = [{ 'if-none-match': etag }, { 'if-modified-since': String(headers['last-modified']) }];
    for (const known of etags) t.match(await ask(`GET ${path}`, { headers: known }), { status: 304, text: '' }, path);
    const other = { 'if-none-match': '"other"', ...etags[1] };
    t.equal((await ask(`GET ${path}`, { headers: other })).status, 200, 'an ETag takes precedence');
  }
  t.equal((await ask('GET /openapi/v2', { headers: { 'if-modified-since': 'no time' } })).status, 200);
  const old = { 'if-modified-since': 'Sat, 01 Jan 2000 00:00:00 GMT' };
  t.equal((await ask('GET /openapi/v2', { headers: old })).status, 200);
  const accept = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
  const binary = await ask('GET /openapi/v2', { accept });
  t.match(binary.headers, { 'content-type': accept.replace('@', '.'), etag: v2.headers['etag'] });
  t.ok(binary.bytes.length > 100_000);
});

t.test('health checks, version and other paths', async t => {
  const server = await runningServer(t);
  const ask = httpClient(t, server);
  for (const path of [
    '/healthz',
    '/livez',
    '/readyz',
    '/readyz/ping',
    '/livez/etcd',
    '/readyz/poststarthook/rbac/bootstrap-roles',
  ])
    t.match(await ask(`GET ${path}`), { status: 200, text: 'ok' }, path);
  t.match((await ask('GET /readyz?verbose')).text, /^\[\+\]ping ok\n[^]*\[\+\]shutdown ok\n[^]*readyz check passed\n$/);
  t.match(
    (await ask('GET /readyz?verbose&exclude=etcd&exclude=no')).text,
    /\[\+\]etcd excluded: ok\n[^]*no matches for "no"\n/,
  );
  t.match(await ask('GET /readyz/no'), { status: 404 });
  t.match((await ask('GET /version')).json, { major: '1', gitVersion: /^v1\.\d+\.\d+$/ });
  t.match((await ask('GET /')).json['paths'], ['/.well-known/openid-configuration']);
  t.match((await ask('GET /metrics')).text, /^# TYPE apiserver_request_duration_seconds histogram$/m);
  const { text: slis } = await ask('GET /metrics/slis');
  t.match(slis, /^kubernetes_healthcheck\{name="etcd",type="livez"\} 1$/m);
  t.match(slis, /^kubernetes_healthchecks_total\{name="etcd",type="readyz",status="success"\} 2$/m);
  for (const path of ['/version', '/api', '/openid/v1/jwks', '/.well-known/openid-configuration'])
    t.match(await ask(`POST ${path}`, { body: {} }), { status: 405, json: { reason: 'MethodNotAllowed' } }, path);
  t.equal((await ask('POST /livez', { body: {} })).status, 200);
  const configuration = await ask('GET /.well-known/openid-configuration');
  t.match(configuration.json, {
    issuer: 'https://kubernetes.default.svc.cluster.local',
    jwks_uri: `${server.url}/openid/v1/jwks`,
  });
  t.match(configuration.headers, { 'cache-control': 'public, max-age=3600' });
  const keys = await ask('GET /openid/v1/jwks');
  t.match(keys, { headers: { 'content-type': 'application/jwk-set+json' } });
  t.match(keys.json, { keys: [{ use: 'sig' }] });
  t.match(await ask('GET /nothing'), { status: 404, text: '404 page not found\n' });
});

t.test('a check that fails is reported, with its reason for authorized users only', async t => {
  const texts: [number, string][] = [];
  const request = (path: string, verbose = false) =>
    ({
      info: { path },
      query: { all: () => [], get: () => (verbose ? '' : undefined) },
      exchange: {
        answered: false,
        respond: (status: number, _: object, body: Buffer) => texts.push([status, body.toString()]),
      },
      answerHeaders: () => ({}),
      done: () => undefined,
    }) as unknown as Parameters<ReturnType<typeof healthEndpoints>>[0];
  const serve = healthEndpoints('livez', [
    { name: 'ping', endpoints: ['livez'], check: () => undefined },
    { name: 'store', endpoints: ['livez'], check: () => Promise.reject(new Error('the disk is full')) },
    { name: 'other', endpoints: ['readyz'], check: () => Promise.reject(new Error('not asked')) },
  ]);
  await serve(request('/livez'));
  await serve(request('/livez/store'));
  t.same(texts, [
    [500, '[+]ping ok\n[-]store failed: reason withheld\nlivez check failed\n'],
    [500, 'internal server error: the disk is full\n'],
  ]);
});
