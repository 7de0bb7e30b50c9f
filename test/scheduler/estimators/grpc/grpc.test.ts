/** The gRPC server and client of estimators, over real sockets. */
import { once } from 'node:events';
import net from 'node:net';
import tls from 'node:tls';
import t, { type Test } from 'tap';
import { createAuthority, issueClient, issueServing } from '../../../../authn/pki/authority.js';
import { flags, frame, frameTypes, settingsFrame } from '../../../../lib/http2/frames.js';
import { WireError } from '../../../../lib/protobuf/reader.js';
import { type ClientTls, EstimatorConnection } from '../../../../scheduler/estimators/grpc/connection.js';
import {
  type CallContext,
  type EstimatorHandler,
  serveGrpc,
  type ServerTls,
} from '../../../../scheduler/estimators/grpc/server.js';
import { readCount, writeCount } from '../../../../scheduler/estimators/protocol/messages.js';
import { done, header, ok } from '../../../storage/etcd/grpc/puppet.js';
import { until } from '../../../storage/until.js';
import { turnsDuring } from '../../../turns.js';
import { floodSocket, misusedServer } from './misused-server.js';

const timeoutMs = 20_000;
const signal = new AbortController().signal;
const options = { object: 'kind=Deployment, name=ns/web', timeoutMs, signal };
const empty = Buffer.alloc(0);
const late = { message: /./, isLate: true };
const notLate = { message: /./, isLate: false };
const seven: EstimatorHandler = () => Promise.resolve(writeCount(7));

async function serve(t: Test, handle: EstimatorHandler, settings?: ServerTls, port = 0) {
  const handlers = { MaxAvailableReplicas: handle, MaxAvailableComponentSets: seven, GetUnschedulableReplicas: seven };
  const server = await serveGrpc({ host: '127.0.0.1', port, tls: settings, handlers });
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (isOpen) await server.close();
    isOpen = false;
  };
  t.teardown(close);
  return { port: server.port, close };
}

async function connect(t: Test, port: number, settings?: ClientTls, waitMs = timeoutMs): Promise<EstimatorConnection> {
  const connection = await EstimatorConnection.open(`localhost:${port}`, settings, { timeoutMs: waitMs });
  t.teardown(() => connection.close());
  return connection;
}

async function certificates() {
  const ca = await createAuthority('ca');
  const serving = await issueServing(ca, ['localhost']);
  const client = await issueClient(ca, { name: 'karmada-scheduler' });
  const pem = (text: string): Buffer => Buffer.from(text);
  return {
    ca: pem(ca.certificate),
    server: { cert: pem(serving.certificate), key: pem(serving.key), clientCa: pem(ca.certificate) },
    client: { ca: pem(ca.certificate), cert: pem(client.certificate), key: pem(client.key) },
  };
}

t.test('a call reaches the server with its object', async t => {
  const seen: [Buffer, CallContext][] = [];
  const { port } = await serve(t, (message, context) => {
    seen.push([message, context]);
    return Promise.resolve(writeCount(message.length));
  });
  const connection = await connect(t, port);
  t.equal(readCount(await connection.call('MaxAvailableReplicas', Buffer.from('abc'), options)), 3);
  t.equal(readCount(await connection.call('GetUnschedulableReplicas', empty, options)), 7);
  t.equal(readCount(await connection.call('MaxAvailableReplicas', empty, { ...options, object: 'ä\n' })), 0);
  t.strictSame(
    seen.map(([message, { object }]) => [message.toString(), object]),
    [
      ['abc', 'kind=Deployment, name=ns/web'],
      ['', ''],
    ],
  );
});

t.test('failures are told', async t => {
  const { port } = await serve(t, message =>
    Promise.reject(message.length > 0 ? new WireError('unexpected EOF') : new Error('no such cluster')),
  );
  const connection = await connect(t, port);
  await t.rejects(connection.call('MaxAvailableReplicas', empty, options), {
    message: 'no such cluster',
    isLate: false,
  });
  await t.rejects(connection.call('MaxAvailableReplicas', Buffer.from('a'), options), { message: 'unexpected EOF' });
  const huge = Buffer.alloc(5 * 1024 * 1024);
  await t.rejects(connection.call('MaxAvailableReplicas', huge, options), { message: /larger than max/ });
});

