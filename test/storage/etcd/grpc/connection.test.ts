import { once } from 'node:events';
import http2 from 'node:http2';
import net from 'node:net';
import t, { type Test } from 'tap';
import { type GrpcConnection, createConnection, type Reply } from '../../../../storage/etcd/grpc/connection.js';
import { frame, frameTypes, settingsFrame } from '../../../../lib/http2/frames.js';
import { until } from '../../until.js';

type Headers = http2.IncomingHttpHeaders;

const head = { ':status': 200, 'content-type': 'application/grpc' };
const done = { 'grpc-status': '0' };

function framed(...messages: readonly Uint8Array[]): Buffer {
  return Buffer.concat(
    messages.flatMap(message => {
      const prefix = Buffer.alloc(5);
      prefix.writeUInt32BE(message.length, 1);
      return [prefix, message];
    }),
  );
}

function answer(stream: http2.ServerHttp2Stream, body: Uint8Array, trailers: http2.OutgoingHttpHeaders = done): void {
  stream.respond(head, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers(trailers));
  stream.end(body);
}

/** Answers without trailers. */
function page(stream: http2.ServerHttp2Stream, headers: http2.OutgoingHttpHeaders, body: Uint8Array): void {
  stream.respond(headers);
  stream.end(body);
}

async function read(stream: http2.ServerHttp2Stream): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

interface Peer {
  readonly endpoint: string;
  readonly sessions: http2.ServerHttp2Session[];
}

