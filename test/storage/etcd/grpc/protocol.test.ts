/** Requirements of RFC 9113 and gRPC over HTTP/2 for clients that Node's server cannot test. */
import { once } from 'node:events';
import http2 from 'node:http2';
import net from 'node:net';
import tls from 'node:tls';
import t, { type Test } from 'tap';
import { type GrpcConnection, type Reply, createConnection } from '../../../../storage/etcd/grpc/connection.js';
import { flags, frame, frameTypes, numberFrame, settings, settingsFrame } from '../../../../lib/http2/frames.js';
import { CallSession } from '../../../../storage/etcd/grpc/session.js';
import { authority } from '../../certificates.js';
import { until } from '../../until.js';
import { type Puppet, answer, connected, done, header, message, number, ok, puppet, settingsAck } from './puppet.js';

const { data, headers, continuation, resetStream, ping, goAway, windowUpdate, pushPromise } = frameTypes;
const { endHeaders, endStream, padded, priority, ack } = flags;
const nothing = Buffer.alloc(0);

function connect(t: Test, { endpoint }: { readonly endpoint: string }): GrpcConnection {
  const connection = createConnection({ endpoint, connectMs: 2000 });
  t.teardown(() => connection.close());
  return connection;
}

const call = (connection: GrpcConnection, text = 'x', ms = 5000): Promise<Reply> =>
  connection.unary('/a', Buffer.from(text), ms);
const said = (reply: Reply): string => (reply.error === undefined ? reply.message.toString() : reply.error.message);

async function pair(t: Test, given: Parameters<typeof puppet>[1] = []) {
  const peer: Puppet = await puppet(t, given);
  const connection = connect(t, peer);
  return { peer, connection };
}

t.test('stream windows change during calls', async t => {
  const { peer, connection } = await pair(t, [[settings.initialWindow, 0]]);
  const replies = [call(connection, 'a'.repeat(95)), call(connection, 'b'.repeat(95))];
  const line = await connected(peer);
  await line.hears(headers, 2);
  line.say(frame(ping, 0, 0, Buffer.from('all said')));
  await line.hears(ping);
  t.equal(line.data(), 0, 'there is no window at all');

  line.say(settingsFrame([[settings.initialWindow, 40]]));
  await until('both go on', () => line.data() === 80);
  // Less than was sent, so both windows are negative.
  line.say(settingsFrame([[settings.initialWindow, 10]]), numberFrame(windowUpdate, 1, 30));
  line.say(frame(ping, 0, 0, Buffer.from('and now?')));
  await line.hears(ping, 2);
  t.equal(line.data(), 80, 'updates first make up for the negative window');
  line.say(numberFrame(windowUpdate, 1, 1));
  await until('one byte more', () => line.data(1) === 41);
  line.say(settingsFrame([[settings.initialWindow, 1000]]));
  await until('all is said', () => line.data() === 200);
  const ends = line.heard.filter(one => one.type === data && (one.flags & endStream) !== 0);
  t.equal(ends.length, 2);
  line.say(...answer(1, 'first'), ...answer(3, 'second'));
  t.same((await Promise.all(replies)).map(said), ['first', 'second']);
});

t.test('the connection window applies to all streams', async t => {
  const { peer, connection } = await pair(t, [[settings.initialWindow, 2 ** 31 - 1]]);
  const replies = [1, 2].map(() => call(connection, 'c'.repeat(100_000)));
  const line = await connected(peer);
  await until('the window is full', () => line.data() === 65_535);
  line.say(numberFrame(windowUpdate, 0, 200_000));
  await until('all is said', () => line.data() === 200_010);
  const sizes = line.heard.filter(one => one.type === data).map(one => one.payload.length);
  t.equal(Math.max(...sizes), 16_384);
  line.say(...answer(1, '1'), ...answer(3, '2'));
  t.same((await Promise.all(replies)).map(said), ['1', '2']);
});