t.test('a late answer and a cancelled call end the work of the server', async t => {
  const signals: AbortSignal[] = [];
  const { port } = await serve(t, (_, context) => {
    signals.push(context.signal);
    return new Promise(() => undefined);
  });
  const connection = await connect(t, port);
  const call = (signal: AbortSignal, ms: number) =>
    connection.call('MaxAvailableReplicas', empty, { ...options, signal, timeoutMs: ms });
  await t.rejects(call(signal, 300), late);
  await until('the server knows', () => signals[0]?.aborted === true);
  const cancelling = new AbortController();
  const cancelled = call(cancelling.signal, timeoutMs);
  await until('the server works', () => signals.length === 2);
  cancelling.abort();
  await t.rejects(cancelled, notLate);
  await until('the server knows', () => signals[1]?.aborted === true);
  await t.rejects(call(cancelling.signal, timeoutMs), { message: 'the call was cancelled' });
});

t.test('TLS is mutual, and at least 1.3', async t => {
  const [own, foreign] = await Promise.all([certificates(), certificates()]);
  const { port } = await serve(t, seven, own.server);
  const connection = await connect(t, port, own.client);
  t.equal(readCount(await connection.call('MaxAvailableReplicas', empty, options)), 7);
  const skipping = await connect(t, port, { ...own.client, ca: foreign.ca, insecureSkipVerify: true });
  t.equal(readCount(await skipping.call('MaxAvailableReplicas', empty, options)), 7);
  const shortMs = 1_000;
  const refused: Readonly<Record<string, ClientTls | undefined>> = {
    'no TLS': undefined,
    'no certificate': { ca: own.ca },
    'a certificate of another authority': { ...foreign.client, ca: own.ca },
    'a server of another authority': { ...own.client, ca: foreign.ca },
  };
  for (const [name, settings] of Object.entries(refused))
    await t.rejects(
      (async () => (await connect(t, port, settings, shortMs)).call('MaxAvailableReplicas', empty, options))(),
      name,
    );
  const old = tls.connect({ port, host: 'localhost', ...own.client, maxVersion: 'TLSv1.2' });
  const [error] = (await once(old, 'error')) as [Error];
  t.match(error.message, /protocol version|alert/);
  const { clientCa: _, ...withoutClients } = own.server;
  const open = await serve(t, seven, withoutClients);
  const anonymous = await connect(t, open.port, { ca: own.ca });
  t.equal(readCount(await anonymous.call('MaxAvailableReplicas', empty, options)), 7, 'clients need no certificate');
});

t.test('a lost connection fails at once', async t => {
  const { port, close } = await serve(t, seven);
  const connection = await connect(t, port);
  await close();
  await until('the loss is known', () => connection.lost.aborted);
  t.match(connection.lost.reason, { message: `the connection to the estimator at localhost:${port} is lost` });
  t.notOk(connection.hasFlooded);
  await t.rejects(connection.call('MaxAvailableReplicas', empty, options), notLate);
  await t.rejects(EstimatorConnection.open('localhost:1', undefined, { timeoutMs: 500 }), {
    message: /localhost:1 does not answer/,
  });
});

