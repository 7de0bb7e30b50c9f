/** The HTTP layer over real sockets: both protocols, certificates, refusals, deadlines, upgrades, stop. */
import { once } from 'node:events';
import http2 from 'node:http2';
import https from 'node:https';
import net, { type Socket } from 'node:net';
import tls from 'node:tls';
import t, { type Test } from 'tap';
import { type ApiServer, startApiServer } from '../../../apiserver/http/api-server.js';
import { answer, answerValue, pageNotFound } from '../../../apiserver/http/answer.js';
import { type RequestFilter, filters } from '../../../apiserver/http/filters.js';
import { allowAll } from '../allow-all.js';
import type { Authenticator, Authorizer } from '../../../authn/interface.js';
import { createAuthority, issueClient, issueServing } from '../../../authn/pki/authority.js';
import { conflict } from '../../../apimachinery/errors/status.js';

const authority = await createAuthority();
const serving = await issueServing(authority, ['localhost', '127.0.0.1']);
const client = await issueClient(authority, { name: 'alice', groups: [] });

interface Options {
  readonly route: RequestFilter;
  readonly authenticate?: Authenticator;
  readonly authorize?: Authorizer;
  readonly limit?: RequestFilter;
  readonly requestTimeoutMs?: number;
  readonly bugs?: unknown[];
}

async function start(t: Test, options: Options): Promise<ApiServer> {
  const server = await startApiServer({
    host: '127.0.0.1',
    port: 0,
    certificate: serving.certificate,
    key: serving.key,
    clientAuthorities: authority.certificate,
    filters: filters({
      authenticate:
        options.authenticate ??
        (({ certificate, headers }) =>
          headers.authorization === 'Bearer no' ? undefined : { name: certificate ? 'alice' : 'anybody', groups: [] }),
      impersonate: () => Promise.resolve(undefined),
      authorize: options.authorize ?? allowAll,
      limit: options.limit ?? (() => undefined),
      route: options.route,
      requestTimeoutMs: options.requestTimeoutMs ?? 60_000,
    }),
    onBug: (_, error) => options.bugs?.push(error),
  });
  t.teardown(() => server.stop(0));
  return server;
}

interface Answer {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly text: string;
}

interface Ask {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: Buffer;
}

type Client = (path: string, ask?: Ask) => Promise<Answer>;

const identity = { ca: authority.certificate, cert: client.certificate, key: client.key };

function http1(t: Test, { port }: ApiServer): Client {
  const agent = new https.Agent({ keepAlive: true, ...identity });
  t.teardown(() => agent.destroy());
  return (path, { method = 'GET', headers = {}, body } = {}) =>
    new Promise((resolve, reject) => {
      const request = https.request({ host: '127.0.0.1', port, path, method, agent, headers }, response => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('error', reject);
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
      });
      request.on('error', reject).end(body);
    });
}

/** A connection error is reported by its streams. */
const connect = (port: number): http2.ClientHttp2Session =>
  http2.connect(`https://127.0.0.1:${port}`, identity).on('error', () => undefined);

function h2(t: Test, { port }: ApiServer): Client {
  let session = connect(port);
  t.teardown(() => session.destroy());
  return (path, { method = 'GET', headers = {}, body } = {}) =>
    new Promise((resolve, reject) => {
      if (session.closed) session = connect(port);
      const stream = session.request({ ':path': path, ':method': method, ...headers }, { endStream: !body });
      let text = '';
      let got: Record<string, unknown> = {};
      stream.on('response', headers => (got = headers));
      stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      stream.on('end', () => resolve({ status: Number(got[':status']), headers: got, text })).on('error', reject);
      stream.on('close', () => reject(new Error('no whole answer'))); // a destroyed response has no error then
      if (body) stream.end(body);
    });
}

const echo: RequestFilter = async request => {
  const body = await request.exchange.body(100);
  const { method, path, query, protocol } = request.exchange;
  answerValue(request, 200, { method, path, query, protocol, user: request.user.name, body: body.toString() });
};