t.test('the limit of concurrent streams is respected', async t => {
  const { peer, connection } = await pair(t, [[settings.maxStreams, 0]]);
  const replies = ['1', '2', '3'].map(text => call(connection, text));
  const line = await connected(peer);
  line.say(frame(ping, 0, 0, Buffer.alloc(8)));
  await line.hears(ping);
  t.same(line.heard.filter(one => one.type === headers), []); // prettier-ignore
  line.say(settingsFrame([[settings.maxStreams, 2]]));
  await line.hears(headers, 2);
  line.say(...answer(1, 'first'));
  await line.hears(headers, 3);
  line.say(...answer(3, 'second'), ...answer(5, 'third'));
  t.same((await Promise.all(replies)).map(said), ['first', 'second', 'third']);

  // A lower limit than the open streams does not end any.
  const more = ['4', '5'].map(text => call(connection, text));
  await line.hears(headers, 5);
  line.say(settingsFrame([[settings.maxStreams, 1]]));
  await line.hears(frameTypes.settings, 4);
  const last = call(connection, '6');
  line.say(...answer(7, '4'), frame(ping, 0, 0, Buffer.alloc(8)));
  await line.hears(ping, 2);
  t.equal((await line.hears(headers)).length, 5);
  line.say(...answer(9, '5'));
  await line.hears(headers, 6);
  line.say(...answer(11, '6'));
  t.same((await Promise.all([...more, last])).map(said), ['4', '5', '6']);
});

t.test('a call that was not sent is reported as not processed', async t => {
  const { peer, connection } = await pair(t, [[settings.maxStreams, 1]]);
  const first = call(connection, '1');
  const line = await connected(peer);
  await line.hears(headers);
  t.match((await call(connection, '2', 50)).error, { code: 4, refused: true });
  line.say(...answer(1, '1'));
  t.equal(said(await first), '1');
  await until('nothing at all was heard in the meantime: the next call goes elsewhere', () => line.closed);
  t.equal((await line.hears(headers)).length, 1);
});

t.test('a stream that exceeds its window is reset', async t => {
  const { peer, connection } = await pair(t);
  const messages = connection.stream('/watch', []).messages();
  const reading = messages.next();
  const line = await connected(peer);
  await line.hears(headers);
  line.say(frame(headers, endHeaders, 1, ok), frame(data, 0, 1, message('read')));
  t.equal(String((await reading).value), 'read');
  const large = message('m'.repeat(16_000));
  // The whole window without what has not been returned yet.
  for (let sent = 0; sent + large.length < 1 << 20; sent += large.length) line.say(frame(data, 0, 1, large));
  line.say(frame(ping, 0, 0, Buffer.alloc(8)));
  await line.hears(ping);
  t.same(line.heard.filter(one => one.type === resetStream), []); // prettier-ignore
  line.say(frame(data, 0, 1, large));
  await line.hears(resetStream);
  await t.rejects(
    async () => {
      while ((await messages.next()).done !== true);
    },
    { code: 13, details: 'more was sent than may be' },
  );
  t.notOk(line.closed, 'other streams continue');
});

