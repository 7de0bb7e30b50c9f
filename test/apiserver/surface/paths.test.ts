/** Paths and methods, row by row. Watches, connect subresources and WebSockets are tested in test/apiserver/handlers. */
import { once } from 'node:events';
import tls from 'node:tls';
import t from 'tap';
import { type Ask, httpClient } from '../http-client.js';
import { runningServer } from '../running.js';

const server = await runningServer(t);
const ask = httpClient(t, server);
const stranger = httpClient(t, { ...server, pki: { ...server.pki, admin: { certificate: '', key: '' } } });
const jane: Ask = { headers: { 'impersonate-user': 'jane' } };
const maps = '/api/v1/namespaces/default/configmaps';
const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
for (const name of ['a', 'b']) await ask(`POST ${maps}`, { body: { metadata: { name } } });
await ask(`POST ${leases}`, { body: { metadata: { name: 'l' } } });
await ask('POST /api/v1/nodes', { body: { metadata: { name: 'n' } } });

t.test('paths of objects', async t => {
  const rows: readonly [path: string, kind: string][] = [
    [maps, 'ConfigMapList'],
    [`${maps}/a`, 'ConfigMap'],
    ['/api/v1/configmaps', 'ConfigMapList'],
    [leases, 'LeaseList'],
    [`${leases}/l`, 'Lease'],
    ['/apis/coordination.k8s.io/v1/leases', 'LeaseList'],
    ['/api/v1/nodes', 'NodeList'],
    ['/api/v1/nodes/n', 'Node'],
    ['/api/v1/nodes/n/status', 'Node'],
  ];
  for (const [path, kind] of rows) t.match(await ask(`GET ${path}`), { status: 200, json: { kind } }, path);
});

t.test('the verb of a request', async t => {
  const rows: readonly [what: string, verb: string][] = [
    [`POST ${maps}`, 'create'],
    [`PUT ${maps}/a`, 'update'],
    [`PATCH ${maps}/a`, 'patch'],
    [`DELETE ${maps}/a`, 'delete'],
    [`DELETE ${maps}`, 'deletecollection'],
    [`GET ${maps}/a`, 'get'],
    [`GET ${maps}/a?watch=true`, 'get'],
    [`GET ${maps}`, 'list'],
    ...['watch', 'watch=', 'watch=1', 'watch=true', 'watch=yes'].map(q => [`GET ${maps}?${q}`, 'watch'] as const),
    ...['watch=0', 'watch=false', 'watch=False'].map(q => [`GET ${maps}?${q}`, 'list'] as const),
  ].map(([what = '', verb = '']) => [what, verb]);
  for (const [what, verb] of rows) {
    const { status, json } = await ask(what, jane);
    t.equal(status, 403, what);
    t.match(
      json.message,
      `User "jane" cannot ${verb} resource "configmaps" in API group "" in the namespace "default"`,
    );
  }
  t.match((await ask('GET /api/v1/configmaps', jane)).json.message, /cannot list .* at the cluster scope$/);
});

t.test('a name in a field selector is a name for authorizers', async t => {
  const rules = [{ apiGroups: [''], resources: ['configmaps'], resourceNames: ['a'], verbs: ['list', 'watch'] }];
  const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
  await ask(`POST ${rbac}/roles`, { body: { metadata: { name: 'one' }, rules } });
  await ask(`POST ${rbac}/rolebindings`, {
    body: {
      metadata: { name: 'one' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'one' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'joe' }],
    },
  });
  const joe: Ask = { headers: { 'impersonate-user': 'joe' } };
  const selected = `GET ${maps}?fieldSelector=metadata.name%3Da`;
  while ((await ask(selected, joe)).status !== 200); // until the role is known
  t.equal((await ask(`${selected}&watch=1&timeoutSeconds=1`, joe)).status, 200);
  for (const query of ['', '?fieldSelector=metadata.name%3Db', '?fieldSelector=metadata.name!%3Da', '?watch=1'])
    t.equal((await ask(`GET ${maps}${query}`, joe)).status, 403, query);
});

t.test('paths below a namespace', async t => {
  t.match((await ask('GET /api/v1/namespaces/default/status')).json, { kind: 'Namespace' });
  const { json } = await ask('GET /api/v1/namespaces/default');
  t.match((await ask('PUT /api/v1/namespaces/default/finalize', { body: json })).json, { kind: 'Namespace' });
  t.equal((await ask('GET /api/v1/namespaces/default/other')).status, 404);
  t.equal((await ask('GET /api/v1/proxy/namespaces/default/pods/p')).status, 404);
});

t.test('unsupported methods', async t => {
  const notAllowed = {
    kind: 'Status',
    code: 405,
    reason: 'MethodNotAllowed',
    message: 'the server does not allow this method on the requested resource',
    details: {},
  };
  for (const what of ['POST /api/v1/configmaps', 'DELETE /api/v1/configmaps', `PUT ${maps}`, `OPTIONS ${maps}`])
    t.match(await ask(what, { body: {} }), { status: 405, json: notAllowed }, what);
  for (const path of [maps, `${maps}/a`, '/api/v1', '/apis/apps/v1/deployments'])
    t.match(await ask(`HEAD ${path}`), { status: 405, text: '' }, path);
  t.match((await ask('GET /api/v1/configmaps/a')).json, { code: 404, reason: 'NotFound', details: {} });
});