t.test('both protocols have the same requests and responses', async t => {
  const server = await start(t, { route: echo });
  for (const [name, ask] of [
    ['HTTP/1.1', http1(t, server)],
    ['HTTP/2.0', h2(t, server)],
  ] as const) {
    const read = await ask('/x?a=b', { headers: { 'audit-id': 'mine' } });
    t.equal(read.status, 200, name);
    const expected = { method: 'GET', path: '/x', query: 'a=b', protocol: name, user: 'alice', body: '' };
    t.same(JSON.parse(read.text), expected, name);
    t.match(read.headers, {
      'audit-id': 'mine',
      'cache-control': 'no-cache, private',
      'content-type': 'application/json',
    });
    const written = await ask('/x', { method: 'POST', body: Buffer.from('hello') });
    t.match(JSON.parse(written.text), { method: 'POST', body: 'hello' }, name);
    t.match(written.headers['audit-id'], /^[0-9a-f-]{36}$/, 'an audit id is generated');
    const large = await ask('/x', { method: 'POST', body: Buffer.alloc(101) });
    t.equal(large.status, 413, name);
    t.match(JSON.parse(large.text), { reason: 'RequestEntityTooLarge', message: /limit is 100$/ });
    const head = await ask('/x', { method: 'HEAD' });
    t.match(head, { status: 200, text: '' }, name);
    t.ok(Number(head.headers['content-length']) > 0);
  }
  t.equal(server.inFlight, 0);
});

t.test('100-continue is sent when the body is read', async t => {
  const server = await start(t, { route: echo });
  const headers = { ':path': '/x', ':method': 'POST', expect: '100-continue' };
  const session = connect(server.port);
  t.teardown(() => session.destroy());
  const stream = session.request(headers);
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  await once(stream, 'continue');
  stream.end('hello');
  await once(stream, 'end');
  t.match(JSON.parse(text), { body: 'hello' });
});

t.test('large responses to many concurrent requests on one connection are complete', async t => {
  const big = Buffer.alloc(3 * 1024 * 1024, 'x');
  const server = await start(t, { route: request => answer(request, 200, 'text/plain', big) });
  const ask = h2(t, server);
  const answers = await Promise.all(Array.from({ length: 30 }, () => ask('/')));
  t.ok(answers.every(({ text }) => text.length === big.length));
  t.equal((await http1(t, server)('/')).text.length, big.length);
});

