/** What goes over the wire between client, control plane and member, with members that answer as the test defines. */
import { once } from 'node:events';
import http2 from 'node:http2';
import https from 'node:https';
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import t from 'tap';
import { issueClient } from '../../../authn/pki/authority.js';
import type { Credential } from '../../../authn/pki/authority.js';
import type { TestServer } from '../../apiserver/running.js';
import { until } from '../../authn/serve.js';
import { type Backend, backend } from '../backend.js';
import { controlPlane, grant, join, rbac, object } from '../fleet.js';

let control: TestServer;
let member: Backend;
let jane: Credential;

const root = '/apis/cluster.karmada.io/v1alpha1/clusters/member1/proxy';

t.before(async () => {
  [control, member] = await Promise.all([controlPlane(t), backend(t)]);
  await join(control, 'member1', { server: `${member.url}/under`, authority: member.authority, token: 'the-token' });
  jane = await issueClient(control.pki.authority, { name: 'jäne', groups: ['dev', 'ops'] });
  const rules = [{ apiGroups: ['cluster.karmada.io'], resources: ['clusters/proxy'], verbs: ['*'] }];
  await control.client.create(
    rbac('clusterroles'),
    object('rbac.authorization.k8s.io/v1', 'ClusterRole', 'proxies', { rules }),
  );
  await grant(
    control.client,
    'proxies',
    { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'jäne' },
    'proxies',
  );
});

const tls = () => ({ ca: control.pki.authority.certificate, cert: jane.certificate, key: jane.key });

function open(method: string, path: string, headers: Record<string, string | string[]> = {}): ClientRequest {
  const { host, port } = control;
  const request = https.request({ host, port, method, path: root + path, agent: false, headers, ...tls() });
  request.on('error', () => undefined);
  return request;
}

const answerTo = async (request: ClientRequest): Promise<IncomingMessage> => {
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
};

const textOf = async (body: AsyncIterable<Buffer>): Promise<string> => {
  let text = '';
  for await (const chunk of body) text += chunk.toString();
  return text;
};

t.test('the member gets the user of a request, and no credentials or hop-by-hop headers', async t => {
  let seen: { url?: string; headers: IncomingHttpHeaders; raw: string[] } | undefined;
  member.onRequest = (request, response) => {
    seen = { url: request.url ?? '', headers: request.headers, raw: request.rawHeaders };
    response.writeHead(200, {
      'content-type': 'text/plain',
      'keep-alive': 'timeout=5',
      'x-private': 'hop',
      connection: 'x-private, keep-alive',
      'x-from': ['a', 'b'],
      warning: '299 - "careful"',
    });
    response.end('hello');
  };
  const request = open('GET', '/api//v1/./pods/a%2Fb?watch=0&x=%20', {
    'x-remote-user': 'root',
    'x-remote-extra-a': 'b',
    ...{ 'x-forwarded-uri': '/other', 'x-forwarded-host': 'other', 'x-forwarded-proto': 'http' },
    connection: 'x-secret, close',
    'x-secret': '1',
    te: 'trailers',
    'proxy-authorization': 'Basic eA==',
    accept: 'text/plain',
    'x-mine': ['1', '2'],
    'user-agent': 'test/1',
  });
  const response = await answerTo(request.end());
  t.equal(await textOf(response), 'hello');
  t.equal(response.statusCode, 200);
  t.match(response.headers, { 'content-type': 'text/plain', 'x-from': 'a, b', warning: '299 - "careful"' });
  t.notOk(response.headers['x-private']);
  t.equal(seen?.url, '/under/api/v1/pods/a%2Fb?watch=0&x=%20');
  const headers = seen?.headers ?? {};
  t.match(headers, {
    authorization: 'Bearer the-token',
    accept: 'text/plain',
    'user-agent': 'test/1',
    'x-mine': '1, 2',
    'x-forwarded-for': '127.0.0.1',
    'x-forwarded-uri': `${root}/api/v1/pods/a%2Fb`,
    'x-forwarded-host': `${control.host}:${control.port}`,
    'x-forwarded-proto': 'https',
    host: member.url.slice('https://'.length),
    'audit-id': String,
  });
  t.equal(Buffer.from(String(headers['impersonate-user']), 'latin1').toString(), 'jäne');
  const groups = (seen?.raw ?? []).filter((_, i, all) => all[i - 1]?.toLowerCase() === 'impersonate-group');
  t.same(groups, ['dev', 'ops'], 'groups that every server adds itself are not sent');
  for (const name of ['x-remote-user', 'x-remote-extra-a', 'x-secret', 'te', 'proxy-authorization'])
    t.notOk(headers[name], name);
});