t.test('long-lived streams use several connections', async t => {
  const server = http2.createServer({ settings: { maxConcurrentStreams: 6 } });
  const sessions: http2.ServerHttp2Session[] = [];
  server.on('session', session => sessions.push(session));
  server.on('stream', stream => {
    stream.on('error', () => undefined);
    stream.respond({ ':status': 200 }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.pipe(stream);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    for (const session of sessions) session.destroy();
    server.close();
  });
  const endpoint = `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`;
  const connection = connect(t, { endpoint });
  const streams = Array.from({ length: 10 }, (_, i) => {
    const stream = connection.stream('/watch', []);
    stream.send(Buffer.from(`watch ${i}`));
    return stream.messages();
  });
  const first = await Promise.all(streams.map(async stream => String((await stream.next()).value)));
  t.same(first, streams.map((_, i) => `watch ${i}`)); // prettier-ignore
  t.equal(said(await call(connection, 'not behind them')), 'not behind them');
  t.equal(sessions.length, 4, 'at most three of six streams each');
});

t.test('GOAWAY ends only calls that were not processed', async t => {
  const { peer, connection } = await pair(t, [[settings.maxStreams, 2]]);
  const replies = ['1', '2', '3'].map(text => call(connection, text));
  const line = await connected(peer);
  await line.hears(headers, 2);
  // A graceful shutdown: first an announcement, then the last stream.
  line.say(frame(goAway, 0, 0, Buffer.concat([number(2 ** 31 - 1, 0), Buffer.from('soon')])));
  const waiting = (await replies[2]) as Reply;
  t.match(waiting.error, { code: 14, refused: true }, 'it was not begun');
  line.say(frame(goAway, 0, 0, Buffer.concat([number(1, 11), Buffer.from('too_many_pings')])));
  const above = (await replies[1]) as Reply;
  t.match(above.error, { code: 14, refused: true, details: 'The connection ends with code 11: too_many_pings' });
  line.say(...answer(1, 'still done'));
  t.equal(said((await replies[0]) as Reply), 'still done');
  await until('it is closed', () => line.closed);
  t.equal((await line.hears(headers)).length, 2, 'nothing was begun after it');

  // At once, with waiting calls, which must not use the freed streams.
  const again = ['4', '5', '6', '7'].map(text => call(connection, text));
  const next = await connected(peer, 1);
  await next.hears(headers, 2);
  next.say(frame(goAway, 0, 0, number(0, 0)));
  for (const reply of await Promise.all(again)) t.match(reply.error, { code: 14, refused: true });
  await until('it is closed', () => next.closed);
  t.equal((await next.hears(headers)).length, 2);
  const third = call(connection);
  const last = await connected(peer, 2);
  await last.hears(headers);
  last.say(...answer(1, 'elsewhere'));
  t.equal(said(await third), 'elsewhere');
});

t.test('RST_STREAM fails the call with a code', async t => {
  const { peer, connection } = await pair(t);
  const table: readonly { readonly name: string; readonly given: number; readonly refused: boolean }[] = [
    { name: 'NO_ERROR', given: 0, refused: false },
    { name: 'INTERNAL_ERROR', given: 2, refused: false },
    { name: 'REFUSED_STREAM', given: 7, refused: true },
    { name: 'CANCEL', given: 8, refused: false },
    { name: 'ENHANCE_YOUR_CALM', given: 11, refused: false },
    { name: 'one that nobody knows', given: 99, refused: false },
  ];
  let stream = -1;
  for (const { name, given, refused } of table) {
    stream += 2;
    const reply = call(connection);
    const line = await connected(peer);
    await line.hears(headers, (stream + 1) / 2);
    line.say(numberFrame(resetStream, stream, given));
    t.match((await reply).error, { code: 14, refused, details: `The stream was reset with code ${given}` }, name);
    // A reset of an ended stream may have been in flight.
    line.say(numberFrame(resetStream, stream, given), numberFrame(windowUpdate, stream, 1), ...answer(stream, 'late'));
  }
  const reply = call(connection);
  const line = await connected(peer);
  await line.hears(headers, 7);
  line.say(...answer(13, 'all is well'));
  t.equal(said(await reply), 'all is well');
  t.equal(peer.lines.length, 1);
});

t.test('answers with unusual but valid frames are read', async t => {
  const { peer, connection } = await pair(t);
  const pad = (length: number, content: Uint8Array): Buffer =>
    Buffer.concat([Buffer.from([length]), content, Buffer.alloc(length)]);
  const weight = Buffer.from([0, 0, 0, 0, 16]);
  const interim = frame(headers, endHeaders, 1, header(':status', '103'));
  const long = header('grpc-message', 'w'.repeat(120));
  const table: readonly { readonly name: string; readonly given: readonly Buffer[]; readonly expect: string }[] = [
    { name: 'headers in pieces', given: [frame(headers, 0, 1, nothing), frame(continuation, 0, 1, ok.subarray(0, 1)), frame(continuation, endHeaders, 1, nothing), ...answer(1, 'x').slice(1)], expect: 'x' }, // prettier-ignore
    { name: 'padding and priority', given: [frame(headers, endHeaders | padded | priority, 1, pad(9, Buffer.concat([weight, ok]))), frame(data, padded, 1, pad(200, message('y'))), frame(data, padded, 1, pad(255, nothing)), frame(headers, endHeaders | endStream | padded, 1, pad(0, done))], expect: 'y' }, // prettier-ignore
    { name: 'words before the answer', given: [interim, ...answer(1, 'z')], expect: 'z' },
    { name: 'trailers only', given: [frame(headers, endHeaders | endStream, 1, Buffer.concat([ok, header('grpc-status', '5'), header('grpc-message', 'gone')]))], expect: '5 gone' }, // prettier-ignore
    { name: 'trailers only, in pieces', given: [frame(headers, endStream, 1, Buffer.concat([ok, header('grpc-status', '5')])), frame(continuation, 0, 1, long.subarray(0, 50)), frame(continuation, endHeaders, 1, long.subarray(50))], expect: `5 ${'w'.repeat(120)}` }, // prettier-ignore
    { name: 'no number for a status', given: [frame(headers, endHeaders | endStream, 1, Buffer.concat([ok, header('grpc-status', 'bad')]))], expect: '2 ' }, // prettier-ignore
    { name: 'types and flags that nobody knows', given: [frame(0x2a, 0xff, 1, Buffer.alloc(7)), frame(2, 0, 1, weight), frame(0x2a, 0, 0, nothing), ...answer(1, 'w')], expect: 'w' }, // prettier-ignore
    { name: 'a broken stream', given: [frame(headers, endHeaders, 1, ok), numberFrame(windowUpdate, 1, 0)], expect: '14 The stream was broken off with code 1' }, // prettier-ignore
    { name: 'a window of a stream that is too large', given: [numberFrame(windowUpdate, 1, 2 ** 31 - 1)], expect: '14 The stream was broken off with code 3' }, // prettier-ignore
  ];
  let stream = -1;
  for (const { name, given, expect } of table) {
    stream += 2;
    const reply = call(connection);
    const line = await connected(peer);
    await line.hears(headers, (stream + 1) / 2);
    for (const one of given) {
      const own = Buffer.from(one);
      if (own.readUInt32BE(5) === 1) own.writeUInt32BE(stream, 5);
      line.say(own);
    }
    t.equal(said(await reply), expect, name);
  }
  t.equal(peer.lines.length, 1, 'the connection stays usable');
  const [first, second] = await (peer.lines[0] as Puppet['lines'][number]).hears(resetStream, 2);
  t.same([first?.payload.readUInt32BE(), second?.payload.readUInt32BE()], [1, 3]);
});

t.test('pings and settings are acknowledged', async t => {
  const { peer, connection } = await pair(t);
  const reply = call(connection);
  const line = await connected(peer);
  await line.hears(headers);
  line.say(frame(ping, 0, 0, Buffer.from('12345678')), frame(ping, ack, 0, Buffer.from('answered')));
  line.say(settingsFrame([[99, 5]]), settingsAck);
  const pings = await line.hears(ping);
  t.same(pings.map(one => [one.flags, one.payload.toString()]), [[ack, '12345678']]); // prettier-ignore
  line.say(...answer(1, 'x'));
  await reply;
  const acks = (await line.hears(frameTypes.settings, 3)).filter(one => one.flags === ack);
  t.equal(acks.length, 2, 'one per settings frame');
});

t.test('protocol errors end the connection', async t => {
  const max = 2 ** 31 - 1;
  const pieces = [frame(headers, 0, 1, nothing), ...Array.from({ length: 17 }, () => frame(continuation, 0, 1, Buffer.alloc(16_384)))]; // prettier-ignore
  const table: readonly { readonly name: string; readonly given: readonly Buffer[]; readonly expect: RegExp }[] = [
    { name: 'a frame that is too large', given: [frame(data, 0, 1, Buffer.alloc(16_385))], expect: /a frame of 16385 bytes/ }, // prettier-ignore
    { name: 'data of no stream', given: [frame(data, 0, 0, nothing)], expect: /type 0 on stream 0/ },
    { name: 'headers of no stream', given: [frame(headers, endHeaders, 0, ok)], expect: /type 1 on stream 0/ },
    { name: 'a reset of no stream', given: [numberFrame(resetStream, 0, 0)], expect: /type 3 on stream 0/ },
    { name: 'a reset that is cut off', given: [frame(resetStream, 0, 1, Buffer.alloc(3))], expect: /type 3 with 3 bytes/ }, // prettier-ignore
    { name: 'settings of a stream', given: [frame(frameTypes.settings, 0, 1, nothing)], expect: /type 4 on stream 1/ },
    { name: 'settings that are cut off', given: [frame(frameTypes.settings, 0, 0, Buffer.alloc(7))], expect: /settings are cut off/ }, // prettier-ignore
    { name: 'a push that is allowed', given: [settingsFrame([[settings.enablePush, 1]])], expect: /setting 2 is 1/ },
    { name: 'frames of no size', given: [settingsFrame([[settings.maxFrame, 0]])], expect: /setting 5 is 0/ },
    { name: 'a window beyond all', given: [settingsFrame([[settings.initialWindow, max + 1]])], expect: /setting 4 is 2147483648/ }, // prettier-ignore
    { name: 'a window that grows beyond all', given: [numberFrame(windowUpdate, 1, 70_000), settingsFrame([[settings.initialWindow, max]])], expect: /an impossible window/ }, // prettier-ignore
    { name: 'a window of the connection beyond all', given: [numberFrame(windowUpdate, 0, max)], expect: /an impossible window/ }, // prettier-ignore
    { name: 'nothing more for the connection', given: [numberFrame(windowUpdate, 0, 0)], expect: /a window that does not grow/ }, // prettier-ignore
    { name: 'a short ping', given: [frame(ping, 0, 0, Buffer.alloc(7))], expect: /type 6 with 7 bytes/ },
    { name: 'a ping of a stream', given: [frame(ping, 0, 1, Buffer.alloc(8))], expect: /type 6 on stream 1/ },
    { name: 'a short goodbye', given: [frame(goAway, 0, 0, Buffer.alloc(7))], expect: /type 7 with 7 bytes/ },
    { name: 'a push', given: [frame(pushPromise, endHeaders, 1, number(2))], expect: /a push by a server/ },
    { name: 'a stream that never began', given: [frame(headers, endHeaders, 3, ok)], expect: /stream 3 never began/ },
    { name: 'a stream of the server', given: [frame(headers, endHeaders, 2, ok)], expect: /stream 2 never began/ },
    { name: 'headers of two streams at once', given: [frame(headers, 0, 1, nothing), frame(continuation, endHeaders, 3, nothing)], expect: /never began/ }, // prettier-ignore
    { name: 'headers that go on after their end', given: [frame(headers, endHeaders, 1, ok), frame(continuation, endHeaders, 1, nothing)], expect: /headers go on that never began/ }, // prettier-ignore
    { name: 'headers that break off', given: [frame(headers, 0, 1, ok), frame(ping, 0, 0, Buffer.alloc(8))], expect: /headers break off/ }, // prettier-ignore
    { name: 'headers without end', given: pieces, expect: /headers without end/ },
    { name: 'headers that cannot be read', given: [frame(headers, endHeaders, 1, Buffer.from([0xff]))], expect: /a header block is cut off/ }, // prettier-ignore
    { name: 'more padding than frame', given: [frame(data, padded, 1, Buffer.from([2, 0]))], expect: /all padding/ },
    { name: 'padding of nothing', given: [frame(data, padded, 1, nothing)], expect: /all padding/ },
  ];
  for (const { name, given, expect } of table) {
    const { peer, connection } = await pair(t);
    const reply = call(connection);
    const line = await connected(peer);
    await line.hears(headers);
    line.say(...given);
    t.match((await reply).error, { code: 14, details: expect, refused: false }, name);
    await until('it is closed', () => line.closed);
  }
});

t.test('large headers are sent in several frames', async t => {
  const { peer, connection } = await pair(t);
  const value = 's'.repeat(40_000);
  const reply = connection.unary('/a', Buffer.from('x'), 5000, { name: 'token', value });
  const line = await connected(peer);
  const [begin, ...more] = [...(await line.hears(headers)), ...(await line.hears(continuation, 2))];
  t.equal(more.length, 2);
  t.match([begin?.flags, ...more.map(one => one.flags)], [0, 0, endHeaders]);
  t.ok(Buffer.concat([begin, ...more].map(one => one?.payload ?? nothing)).includes(value));
  line.say(...answer(1, 'x'));
  t.equal(said(await reply), 'x');
});

t.test('a vanished server is detected by pings while calls are waiting', async t => {
  const peer = await puppet(t);
  const { port } = new URL(peer.endpoint);
  const open = async (): Promise<{ session: CallSession; closed: Promise<string> }> => {
    const socket = net.connect(Number(port), '127.0.0.1');
    t.teardown(() => socket.destroy());
    let tell = (_: string): void => undefined;
    const closed = new Promise<string>(resolve => (tell = resolve));
    let ready = (): void => undefined;
    const isReady = new Promise<void>(resolve => (ready = resolve));
    const common = { socket, authority: 'peer', scheme: 'http', silenceMs: 20, answerMs: 200 } as const;
    const session = new CallSession({
      ...common,
      ready,
      retired: () => undefined,
      closed: error => tell(error.details),
    });
    await isReady;
    return { session, closed };
  };
  const { session, closed } = await open();
  const ended = new Promise<unknown>(resolve => {
    session.open('/watch', { message: () => undefined, end: resolve }, []);
  });
  const line = await connected(peer);
  const [asked] = await line.hears(ping);
  t.same(asked?.flags, 0, 'it gets a ping');
  line.say(frame(ping, ack, 0, Buffer.alloc(8)));
  await line.hears(ping, 2);
  t.notOk(line.closed, 'it has answered');
  t.equal(await closed, 'Connection dropped: it is silent');
  t.match(await ended, { code: 14, refused: false });
  await until('it is closed', () => line.closed);
});

t.test('a TLS server without HTTP/2 is refused', async t => {
  const ca = authority();
  const { cert, key } = ca.issue('server');
  for (const { name, given, expect } of [
    { name: 'says nothing', given: {}, expect: '14 No connection established: it does not agree on HTTP/2' },
    {
      name: 'wants HTTP/1.1',
      given: { ALPNProtocols: ['http/1.1'] },
      expect: /^14 No connection established: .*alert/,
    },
  ]) {
    const server = tls.createServer({ cert, key, ...given }, socket => {
      socket.on('error', () => undefined);
      socket.write(settingsFrame([]));
    });
    server.on('tlsClientError', () => undefined);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.teardown(() => server.close());
    const { port } = server.address() as net.AddressInfo;
    const endpoint = `https://127.0.0.1:${port}`;
    const connection = createConnection({ endpoint, tls: { ca: ca.cert }, connectMs: 2000 });
    t.teardown(() => connection.close());
    t.match(said(await call(connection)), expect, name);
  }
});