t.test('refusals', async t => {
  const bugs: unknown[] = [];
  const server = await start(t, {
    bugs,
    authorize: (_, attributes) => ({ allowed: attributes.verb !== 'delete', reason: 'because' }),
    route: request => {
      if (request.info.path === '/bug') throw new TypeError('a secret');
      if (request.info.path === '/nothing') return;
      if (request.info.path === '/conflict') throw conflict({ group: '', resource: 'pods' }, 'p');
      throw pageNotFound();
    },
  });
  const rows: readonly { given: [string, Ask?]; expect: object }[] = [
    {
      given: ['/x'],
      expect: { status: 404, text: '404 page not found\n', headers: { 'x-content-type-options': 'nosniff' } },
    },
    { given: ['/bug'], expect: { status: 500, text: /^This request caused apiserver to panic/ } },
    { given: ['/nothing'], expect: { status: 500 } },
    { given: ['/conflict'], expect: { status: 409, text: /"reason":"Conflict"/ } },
    {
      given: ['/conflict', { headers: { accept: 'application/yaml' } }],
      expect: { status: 409, text: /^reason: Conflict$/m },
    },
    { given: ['/conflict', { headers: { accept: 'text/html' } }], expect: { status: 409, text: /^\{\n {2}"kind"/ } },
    {
      given: ['/x', { headers: { authorization: 'Bearer no' } }],
      expect: { status: 401, text: /"message":"Unauthorized"/ },
    },
    {
      given: ['/x', { method: 'DELETE' }],
      expect: { status: 403, text: /User \\"alice\\" cannot delete path \\"\/x\\": because"/ },
    },
    {
      given: ['/x?timeout=soon'],
      expect: { status: 400, text: /invalid timeout specified in the request URL - time:/ },
    },
    { given: ['/api/v1/watch'], expect: { status: 500, text: /^Internal Server Error: "\/api\/v1\/watch"/ } },
    { given: ['/%'], expect: { status: 400, text: '400 Bad Request\n' } },
    { given: ['/a%zzb'], expect: { status: 400 } },
    { given: ['/%ff'], expect: { status: 404 } },
    { given: ['/x', { method: 'POST', headers: { 'content-type': 'bogus' } }], expect: { status: 404 } },
    { given: ['/x', { headers: { 'x-long': 'a'.repeat(40_000) } }], expect: { status: 404 } },
  ];
  for (const ask of [http1(t, server), h2(t, server)])
    for (const { given, expect } of rows) t.match(await ask(...given), expect, given[0]);
  t.equal(bugs.length, 4, 'unexpected errors are reported to the server, not to the client');
});

t.test('a request that takes too long gets 504 in time', async t => {
  const aborted: string[] = [];
  const server = await start(t, {
    requestTimeoutMs: 300,
    route: request =>
      new Promise(resolve =>
        request.signal.addEventListener('abort', () => {
          aborted.push((request.signal.reason as Error).message);
          resolve();
        }),
      ),
  });
  for (const ask of [http1(t, server), h2(t, server)]) {
    const { status, text } = await ask('/slow');
    t.equal(status, 504);
    t.match(JSON.parse(text), {
      reason: 'Timeout',
      message: 'Timeout: request did not complete within the allotted timeout',
    });
  }
  t.equal(aborted.length, 2, 'the signal of the request is aborted');
  t.equal(server.inFlight, 0);
});

t.test('a request that has timed out is not processed further', async t => {
  let recognise: () => void = () => undefined;
  let recognised: Promise<void> = Promise.resolve();
  const reached: string[] = [];
  const server = await start(t, {
    requestTimeoutMs: 300,
    authenticate: () => {
      const waiting = new Promise<{ name: string; groups: [] }>(
        resolve => (recognise = () => resolve({ name: 'alice', groups: [] })),
      );
      recognised = waiting.then(() => undefined);
      return waiting;
    },
    limit: request => {
      reached.push('limit');
      request.onceDone(() => reached.push('given back'));
    },
    route: () => void reached.push('route'),
  });
  for (const ask of [http1(t, server), h2(t, server)]) {
    t.equal((await ask('/slow')).status, 504);
    recognise();
    await recognised;
    await new Promise(setImmediate);
  }
  t.same(reached, [], 'nothing is acquired that would not be released');
});

t.test('a response that is aborted does not look complete', async t => {
  const bugs: unknown[] = [];
  const server = await start(t, {
    bugs,
    route: async request => {
      const stream = request.exchange.stream(200, { 'content-type': 'text/plain' });
      stream.write(Buffer.from('the beginning'));
      await new Promise(setImmediate);
      throw new Error('of the middle');
    },
  });
  for (const ask of [http1(t, server), h2(t, server)]) await t.rejects(ask('/half'));
  t.equal(server.inFlight, 0);
  t.ok(bugs.every(bug => (bug as Error).message === 'of the middle'));
});

t.test('a client that disconnects is noticed', async t => {
  let left: () => void = () => undefined;
  let arrived: () => void = () => undefined;
  const server = await start(t, {
    route: request => {
      arrived();
      return new Promise(resolve =>
        request.signal.addEventListener('abort', () => {
          resolve();
          left();
        }),
      );
    },
  });
  for (const open of [
    () =>
      https
        .get({ host: '127.0.0.1', port: server.port, path: '/', ...identity, agent: false })
        .on('error', () => undefined),
    () =>
      connect(server.port)
        .request({ ':path': '/' })
        .on('error', () => undefined),
  ]) {
    const here = new Promise<void>(resolve => (arrived = resolve));
    const gone = new Promise<void>(resolve => (left = resolve));
    const request = open();
    await here;
    if ('session' in request) request.session?.destroy();
    else request.destroy();
    await gone;
  }
  t.equal(server.inFlight, 0);
});

t.test('streams follow the speed of the client, and end when the server stops', async t => {
  const server = await start(t, {
    route: async request => {
      const stream = request.exchange.stream(200, request.answerHeaders());
      stream.write(Buffer.from('first\n'));
      stream.write(Buffer.from('second\n'));
      if (!request.signal.aborted)
        await new Promise(resolve => request.signal.addEventListener('abort', resolve, { once: true }));
      stream.end();
      request.release();
    },
  });
  const path = '/api/v1/pods?watch=1';
  const ends = [http1(t, server)(path), h2(t, server)(path)];
  while (server.inFlight < 2) await new Promise(resolve => setImmediate(resolve));
  await server.stop(5000);
  for (const end of await Promise.all(ends)) t.match(end, { status: 200, text: 'first\nsecond\n' });
});

t.test('stopping does not wait for connections without requests', async t => {
  const server = await start(t, { route: request => answer(request, 200, 'text/plain', Buffer.from('yes')) });
  const open = async (ALPNProtocols: string[]): Promise<Socket> => {
    const socket = tls.connect({ host: '127.0.0.1', port: server.port, ...identity, ALPNProtocols });
    t.teardown(() => socket.destroy());
    await once(socket, 'secureConnect');
    return socket;
  };
  const sockets = [await open(['http/1.1']), await open(['h2'])];
  await http1(t, server)('/version'); // by now the server has accepted the others
  const closed = sockets.map(socket => once(socket.resume(), 'close'));
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>(resolve => (timer = setTimeout(resolve, 20_000, 'it waits'))); // before the timeout of the headers
  t.equal(await Promise.race([server.stop(120_000).then(() => 'it stopped'), late]), 'it stopped');
  clearTimeout(timer);
  await Promise.all(closed);
});

t.test('an upgrade gets the socket, or is refused like any request', async t => {
  const server = await start(t, {
    route: request => {
      if (request.info.path === '/no') throw pageNotFound();
      const upgrade = request.exchange.takeOver();
      upgrade?.socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: test\r\n\r\n');
      upgrade?.socket.on('data', (chunk: Buffer) => upgrade.socket.write(`${request.user.name} ${chunk.toString()}`));
      upgrade?.socket.on('end', () => upgrade.socket.end());
      request.release();
    },
  });
  const upgrade = async (path: string): Promise<Socket> => {
    const socket = tls.connect({ host: '127.0.0.1', port: server.port, ...identity });
    socket.on('error', () => undefined);
    t.teardown(() => socket.destroy());
    await once(socket, 'secureConnect');
    socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: test\r\n\r\n`);
    return socket;
  };
  const socket = await upgrade('/yes');
  const [head] = (await once(socket, 'data')) as [Buffer];
  t.match(head.toString(), /^HTTP\/1.1 101 /);
  socket.write('ping');
  const [pong] = (await once(socket, 'data')) as [Buffer];
  t.equal(pong.toString(), 'alice ping');
  const refused = await upgrade('/no');
  const [answer] = (await once(refused, 'data')) as [Buffer];
  t.match(answer.toString(), /^HTTP\/1.1 404 Not Found/);
});

t.test('a new certificate is used for new connections', async t => {
  const server = await start(t, { route: echo });
  const fresh = await issueServing(authority, ['localhost', '127.0.0.1']);
  server.renew(fresh.certificate, fresh.key);
  const socket = tls.connect({ host: '127.0.0.1', port: server.port, ca: authority.certificate });
  socket.on('error', () => undefined);
  await once(socket, 'secureConnect');
  t.equal(
    socket.getPeerX509Certificate()?.toString().trim(),
    fresh.certificate.trim().split('-----END CERTIFICATE-----')[0] + '-----END CERTIFICATE-----',
  );
  socket.destroy();
});

t.test('a plain HTTP request gets 400, and its connection is closed', async t => {
  const { port } = await start(t, { route: echo });
  const socket = net.connect(port, '127.0.0.1');
  t.teardown(() => socket.destroy());
  socket.write('GET /version HTTP/1.1\r\nHost: a\r\n\r\n');
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  await once(socket, 'close');
  t.equal(text, 'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n');
});

t.test('headers may be as large as with kube-apiserver, and no larger', async t => {
  const ask = http1(t, await start(t, { route: echo }));
  t.equal((await ask('/x', { headers: { big: 'a'.repeat(900_000) } })).status, 200);
  t.equal((await ask('/x', { headers: { big: 'a'.repeat(1_100_000) } })).status, 431);
});

t.test('a port that is in use is an error', async t => {
  const server = await start(t, { route: echo });
  const again = startApiServer({
    host: '127.0.0.1',
    port: server.port,
    certificate: serving.certificate,
    key: serving.key,
    clientAuthorities: undefined,
    filters: [],
    onBug: () => undefined,
  });
  await t.rejects(again, { code: 'EADDRINUSE' });
});