t.test('a user that a client impersonates is the user that the member gets', async t => {
  let user: unknown;
  member.onRequest = (request, response) => {
    user = request.headers['impersonate-user'];
    response.end();
  };
  const { admin, authority } = control.pki;
  const { host, port } = control;
  const request = https.request({
    ...{ host, port, path: `${root}/api`, agent: false, ca: authority.certificate },
    ...{ cert: admin.certificate, key: admin.key },
    headers: { 'impersonate-user': 'bob', 'impersonate-group': 'system:masters', 'impersonate-uid': '7' },
  });
  await answerTo(request.end());
  t.equal(user, 'bob');
});

t.test('bodies of requests are streamed', async t => {
  const arrived: string[] = [];
  member.onRequest = (request, response) => {
    request.on('data', (chunk: Buffer) => arrived.push(chunk.toString()));
    request.on('end', () => response.writeHead(201).end(JSON.stringify(request.headers)));
  };
  for (const headers of [{}, { 'content-length': '10' }] as Record<string, string>[]) {
    arrived.length = 0;
    const request = open('POST', '/api/v1/x', headers);
    request.write('12345');
    await until(() => arrived.length === 1);
    request.end('67890');
    const response = await answerTo(request);
    const sentHeaders = JSON.parse(await textOf(response)) as IncomingHttpHeaders;
    t.equal(response.statusCode, 201);
    t.same(arrived, ['12345', '67890']);
    t.equal(sentHeaders['content-length'], headers['content-length']);
  }
});

t.test('every method, with and without a body', async t => {
  member.onRequest = (request, response) =>
    void textOf(request).then(
      text => response.end(`${request.method} ${text}`),
      () => response.destroy(),
    );
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
    for (const body of ['', 'body']) {
      const headers = body === '' ? {} : { 'content-length': '4' };
      const response = await answerTo(open(method, '/x', headers).end(body));
      t.equal(await textOf(response), `${method} ${body}`);
    }
});

t.test('HTTP/2 requests and responses are streamed', async t => {
  member.onRequest = (request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.write('first,');
    void textOf(request).then(
      text => response.end(text),
      () => response.destroy(),
    );
  };
  const session = http2.connect(control.url, tls()).on('error', () => undefined);
  t.teardown(() => session.destroy());
  const stream = session.request({ ':method': 'POST', ':path': `${root}/x` }).on('error', () => undefined);
  stream.write('a');
  const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
  t.equal(headers[':status'], 200);
  const [first] = (await once(stream, 'data')) as [Buffer];
  t.equal(first.toString(), 'first,', 'before the request has ended');
  stream.end('b');
  t.equal(await textOf(stream as AsyncIterable<Buffer>), 'ab');
});

t.test('responses are streamed, no faster than the client reads', async t => {
  let sent = 0;
  let full = false;
  member.onRequest = ({ url }, response) => {
    if (url?.endsWith('/watch') !== true) return void response.end();
    response.write('event\n');
    const chunk = Buffer.alloc(64 * 1024);
    const pump = (): void => {
      while (response.write(chunk)) sent += chunk.length;
      sent += chunk.length;
      full = true;
      response.once('drain', () => {
        full = false;
        pump();
      });
    };
    response.once('resume', pump);
    setImmediate(pump);
  };
  const response = await answerTo(open('GET', '/watch').end());
  const [first] = (await once(response, 'data')) as [Buffer];
  t.ok(first.toString('latin1').startsWith('event\n'));
  response.pause();
  // Until every buffer on the way is full, and stays so while other requests use the same proxy.
  for (let before = -1; !full || sent !== before;) {
    before = sent;
    for (let others = 0; others < 20; others++) await textOf(await answerTo(open('GET', '/other').end()));
  }
  t.ok(sent < 32 * 1024 * 1024, `${sent} bytes are buffered`);
  response.resume();
  const after = sent;
  await until(() => sent > after + 1024 * 1024);
  response.destroy();
});

t.test('a client that disconnects ends the request to the member', async t => {
  for (const when of ['before an answer', 'while it comes']) {
    let gone = false;
    let asked = false;
    member.onRequest = (_request, response) => {
      asked = true;
      response.on('close', () => (gone = true));
      if (when === 'while it comes') response.write('x');
    };
    const request = open('GET', '/watch').end();
    if (when === 'while it comes') await once(await answerTo(request), 'data');
    await until(() => asked);
    request.destroy();
    await until(() => gone);
    t.pass(when);
  }
});

t.test('a member that closes the connection early', async t => {
  member.onRequest = request => request.socket.destroy();
  const response = await answerTo(open('POST', '/x').end('x'));
  t.equal(response.statusCode, 500);
  t.match(JSON.parse(await textOf(response)), {
    kind: 'Status',
    status: 'Failure',
    code: 500,
    message: /EOF|reset by peer/,
  });

  for (const headers of [{}, { 'content-length': '1000000' }]) {
    member.onRequest = (_request, response) => {
      response.writeHead(200, headers);
      response.write('x', () => setImmediate(() => response.destroy()));
    };
    const partial = await answerTo(open('GET', '/x').end());
    await t.rejects(textOf(partial), { code: 'ECONNRESET' }, 'the client gets an error for a truncated body');
  }
});

