/** Headers and responses for browsers and load balancers. */
import { once } from 'node:events';
import http2 from 'node:http2';
import t from 'tap';
import { edgeFilters } from '../../../apiserver/http/edge.js';
import type { Request } from '../../../apiserver/http/request.js';
import { httpClient } from '../http-client.js';
import { runningServer } from '../running.js';

t.test('without configuration there are no such headers', async t => {
  t.same(edgeFilters({}), []);
  const ask = httpClient(t, await runningServer(t));
  const headers = { origin: 'https://page.example' };
  const plain = await ask('GET /version', { headers });
  for (const name of ['access-control-allow-origin', 'strict-transport-security', 'vary'])
    t.notOk(plain.headers[name], name);
  t.equal((await ask('OPTIONS /api/v1/pods', { headers })).status, 405, 'there is no response to preflight requests');
});

t.test('CORS for pages of other origins', async t => {
  const edge = { allowedOrigins: ['^https://page\\.example(:|$)', '//other\\.example$'] };
  const server = await runningServer(t, { edge, anonymous: false });
  const stranger = httpClient(t, { ...server, pki: { ...server.pki, admin: { certificate: '', key: '' } } });
  const rows: readonly [origin: string, allowed: boolean][] = [
    ['https://page.example', true],
    ['https://page.example:8443', true],
    ['http://other.example', true],
    ['https://page.example.evil.example', false],
    ['http://page.example', false],
    ['null', false],
  ];
  const methods = 'POST, GET, OPTIONS, PUT, DELETE, PATCH';
  for (const [origin, allowed] of rows) {
    const headers = { origin, 'access-control-request-method': 'PUT' };
    const preflight = await stranger('OPTIONS /api/v1/pods', { headers });
    t.equal(preflight.status, allowed ? 204 : 401, `${origin}: before authentication`);
    const refused = await stranger('GET /api/v1/pods', { headers });
    t.equal(refused.status, 401);
    for (const { headers } of [preflight, refused]) {
      t.equal(headers['access-control-allow-origin'], allowed ? origin : undefined, origin);
      t.equal(headers['access-control-allow-methods'], allowed ? methods : undefined);
      t.equal(headers['access-control-allow-credentials'], allowed ? 'true' : undefined);
    }
    t.match(preflight.headers, { 'audit-id': /^[0-9a-f-]{36}$/ });
    if (allowed)
      t.equal(preflight.headers['content-length'], undefined, 'a response without a body has no content-length');
  }
  t.equal((await stranger('OPTIONS /api/v1/pods')).status, 401, 'not a CORS request');
  const known = await httpClient(t, server)('GET /version', { headers: { origin: 'http://other.example' } });
  t.match(known, { status: 200, headers: { 'access-control-expose-headers': 'Date' } });
  t.match(known.headers['access-control-allow-headers'], /Authorization/);
});

t.test('Strict-Transport-Security is set', async t => {
  const transportSecurity = ['max-age=31536000', 'includeSubDomains'];
  const ask = httpClient(t, await runningServer(t, { edge: { transportSecurity } }));
  for (const path of ['/version', '/nothing', '/api/v1/namespaces'])
    t.equal(
      (await ask(`GET ${path}`)).headers['strict-transport-security'],
      'max-age=31536000; includeSubDomains',
      path,
    );
});

t.test('goaway-chance closes HTTP/2 connections', async t => {
  const server = await runningServer(t, { edge: { goawayChance: 1 } });
  const { pki, port } = server;
  const identity = { ca: pki.authority.certificate, cert: pki.admin.certificate, key: pki.admin.key };
  const session = http2.connect(`https://127.0.0.1:${port}`, identity);
  t.teardown(() => session.destroy());
  const gone = once(session, 'goaway');
  const watching = session.request({ ':path': '/api/v1/namespaces?watch=1&resourceVersion=0' });
  t.teardown(() => watching.destroy());
  const received = (await Promise.all([gone, once(watching, 'response')])) as [[number], [http2.IncomingHttpHeaders]];
  const [[code], [headers]] = received;
  t.equal(code, http2.constants.NGHTTP2_NO_ERROR);
  t.match(headers, { ':status': 200 });
  const [first] = (await once(watching, 'data')) as [Buffer];
  t.match(first.toString(), /^\{"type":"ADDED"/, 'earlier requests continue');
  const ask = httpClient(t, server);
  t.equal((await ask('GET /version')).headers['connection'], 'keep-alive', 'HTTP/1.1 connections stay open');
});

t.test('the chance of a GOAWAY', async t => {
  let left = 0;
  const [filter] = edgeFilters({ goawayChance: 0.02 }, undefined, () => 0.02);
  const [other] = edgeFilters({ goawayChance: 0.02 }, undefined, () => 0.0199);
  const request = { exchange: { protocol: 'HTTP/2.0', leave: () => left++ } } as unknown as Request;
  await filter?.(request);
  t.equal(left, 0);
  await other?.(request);
  t.equal(left, 1);
});

t.test('clients get Retry-After while the server stops', async t => {
  let release: () => void = () => undefined;
  const released = new Promise<void>(resolve => (release = resolve));
  let arrived: () => void = () => undefined;
  const here = new Promise<void>(resolve => (arrived = resolve));
  const server = await runningServer(t, {
    edge: { sendRetryAfter: true },
    shutdownTimeoutMs: 20_000,
    connects: {
      'pods/proxy': async ({ exchange }) => {
        arrived();
        await released;
        exchange.respond(200, {}, Buffer.from('slow'));
      },
    },
  });
  const slow = httpClient(t, server)('GET /api/v1/namespaces/default/pods/p/proxy');
  await here;
  const stopped = server.stop();
  const away = {
    status: 429,
    text: 'The apiserver is shutting down, please try again later.\n',
    headers: {
      'retry-after': '5',
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
      connection: 'close',
    },
  };
  const late = httpClient(t, server);
  while ((await late('GET /version')).status === 200); // until the server has begun to stop
  for (const what of ['GET /version', 'GET /api/v1/pods', 'POST /api/v1/namespaces/default/configmaps'])
    t.match(await late(what), away, what);
  t.equal((await late('GET /livez')).status, 200, 'health checks still work');
  t.match(await late('GET /readyz'), { status: 500, text: /\[-\]shutdown failed/ });
  release();
  t.match(await slow, { status: 200, text: 'slow' });
  await stopped;
  await t.rejects(late('GET /version'), { code: 'ECONNREFUSED' });
});