async function listening(t: Test, server: net.Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`;
}

/** Starts a server with Node's HTTP/2. */
async function serve(
  t: Test,
  take: (stream: http2.ServerHttp2Stream, headers: Headers) => unknown,
  options: http2.ServerOptions = {},
): Promise<Peer> {
  const server = http2.createServer(options);
  const sessions: http2.ServerHttp2Session[] = [];
  server.on('session', session => sessions.push(session));
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    void take(stream, headers);
  });
  t.teardown(() => sessions.forEach(session => session.destroy()));
  return { endpoint: await listening(t, server), sessions };
}

function connect(t: Test, { endpoint }: { readonly endpoint: string }): GrpcConnection {
  const connection = createConnection({ endpoint, connectMs: 2000 });
  t.teardown(() => connection.close());
  return connection;
}

const said = (reply: Reply): string => (reply.error === undefined ? reply.message.toString() : reply.error.message);
const call = async (connection: GrpcConnection, text = 'x', ms = 5000): Promise<string> =>
  said(await connection.unary('/a', Buffer.from(text), ms));

t.test('calls get their answers', async t => {
  const heard: Headers[] = [];
  const peer = await serve(t, async (stream, headers) => {
    heard.push(headers);
    answer(stream, await read(stream));
  });
  const connection = connect(t, peer);
  const token = { name: 'token', value: 'secret' };
  t.match(await Promise.all(['1', '2', '3'].map(text => call(connection, text))), ['1', '2', '3']);
  t.equal(said(await connection.unary('/b', Buffer.from('4'), 5000, token)), '4');
  t.equal(await call(connection, ''), '');
  const large = Buffer.alloc(3_000_000, 'large ');
  const echoed = await Promise.all([1, 2, 3].map(() => connection.unary('/a', large, 5000)));
  for (const reply of echoed) t.ok(reply.error === undefined && reply.message.equals(large), 'beyond all windows');
  t.equal(peer.sessions.length, 1);
  const usual = { ':method': 'POST', ':scheme': 'http', ':path': '/a', te: 'trailers' };
  t.match(heard[0], { ...usual, ':authority': new URL(peer.endpoint).host, 'content-type': 'application/grpc' });
  t.match(heard[3], { ':path': '/b', token: 'secret' });
  t.equal(heard[4]?.['token'], undefined);
});

t.test('failures have gRPC codes and messages', async t => {
  const details = [
    ...Array.from({ length: 94 }, (_, i) => 'e'.repeat(40) + String.fromCharCode(33 + i)),
    ...Array.from({ length: 128 }, (_, i) => 'e'.repeat(40) + String.fromCharCode(128 + i)),
    'f'.repeat(40_000),
  ].filter(text => !text.endsWith('%'));
  const peer = await serve(t, async (stream, headers) => {
    await read(stream);
    const index = String(headers[':path']).slice(1);
    if (index === 'escaped')
      answer(stream, Buffer.alloc(0), { 'grpc-status': '5', 'grpc-message': 'caf%C3%A9 100%25' });
    else if (index === 'http') stream.respond({ ':status': 503 }, { endStream: true });
    else if (index === 'page') page(stream, { ':status': 403 }, Buffer.from('<html>'));
    else if (index === 'none') answer(stream, Buffer.alloc(0));
    else if (index === 'silent') page(stream, head, framed(Buffer.from('x')));
    else if (index === 'half') answer(stream, framed(Buffer.from('xyz')).subarray(0, 7));
    else if (index === 'compressed') answer(stream, Buffer.from([1, 0, 0, 0, 1, 0]));
    else stream.respond({ ...head, 'grpc-status': '9', 'grpc-message': details[Number(index)] }, { endStream: true });
  });
  const connection = connect(t, peer);
  for (const [index, expect] of details.entries()) {
    const reply = await connection.unary(`/${index}`, Buffer.from('x'), 5000);
    t.match(reply.error, { code: 9, details: expect, refused: false });
  }
  const table: readonly { readonly name: string; readonly expect: string }[] = [
    { name: 'escaped', expect: '5 café 100%' },
    { name: 'http', expect: '14 Received HTTP status code 503' },
    { name: 'page', expect: '7 Received HTTP status code 403' },
    { name: 'none', expect: '13 No message received' },
    { name: 'silent', expect: '2 the answer has no status' },
    { name: 'half', expect: '13 the answer is cut off' },
    { name: 'compressed', expect: '13 a message is compressed' },
  ];
  for (const { name, expect } of table)
    t.equal(said(await connection.unary(`/${name}`, Buffer.from('x'), 5000)), expect, name);
});

t.test('the settings of the server are respected', async t => {
  const table: readonly { readonly name: string; readonly given: http2.Settings }[] = [
    { name: 'two calls at a time', given: { maxConcurrentStreams: 2 } },
    { name: 'no headers remembered', given: { headerTableSize: 0 } },
    { name: 'little at a time', given: { initialWindowSize: 10 } },
  ];
  for (const { name, given } of table) {
    let most = 0;
    let open = 0;
    const take = async (stream: http2.ServerHttp2Stream): Promise<void> => {
      most = Math.max(most, ++open);
      const body = await read(stream);
      await new Promise(resolve => setImmediate(resolve));
      open--;
      answer(stream, body);
    };
    const peer = await serve(t, take, { settings: given });
    const connection = connect(t, peer);
    const texts = Array.from({ length: 10 }, (_, i) => `call ${i} of some`);
    t.same(await Promise.all(texts.map(text => call(connection, text))), texts, name);
    t.same(await Promise.all(texts.map(text => call(connection, text))), texts, name);
    if (given.maxConcurrentStreams !== undefined) t.equal(most, 2);
  }
});

t.test('calls on ended connections fail, and new connections are made', async t => {
  let took = 0;
  const peer = await serve(t, async (stream, headers) => {
    took++;
    const { session } = stream;
    if (headers[':path'] === '/refused') return stream.close(http2.constants.NGHTTP2_REFUSED_STREAM);
    if (headers[':path'] === '/reset') return stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR);
    if (headers[':path'] === '/destroyed') return session?.destroy();
    if (headers[':path'] === '/never') return undefined;
    if (headers[':path'] === '/away') session?.goaway(0, stream.id);
    return answer(stream, await read(stream));
  });
  const connection = connect(t, peer);
  const reply = (path: string, ms = 5000): Promise<Reply> => connection.unary(path, Buffer.from('x'), ms);
  t.match((await reply('/refused')).error, { code: 14, refused: true });
  t.match((await reply('/reset')).error, { code: 14, refused: false });
  t.equal(peer.sessions.length, 1);
  const unanswered = reply('/never');
  await until('it is there', () => took === 3);
  const [destroyed, never] = await Promise.all([reply('/destroyed'), unanswered]);
  t.match(destroyed.error, { code: 14, refused: false });
  t.match(never.error, { code: 14, refused: false }, 'it may have been processed');
  t.equal(said(await reply('/away')), 'x', 'running calls end');
  t.equal(await call(connection), 'x');
  t.equal(peer.sessions.length, 3, 'on new connections');

  const before = took;
  t.match((await reply('/never', 50)).error, { code: 4 });
  t.equal(took, before + 1);
  t.equal(await call(connection), 'x');
  t.equal(peer.sessions.length, 4, 'a connection without answers is not used again');
  const waiting = reply('/never');
  await until('it is there', () => took === before + 3);
  connection.close();
  t.match((await waiting).error, { code: 1 });
  t.match((await reply('/a')).error, { code: 14, refused: true }, 'closed');
});

t.test('a missing server, or one of another protocol, fails', async t => {
  const gone = net.createServer();
  const endpoint = await listening(t, gone);
  gone.close();
  await once(gone, 'close');
  const nobody = connect(t, { endpoint });
  t.match(await call(nobody), /^14 No connection established: .*ECONNREFUSED/);
  t.match(await call(nobody), /^14 No connection established: .*ECONNREFUSED/, 'without another attempt');

  const table: readonly { readonly name: string; readonly given: Buffer; readonly expect: RegExp }[] = [
    { name: 'HTTP/1.1', given: Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'), expect: /it speaks HTTP\/1/ },
    { name: 'no settings', given: frame(frameTypes.ping, 0, 0, Buffer.alloc(8)), expect: /no settings/ },
    {
      name: 'a push',
      given: Buffer.concat([settingsFrame([]), frame(frameTypes.pushPromise, 4, 1, Buffer.alloc(4))]),
      expect: /a push/,
    },
    {
      name: 'headers that break off',
      given: Buffer.concat([settingsFrame([]), frame(frameTypes.headers, 0, 1, Buffer.alloc(0)), settingsFrame([])]),
      expect: /headers break off/,
    },
  ];
  for (const { name, given, expect } of table) {
    const server = net.createServer(socket => {
      socket.on('error', () => undefined);
      socket.write(given);
    });
    t.match(await call(connect(t, { endpoint: await listening(t, server) })), expect, name);
  }
  const mute = net.createServer();
  const silent = connect(t, { endpoint: await listening(t, mute) });
  t.equal(await call(silent, 'x', 50), '14 No connection established: timeout');
});

t.test('frames can arrive in any pieces', async t => {
  const peer = await serve(t, async stream => answer(stream, await read(stream)));
  const target = new URL(peer.endpoint);
  const server = net.createServer(client => {
    const upstream = net.connect(Number(target.port), target.hostname);
    client.pipe(upstream);
    // First byte by byte, then in growing pieces.
    let size = 1;
    upstream.on('data', (chunk: Buffer) => {
      for (let at = 0; at < chunk.length; at += size, size = (size % 40) + 1) {
        const piece = chunk.subarray(at, at + size);
        setImmediate(() => client.destroyed || client.write(piece));
      }
    });
    for (const socket of [client, upstream]) socket.on('error', () => undefined);
    client.on('close', () => upstream.destroy());
  });
  const connection = connect(t, { endpoint: await listening(t, server) });
  for (const text of ['a', 'b'.repeat(100), 'c'.repeat(2000)]) t.equal(await call(connection, text), text);
});

t.test('streams have backpressure', async t => {
  let sent = 0;
  let stream: http2.ServerHttp2Stream | undefined;
  const heard: Headers[] = [];
  const peer = await serve(t, (opened, headers) => {
    stream = opened;
    heard.push(headers);
    opened.respond(head, { waitForTrailers: true });
    opened.on('wantTrailers', () => opened.sendTrailers(done));
    opened.on('data', (data: Buffer) => opened.write(data));
  });
  const connection = connect(t, peer);
  const open = () => connection.stream('/s', [{ name: 'hasleader', value: 'true' }]);
  const talking = open();
  talking.send(Buffer.from('early'));
  const messages = talking.messages();
  t.equal(String((await messages.next()).value), 'early');
  talking.send(Buffer.from('late'));
  t.equal(String((await messages.next()).value), 'late');
  t.match(heard[0], { ':path': '/s', hasleader: 'true' });

  const filling = stream;
  const part = framed(Buffer.alloc(100_000, 'p'));
  const fill = (): void => {
    if (sent++ < 100 && filling?.write(part) === false) filling.once('drain', fill);
  };
  fill();
  await until('it has to wait', async () => {
    const before = sent;
    await call(connect(t, peer), 'x', 30);
    return before > 5 && sent === before;
  });
  t.ok(sent < 30, `without a reader: ${sent} of 100 parts are on their way`);
  const large = framed(Buffer.alloc(5_000_000, 'l'));
  filling?.write(large);
  let count = 0;
  for await (const message of messages) {
    count++;
    if (message.length === 5_000_000) break;
  }
  t.ok(count > 5, 'all of them arrived, including one that is larger than the window');

  const canceled = open();
  const none = canceled.messages().next();
  canceled.cancel();
  t.match(await none, { done: true });
  const breaking = open();
  breaking.send(Buffer.from('x'));
  const reading = breaking.messages();
  await reading.next();
  for (const session of peer.sessions) session.destroy();
  await t.rejects(reading.next(), { code: 14, refused: false });
});
