/** The requests of one HTTP/1.1 connection: their turns, and what ends the connection. */
import diagnostics from 'node:diagnostics_channel';
import { once } from 'node:events';
import tls from 'node:tls';
import t, { type Test } from 'tap';
import { answerValue, pageNotFound } from '../../../../apiserver/http/answer.js';
import type { ApiServer } from '../../../../apiserver/http/api-server.js';
import type { RequestFilter } from '../../../../apiserver/http/filters.js';
import { until } from '../../../storage/until.js';
import { identity, left, start } from '../h2/server.js';

const echo: RequestFilter = async request => {
  const body = await request.exchange.body(100);
  answerValue(request, 200, { path: request.exchange.path, body: body.toString() });
};

/** Opens a connection over HTTP/1.1, on which bytes are written as they are. */
async function rawConnection(t: Test, { port }: ApiServer): Promise<{ socket: tls.TLSSocket; text: () => string }> {
  const socket = tls.connect({ host: '127.0.0.1', port, ...identity, ALPNProtocols: ['http/1.1'] });
  socket.on('error', () => undefined);
  t.teardown(() => socket.destroy());
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  await once(socket, 'secureConnect');
  return { socket, text: () => text };
}

const upgradeRequest = 'GET /upgrade HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: test\r\n\r\n';

t.test('an upgrade that does not wait for a former answer ends its connection, and nothing else', async t => {
  const server = await start(t, async request => {
    if (request.info.path === '/upgrade') return void request.exchange.takeOver()?.socket.end('upgraded');
    if (request.info.path === '/waits') await left(request);
    return echo(request);
  });
  const rows = {
    'a request that is served': 'GET /waits HTTP/1.1\r\nHost: x\r\n\r\n',
    'a request without a host': 'GET /none HTTP/1.1\r\n\r\n',
    'an unknown expectation': 'GET /none HTTP/1.1\r\nHost: x\r\nExpect: y\r\n\r\n',
    'two requests': 'GET /waits HTTP/1.1\r\nHost: x\r\n\r\nGET /none HTTP/1.1\r\n\r\n',
  };
  for (const [name, former] of Object.entries(rows)) {
    const { socket, text } = await rawConnection(t, server);
    socket.write(`${former}${upgradeRequest}`);
    await once(socket, 'close');
    t.notMatch(text(), 'upgraded', name);
    await until('no requests are left', () => server.inFlight === 0);
  }
  const { socket, text } = await rawConnection(t, server);
  socket.write('GET /echo HTTP/1.1\r\nHost: x\r\n\r\n');
  await until('the answer', () => text().includes('/echo'));
  socket.write(upgradeRequest);
  await once(socket, 'close');
  t.match(text(), /upgraded$/, 'one that has waited is served');
});

t.test('requests without a host, or with an unknown expectation, are refused', async t => {
  const server = await start(t, echo);
  for (const [request, answer] of [
    ['GET / HTTP/1.1\r\n\r\n', /^HTTP\/1.1 400 Bad Request\r\n[^]*400 Bad Request: missing required Host header$/],
    ['GET / HTTP/1.1\r\nHost: x\r\nExpect: y\r\n\r\n', /^HTTP\/1.1 417 Expectation Failed\r\n/],
    ['GET / HTTP/1.0\r\n\r\n', /^HTTP\/1.1 200 OK\r\n/],
  ] as const) {
    const { socket, text } = await rawConnection(t, server);
    socket.write(request);
    await once(socket, 'close');
    t.match(text(), answer);
  }
});

t.test('nothing that follows the last answer of a connection is served', async t => {
  const served: string[] = [];
  const server = await start(t, request => {
    served.push(request.info.path);
    return echo(request);
  });
  for (const first of [
    'GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    'GET /a HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n',
  ]) {
    const { socket } = await rawConnection(t, server);
    socket.write(`${first}DELETE /b HTTP/1.1\r\nHost: x\r\n\r\n`);
    await once(socket, 'close');
  }
  t.same(served, ['/a']);
});