t.test('a request is repeated if the member closed the kept-alive connection', async t => {
  let requests = 0;
  member.onRequest = (request, response) => {
    requests++;
    if (requests === 2) request.socket.destroy();
    else response.end('ok');
  };
  for (let i = 0; i < 2; i++) t.equal(await textOf(await answerTo(open('GET', '/x').end())), 'ok');
  t.equal(requests, 3);
});

async function upgraded(headers: Record<string, string>, method = 'GET'): Promise<[IncomingMessage, Duplex]> {
  const request = open(method, '/api/v1/namespaces/a/pods/b/exec?command=sh', { connection: 'Upgrade', ...headers });
  const [response, socket, head] = (await once(request.end(), 'upgrade')) as [IncomingMessage, Duplex, Buffer];
  socket.on('error', () => undefined);
  if (head.length > 0) socket.unshift(head);
  return [response, socket];
}

t.test('upgrades are passed through in both directions', async t => {
  let seen: IncomingMessage | undefined;
  member.onUpgrade = (request, socket, head) => {
    seen = request;
    socket.write(
      'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: v4.channel.k8s.io\r\n\r\nwelcome,',
    );
    socket.write(head);
    socket.pipe(socket);
  };
  for (const method of ['GET', 'POST']) {
    const [response, socket] = await upgraded(
      { upgrade: 'SPDY/3.1', 'x-stream-protocol-version': 'v4.channel.k8s.io' },
      method,
    );
    t.equal(response.statusCode, 101);
    t.match(response.headers, { upgrade: 'SPDY/3.1', 'x-stream-protocol-version': 'v4.channel.k8s.io' });
    t.equal(seen?.method, method);
    t.match(seen?.headers, {
      upgrade: 'SPDY/3.1',
      authorization: 'Bearer the-token',
      'x-stream-protocol-version': 'v4.channel.k8s.io',
    });
    socket.write('hello');
    let got = '';
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      got += chunk.toString();
      if (got === 'welcome,hello') break;
    }
    t.equal(got, 'welcome,hello');
  }
});

t.test('the token in a WebSocket subprotocol is not passed on', async t => {
  let protocols: unknown;
  member.onUpgrade = (request, socket) => {
    protocols = request.headers['sec-websocket-protocol'];
    socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  };
  const token = Buffer.from('x').toString('base64url');
  const protocol = `v5.channel.k8s.io, base64url.bearer.authorization.k8s.io.${token}`;
  await upgraded({ upgrade: 'websocket', 'sec-websocket-protocol': protocol });
  t.equal(protocols, 'v5.channel.k8s.io');
});

t.test('closing either end of an upgraded connection closes the other', async t => {
  let inside: Duplex | undefined;
  member.onUpgrade = (_request, socket) => {
    inside = socket;
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n');
  };
  const [, first] = await upgraded({ upgrade: 'x' });
  first.resume();
  await until(() => inside !== undefined);
  first.destroy();
  await until(() => inside?.destroyed ?? false);
  inside = undefined;
  const [, second] = await upgraded({ upgrade: 'x' });
  second.resume();
  await until(() => inside !== undefined);
  (inside as Duplex | undefined)?.destroy();
  await until(() => second.destroyed || second.readableEnded);
  t.pass();
});

t.test('upgrades that a member refuses', async t => {
  const cases = [
    { status: 403, body: '{"kind":"Status","code":403}', code: 403, want: { kind: 'Status', code: 403 } },
    {
      status: 200,
      body: 'no',
      code: 500,
      want: { kind: 'Status', message: 'invalid upgrade response: status code 200' },
    },
  ];
  for (const { status, body, code, want } of cases) {
    member.onUpgrade = (_request, socket) => {
      socket.end(`HTTP/1.1 ${status} Whatever\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    };
    const request = open('GET', '/exec', { connection: 'Upgrade', upgrade: 'websocket' });
    const response = await answerTo(request.end());
    t.equal(response.statusCode, code);
    t.match(JSON.parse(await textOf(response)), want);
  }
});

t.test('a member that is not reachable', async t => {
  await member.stop();
  const { host } = new URL(member.url);
  for (const headers of [{}, { connection: 'Upgrade', upgrade: 'websocket' }] as Record<string, string>[]) {
    const response = await answerTo(open('GET', '/api', headers).end());
    t.equal(response.statusCode, 500);
    t.same(JSON.parse(await textOf(response)), {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: `dial tcp ${host}: connect: connection refused`,
      code: 500,
    });
  }
});
