/** Hostile or broken clients: what they occupy is bounded, and others are served. */
import { once } from 'node:events';
import http2 from 'node:http2';
import { setImmediate as immediate } from 'node:timers/promises';
import tls from 'node:tls';
import t, { type Test } from 'tap';
import { type ApiServer, type ApiServerOptions, startApiServer } from '../../../apiserver/http/api-server.js';
import { answer, answerValue } from '../../../apiserver/http/answer.js';
import { type Audit, type RequestFilter, filters } from '../../../apiserver/http/filters.js';
import type { Request } from '../../../apiserver/http/request.js';
import { tooManyRequests } from '../../../apimachinery/errors/status.js';
import { allowAll } from '../allow-all.js';
import { createAuthority, issueClient, issueServing } from '../../../authn/pki/authority.js';

const authority = await createAuthority();
const serving = await issueServing(authority, ['localhost', '127.0.0.1']);
const client = await issueClient(authority, { name: 'alice', groups: [] });
const identity = { ca: authority.certificate, cert: client.certificate, key: client.key };

async function start(
  t: Test,
  route: RequestFilter,
  more: Partial<ApiServerOptions> = {},
  over: { requestTimeoutMs?: number; audit?: Audit } = {},
) {
  const server = await startApiServer({
    ...{ host: '127.0.0.1', port: 0, clientAuthorities: authority.certificate },
    ...{ certificate: serving.certificate, key: serving.key },
    filters: filters({
      authenticate: ({ certificate, headers }) => {
        if (headers.authorization === 'Bearer no') return undefined;
        if (headers.authorization === 'Bearer busy') throw tooManyRequests('busy', 1);
        return { name: certificate ? 'alice' : 'system:anonymous', groups: [] };
      },
      impersonate: () => Promise.resolve(undefined),
      authorize: allowAll,
      limit: () => undefined,
      route,
      requestTimeoutMs: 60_000,
      ...over,
    }),
    onBug: (_, error) => t.fail(String(error)),
    ...more,
  });
  t.teardown(() => server.stop(0));
  return server;
}

const ok: RequestFilter = request => answerValue(request, 200, {});

function session(t: Test, { port }: ApiServer, options: http2.SecureClientSessionOptions = identity) {
  const made = http2.connect(`https://127.0.0.1:${port}`, { ca: authority.certificate, ...options });
  made.on('error', () => undefined);
  t.teardown(() => made.destroy());
  return made;
}

async function socketTo(t: Test, { port }: ApiServer): Promise<tls.TLSSocket> {
  const socket = tls.connect({ host: '127.0.0.1', port, ...identity, ALPNProtocols: ['http/1.1'] });
  socket.on('error', () => undefined);
  t.teardown(() => socket.destroy());
  await once(socket, 'secureConnect');
  return socket;
}

async function statusOf(session: http2.ClientHttp2Session, headers: http2.OutgoingHttpHeaders): Promise<number> {
  const stream = session.request(headers);
  const [got] = (await once(stream, 'response')) as [http2.IncomingHttpHeaders];
  stream.resume();
  await once(stream, 'close');
  return Number(got[':status']);
}

/** Returns everything that arrives until the connection ends. */
async function readToEnd(socket: tls.TLSSocket): Promise<string> {
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  if (!socket.destroyed) await once(socket, 'close');
  return text;
}

t.test('unauthenticated clients get one response on an HTTP/2 connection', async t => {
  const refused: string[] = [];
  const audit = { begin: () => undefined, refused: (request: Request) => void refused.push(request.exchange.path) };
  const server = await start(t, ok, {}, { audit });
  for (const [name, options, headers, status] of [
    ['invalid credentials', identity, { authorization: 'Bearer no' }, 401],
    ['no credentials', {}, {}, 200],
  ] as const) {
    const stranger = session(t, server, options);
    const closed = once(stranger, 'close');
    t.equal(await statusOf(stranger, { ':path': '/no', ...headers }), status, name);
    await closed;
    t.ok(stranger.closed, 'the connection is closed');
  }
  const known = session(t, server);
  t.equal(await statusOf(known, { ':path': '/x' }), 200);
  t.equal(await statusOf(known, { ':path': '/x' }), 200, 'authenticated clients keep their connection');
  t.same(refused, ['/no'], 'refusals are recorded');
  const busy = session(t, server, {});
  for (let i = 0; i < 2; i++) t.equal(await statusOf(busy, { ':path': '/busy', authorization: 'Bearer busy' }), 429);
  t.notOk(busy.closed, 'a client that is asked to try again keeps its connection');
  t.same(refused, ['/no'], 'and is not refused');
});

t.test('clients that do not read are disconnected', async t => {
  const big = Buffer.alloc(200 * 1024, 'x');
  let gone = 0;
  const server = await start(
    t,
    request => {
      request.exchange.onClose(() => gone++);
      answer(request, 200, 'text/plain', big);
    },
    { stallTimeoutMs: 200 },
  );
  const sent = 100;
  const socket = await socketTo(t, server);
  socket.pause();
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(sent));
  while (gone === 0) await immediate();
  const before = gone;
  const narrow = session(t, server, { ...identity, settings: { initialWindowSize: 0 } });
  const streams = Array.from({ length: 10 }, () => narrow.request({ ':path': '/' }).on('error', () => undefined));
  await Promise.all(streams.map(stream => new Promise(resolve => stream.once('close', resolve))));
  t.ok(gone >= before + streams.length);
});