/** Passes connections on to a port, and counts them. */
async function proxyTo(t: Test, port: number) {
  const counts = { opened: 0, open: 0 };
  const proxy = net.createServer(socket => {
    counts.opened++;
    counts.open++;
    const upstream = net.connect(port, '127.0.0.1');
    socket.on('error', () => upstream.destroy()).on('close', () => counts.open--);
    upstream.on('error', () => socket.destroy());
    socket.pipe(upstream).pipe(socket);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  t.teardown(() => proxy.close());
  return { port: (proxy.address() as net.AddressInfo).port, counts };
}

t.test('a connection stays closed', async t => {
  const server = await serve(t, seven);
  const { port, counts } = await proxyTo(t, server.port);
  const connection = await connect(t, port);
  t.equal(readCount(await connection.call('MaxAvailableReplicas', empty, options)), 7);
  connection.close();
  await until('its socket is closed', () => counts.open === 0);
  // A connection that is opened later is accepted after one that was opened again.
  const later = await connect(t, port);
  t.equal(readCount(await later.call('MaxAvailableReplicas', empty, options)), 7);
  t.same(counts, { opened: 2, open: 1 });
  t.notOk(connection.lost.aborted, 'it was closed, not lost');
});

t.test('calls in progress are answered before the server closes', async t => {
  let answer: (() => void) | undefined;
  const { port, close } = await serve(t, () => new Promise(resolve => (answer = () => resolve(writeCount(5)))));
  const connection = await connect(t, port);
  const call = connection.call('MaxAvailableReplicas', empty, options);
  await until('the server works', () => answer !== undefined);
  const closing = close();
  answer?.();
  t.equal(readCount(await call), 5);
  await closing;
});

const { headers, data } = frameTypes;
const { endHeaders, endStream } = flags;
const interimAnswer = (stream: number): Buffer =>
  frame(headers, endHeaders, stream, Buffer.concat([Buffer.of(0x08, 3), Buffer.from('103')]));
const count = writeCount(7);
/** The frames of the answer 7. */
const answerSeven = (stream: number): Buffer =>
  Buffer.concat([
    frame(headers, endHeaders, stream, Buffer.concat([ok, header('content-type', 'application/grpc')])),
    frame(data, 0, stream, Buffer.concat([Buffer.of(0, 0, 0, 0, count.length), count])),
    frame(headers, endHeaders | endStream, stream, done),
  ]);

t.test('many small frames of a server do not hold the event loop', async t => {
  // As many as the server may send without being disconnected.
  const { port } = await misusedServer(t, (socket, stream) => {
    const interim = interimAnswer(stream);
    socket.write(Buffer.alloc(7_000 * interim.length, interim));
    socket.write(answerSeven(stream));
  });
  const slow = { ...options, timeoutMs: 120_000 };
  const { longest } = await turnsDuring(50, async () => {
    const connection = await connect(t, port);
    t.equal(readCount(await connection.call('MaxAvailableReplicas', empty, slow)), 7);
  });
  t.ok(longest < 50, `the longest turn took ${longest.toFixed(0)} ms`);
});

t.test('a server that sends more than it was asked for is disconnected', async t => {
  const { port, sockets } = await misusedServer(t, (socket, stream) => floodSocket(socket, interimAnswer(stream)));
  const connection = await connect(t, port);
  await t.rejects(connection.call('MaxAvailableReplicas', empty, options), notLate);
  await until('the loss is known', () => connection.lost.aborted);
  t.match(connection.lost.reason, {
    message: `the estimator at localhost:${port} sends more than it was asked for`,
  });
  t.ok(connection.hasFlooded);
  await until('its socket is closed', () => sockets.open === 0);
  t.equal(sockets.opened, 1, 'the connection is not opened again');
});

t.test('nor may a server send on after the deadline of a call', async t => {
  let flood: () => void = () => undefined;
  const { port, sockets } = await misusedServer(t, (socket, stream) => {
    flood = () => floodSocket(socket, frame(data, 0, stream, Buffer.alloc(1)));
  });
  const connection = await connect(t, port);
  await t.rejects(connection.call('MaxAvailableReplicas', empty, { ...options, timeoutMs: 300 }), late);
  flood();
  await until('its socket is closed', () => sockets.open === 0);
  t.ok(connection.hasFlooded);
});

t.test('a server that keeps its side open does not keep a closed connection', async t => {
  const { port, sockets } = await misusedServer(t, (socket, stream) => socket.write(answerSeven(stream)));
  const connection = await connect(t, port);
  t.equal(readCount(await connection.call('MaxAvailableReplicas', empty, options)), 7);
  connection.close();
  await until('its socket is closed', () => {
    sockets.writeAll(settingsFrame([])); // A socket that the client only ended would accept them.
    return sockets.open === 0;
  });
});