t.test('bytes that are no request are refused after the answers to former requests', async t => {
  let answerFirst = (): void => undefined;
  const server = await start(t, async request => {
    if (request.info.path === '/first') await new Promise<void>(resolve => (answerFirst = resolve));
    await echo(request);
  });
  const { socket, text } = await rawConnection(t, server);
  const none = answerFirst;
  socket.write('GET /first HTTP/1.1\r\nHost: x\r\n\r\nGET /second HTTP/1.1\r\nHost: x\r\n\r\ngarbage\r\n\r\n');
  await until('the first request has arrived', () => answerFirst !== none);
  answerFirst();
  await once(socket, 'close');
  t.same(text().match(/HTTP\/1.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 400']);

  const broken = await rawConnection(t, server);
  broken.socket.write('POST /broken HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\nzz');
  await once(broken.socket, 'close');
  t.same(broken.text().match(/HTTP\/1.1 \d+/g), ['HTTP/1.1 400']);
});

t.test('the client of a refused upgrade is disconnected, whatever it has sent and however it leaves', async t => {
  const server = await start(t, async request => {
    if (request.info.path === '/no') throw pageNotFound();
    request.exchange.stream(200, {}).write(Buffer.from('event'));
    await left(request);
    request.release();
  });
  const open = async (path: string): Promise<tls.TLSSocket> => {
    const { socket, text } = await rawConnection(t, server);
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: test\r\n\r\n${'x'.repeat(100_000)}`,
    );
    await until('it is answered', () => text() !== '');
    return socket;
  };
  const refused = await open('/no');
  if (!refused.closed) await once(refused, 'close');
  const watching = await open('/watch');
  t.equal(server.inFlight, 1);
  watching.destroy();
  await until('the watch has ended', () => server.inFlight === 0);
});

t.test('a body that is not read to its end does not keep the connection from its next request', async t => {
  const server = await start(t, async request => {
    if (request.exchange.method === 'GET') return echo(request);
    for await (const piece of request.exchange.incoming() ?? []) if (piece.length > 0) break;
    answerValue(request, 200, {});
  });
  const { socket, text } = await rawConnection(t, server);
  socket.write(`PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 300000\r\n\r\n${'x'.repeat(300_000)}`);
  socket.write('GET /next HTTP/1.1\r\nHost: x\r\n\r\n');
  await until('both are answered', () => text().includes('/next'));
  t.equal(text().match(/HTTP\/1.1 200 OK/g)?.length, 2);
});

/** Counts the requests over HTTP/1.1 whose headers are parsed from now on. */
function parsedRequests(t: Test): () => number {
  let count = 0;
  const add = (): void => void count++;
  diagnostics.subscribe('http.server.request.start', add);
  t.teardown(() => diagnostics.unsubscribe('http.server.request.start', add));
  return () => count;
}

const expecting = 'PUT /later HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n';

t.test('an answer that is not read is not continued when another request arrives', async t => {
  const chunk = Buffer.alloc(32 << 20); // More than all buffers between server and client.
  let writes = 0;
  const server = await start(t, async ({ exchange }) => {
    const stream = exchange.stream(200, { 'content-length': 2 * chunk.length });
    while (!stream.closed && writes < 2) {
      writes++;
      if (!stream.write(chunk)) await stream.drained();
    }
  });
  const socket = tls.connect({ host: '127.0.0.1', port: server.port, ...identity, ALPNProtocols: ['http/1.1'] });
  t.teardown(() => socket.destroy());
  const parsed = parsedRequests(t);
  socket.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n');
  await until('the answer has begun', () => writes > 0);
  socket.write(`${expecting}{}`);
  await until('the next request is parsed', () => parsed() === 2);
  t.equal(writes, 1);
});

t.test('100 Continue is sent after the answers to former requests', async t => {
  let answerFirst = (): void => undefined;
  const server = await start(t, async request => {
    if (request.info.path === '/first') await new Promise<void>(resolve => (answerFirst = resolve));
    await echo(request);
  });
  const { socket, text } = await rawConnection(t, server);
  const parsed = parsedRequests(t);
  socket.write(`GET /first HTTP/1.1\r\nHost: x\r\n\r\n${expecting}`);
  await until('both requests are parsed', () => parsed() === 2);
  t.equal(text(), '');
  answerFirst();
  await until('the client is told to continue', () => text().includes('100 Continue'));
  socket.write('{}');
  await until('the second answer', () => text().includes('"body":"{}"'));
  t.same(text().match(/HTTP\/1.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 100', 'HTTP/1.1 200']);
});