t.test('a body that does not arrive', async t => {
  const server = await start(
    t,
    request => request.exchange.body(1000).then(() => undefined),
    {},
    { requestTimeoutMs: 100 },
  );
  const socket = await socketTo(t, server);
  socket.write('POST /x HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{');
  const text = await readToEnd(socket);
  t.match(text, /^HTTP\/1.1 504 Gateway Timeout/);
  t.match(text, /Timeout: request did not complete within the allotted timeout/);
  t.equal(server.inFlight, 0);
});

t.test('headers that do not arrive', async t => {
  const server = await start(t, ok, { headersTimeoutMs: 200 });
  const socket = await socketTo(t, server);
  socket.write('GET /x HTTP/1.1\r\nhost: x\r\n');
  t.match(await readToEnd(socket), /^HTTP\/1.1 408 Request Timeout/);
});

t.test('long paths, and paths that are too long', async t => {
  const server = await start(t, ok);
  const many = session(t, server);
  t.equal(await statusOf(many, { ':path': `/x?labelSelector=${'a'.repeat(60_000)}` }), 200);
  const socket = await socketTo(t, server);
  socket.write(`GET /x?labelSelector=${'a'.repeat(100_000)} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
  t.match(await readToEnd(socket), /^HTTP\/1.1 200 OK/);
  const other = await socketTo(t, server);
  other.write(`GET /x?labelSelector=${'a'.repeat(1_100_000)} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
  t.match(await readToEnd(other), /^HTTP\/1.1 431 Request Header Fields Too Large/);
});

t.test('several Host headers', async t => {
  let served = 0;
  const server = await start(t, request => {
    served++;
    return ok(request);
  });
  const heads = [
    'GET /x HTTP/1.1\r\nhost: x\r\nhost: y',
    'GET /x HTTP/1.1\r\nHost: x\r\naccept: */*\r\nhOST: x',
    'POST /x HTTP/1.1\r\nhost: x\r\nhost: y\r\ncontent-length: 0',
    'GET /x HTTP/1.1\r\nhost: x\r\nhost: y\r\nconnection: upgrade\r\nupgrade: websocket',
    'GET /%zz HTTP/1.1\r\nhost: x\r\nhost: y',
  ];
  for (const head of heads) {
    const socket = await socketTo(t, server);
    socket.write(`${head}\r\n\r\n`);
    t.match(await readToEnd(socket), /^HTTP\/1.1 400 Bad Request\r\n[^]*400 Bad Request: too many Host headers$/, head);
  }
  t.equal(served, 0);
});

t.test('an absolute URL as the path', async t => {
  const server = await start(t, request => answerValue(request, 200, { path: request.info.path }));
  const rows = [
    { given: 'https://some.host/x/y?z=1', expect: '/x/y' },
    { given: 'HTTP://u@h:1/api/v1', expect: '/api/v1' },
  ];
  for (const { given, expect } of rows) {
    const socket = await socketTo(t, server);
    socket.write(`GET ${given} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
    t.ok((await readToEnd(socket)).includes(`{"path":"${expect}"}`), given);
  }
});

t.test('streams that are reset immediately', async t => {
  const server = await start(t, async request => {
    await immediate();
    answerValue(request, 200, {});
  });
  const flood = session(t, server);
  await once(flood, 'connect');
  for (let i = 0; i < 5000 && !flood.closed; i++) {
    const stream = flood.request({ ':path': '/x' });
    stream.on('error', () => undefined);
    stream.close(http2.constants.NGHTTP2_CANCEL);
    if (i % 100 === 0) await immediate();
  }
  t.equal(await statusOf(session(t, server), { ':path': '/x' }), 200, 'other clients are served');
  while (server.inFlight > 0) await immediate();
  t.pass('no requests are left');
});

t.test('concurrent streams are limited', async t => {
  const waiting: (() => void)[] = [];
  const server = await start(t, request =>
    new Promise<void>(resolve => waiting.push(resolve)).then(() => answerValue(request, 200, {})),
  );
  const many = session(t, server);
  const all = Array.from({ length: 400 }, () => statusOf(many, { ':path': '/x' }));
  while (server.inFlight < 250) await immediate();
  for (let i = 0; i < 50; i++) await immediate();
  t.equal(server.inFlight, 250);
  let done = false;
  const ended = Promise.all(all).finally(() => (done = true));
  ended.catch(() => undefined); // the rejection is handled below
  while (!done) {
    for (const release of waiting.splice(0)) release();
    await immediate();
  }
  t.same(new Set(await ended), new Set([200]), 'the others are served later');
});

t.test('a query of too many parameters is refused', async t => {
  const own = session(t, await start(t, ok));
  t.equal(await statusOf(own, { ':path': `/version?${'a&'.repeat(9999)}b` }), 200);
  t.equal(await statusOf(own, { ':path': `/version?${'a&'.repeat(10_000)}b` }), 400);
});