t.test('unknown paths', async t => {
  const missing = {
    status: 404,
    json: { message: 'the server could not find the requested resource', reason: 'NotFound', details: {} },
  };
  for (const path of ['/api/v1/nothings', '/apis/apps/v1/nothings', '/apis/apps/v7/deployments', '/api/v2/pods'])
    t.match(await ask(`GET ${path}`), missing, path);
  const plain = {
    status: 404,
    text: '404 page not found\n',
    headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
  };
  for (const path of ['/apis/no.example.com/v1/things', '/apis/no.example.com', '/nothing', '/logs/'])
    t.match(await ask(`GET ${path}`), plain, path);
  for (const path of ['/api/v1/nothings', '/apis/no.example.com/v1/things', '/nothing'])
    t.match(
      await ask(`GET ${path}`, jane),
      { status: 403, json: { reason: 'Forbidden' } },
      `${path}: authorization comes first`,
    );
});

t.test('the index and the version', async t => {
  const { json: index } = await ask('GET /');
  const paths = index['paths'] as string[];
  for (const path of [
    '/api',
    '/apis',
    '/healthz',
    '/livez',
    '/metrics',
    '/openapi/v2',
    '/openapi/v3',
    '/readyz',
    '/version',
  ])
    t.ok(paths.includes(path), path);
  t.same(paths, [...paths].sort());
  const { json: version } = await ask('GET /version');
  const names = [
    'major',
    'minor',
    'emulationMajor',
    'emulationMinor',
    'minCompatibilityMajor',
    'minCompatibilityMinor',
  ];
  names.push('gitVersion', 'gitCommit', 'gitTreeState', 'buildDate', 'goVersion', 'compiler', 'platform');
  t.same(Object.keys(version).sort(), names.sort());
  t.match(version['gitVersion'], /^v1\.36\.\d+$/);
});

t.test('health', async t => {
  for (const endpoint of ['healthz', 'livez', 'readyz']) {
    const plain = { status: 200, text: 'ok', headers: { 'content-type': 'text/plain; charset=utf-8' } };
    t.match(await stranger(`GET /${endpoint}`), plain, 'without authentication');
    const { text } = await ask(`GET /${endpoint}?verbose`);
    for (const name of [
      'ping',
      'log',
      'etcd',
      'poststarthook/rbac/bootstrap-roles',
      'poststarthook/crd-informer-synced',
      'poststarthook/bootstrap-controller',
    ])
      t.ok(text.includes(`[+]${name} ok\n`), `${endpoint} ${name}`);
    for (const name of ['etcd-readiness', 'informer-sync', 'shutdown'])
      t.equal(text.includes(`[+]${name} ok\n`), endpoint === 'readyz', `${endpoint} ${name}`);
    t.ok(text.endsWith(`${endpoint} check passed\n`));
    t.match(await ask(`GET /${endpoint}/ping`), { status: 200, text: 'ok' });
    t.equal((await ask(`GET /${endpoint}/nothing`)).status, 404);
  }
  const { text } = await ask('GET /readyz?verbose&exclude=etcd&exclude=ping');
  t.match(text, /\[\+\]ping excluded: ok\n(?:.*\n)*\[\+\]etcd excluded: ok\n/);
});

t.test('OpenID discovery for service account tokens', async t => {
  const account: Ask = { headers: { 'impersonate-user': 'system:serviceaccount:default:default' } };
  const maxAge = { 'cache-control': 'public, max-age=3600' };
  const configuration = await ask('GET /.well-known/openid-configuration', account);
  t.match(configuration, { status: 200, headers: { 'content-type': 'application/json', ...maxAge } });
  t.same(Object.keys(configuration.json).sort(), [
    'id_token_signing_alg_values_supported',
    'issuer',
    'jwks_uri',
    'response_types_supported',
    'subject_types_supported',
  ]);
  const keys = await ask('GET /openid/v1/jwks', account);
  t.match(keys, { status: 200, headers: { 'content-type': 'application/jwk-set+json', ...maxAge } });
  for (const path of ['/.well-known/openid-configuration', '/openid/v1/jwks'])
    t.equal((await stranger(`GET ${path}`)).status, 403, `${path} is for ServiceAccounts`);
});

t.test('ALPN, requests without a client certificate, and the roots /api and /apis', async t => {
  for (const [offered, agreed] of [
    [['h2', 'http/1.1'], 'h2'],
    [['http/1.1'], 'http/1.1'],
    [[], false],
  ] as const) {
    const { host, port } = server;
    const socket = tls.connect({ host, port, ca: server.pki.authority.certificate, ALPNProtocols: [...offered] });
    t.teardown(() => socket.destroy());
    await once(socket, 'secureConnect');
    t.equal(socket.alpnProtocol, agreed);
  }
  t.equal((await stranger('GET /healthz')).status, 200);
  const { json: core } = await ask('GET /api');
  t.match(core, { kind: 'APIVersions', serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0' }] });
  for (const path of ['/apis', '/apis/']) {
    const { json: groups } = await ask(`GET ${path}`);
    t.match(groups, { kind: 'APIGroupList', apiVersion: 'v1' });
    t.notOk(JSON.stringify(groups).includes('serverAddressByClientCIDRs'));
  }
});
