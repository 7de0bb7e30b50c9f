/** What a server may send to the HTTP/2 client of members, and what ends a stream or a connection. */
import t, { type Test } from 'tap';
import { flags, frame, frameTypes, numberFrame, settings, settingsFrame } from '../../../../../lib/http2/frames.js';
import { maxWaiting } from '../../../../../aggregation/remote/limits.js';
import { connected, header, number, ok } from '../../../../storage/etcd/grpc/puppet.js';
import { until } from '../../../../storage/until.js';
import { begin, call, noLimit, poolTo, type Script, scripted } from './peer.js';

const { data, headers, continuation, resetStream, ping, goAway } = frameTypes;
const { endHeaders, endStream, ack } = flags;
const nothing = Buffer.alloc(0);

const answered = (stream: number, text: string): Buffer[] => [
  frame(headers, endHeaders, stream, ok),
  frame(data, endStream, stream, Buffer.from(text)),
];

async function pair(t: Test, given: Parameters<typeof scripted>[1] = []) {
  const peer = await scripted(t, given);
  const pool = poolTo(t, peer);
  return { peer, pool, origin: peer.origin };
}

const lineOf = (peer: Script, index = 0): ReturnType<typeof connected> =>
  connected({ endpoint: peer.origin, lines: peer.lines }, index);

t.test('a header that repeats is sent as an index, if the table of the server is large enough', async t => {
  const token = `Bearer ${'t'.repeat(1000)}`;
  for (const [size, isIndexed] of [
    [4096, true],
    [0, false],
  ] as const) {
    // prettier-ignore
    const { peer, pool, origin } = await pair(t, [[settings.headerTableSize, size]]);
    const send = (path: string, type: string) =>
      call(pool, origin, { path, headers: { authorization: token, 'content-type': type } });
    const first = send('/a', 'x');
    const line = await lineOf(peer);
    line.say(...answered(1, 'a'));
    t.equal(await first, '200 a');
    const second = send('/b', 'y');
    await line.hears(headers, 2);
    line.say(...answered(3, 'b'));
    t.equal(await second, '200 b');
    const [one, two] = await line.hears(headers, 2);
    const fields = (heard = one): unknown => Object.fromEntries((heard?.fields ?? []).map(f => [f.name, f.value]));
    const common = { ':method': 'GET', ':scheme': 'https', authorization: token };
    t.match(fields(one), { ...common, ':path': '/a', 'content-type': 'x' });
    t.match(fields(two), { ...common, ':path': '/b', 'content-type': 'y' });
    t.equal((two?.payload.length ?? 0) < 100, isIndexed, `${two?.payload.length} bytes`);
  }
});

t.test('GOAWAY: what was not processed is sent on another connection, the rest is finished', async t => {
  const { peer, pool, origin } = await pair(t);
  const [first, second] = [call(pool, origin, { path: '/1' }), call(pool, origin, { path: '/2', method: 'POST', body: Buffer.from('b') })]; // prettier-ignore
  const line = await lineOf(peer);
  await line.hears(headers, 2);
  line.say(frame(goAway, 0, 0, number(1, 0)));
  const next = await lineOf(peer, 1);
  const [again] = await next.hears(headers);
  t.match(again?.fields, [{ value: 'POST' }]);
  await until('the body is sent again', () => next.data() === 1);
  next.say(...answered(1, 'elsewhere'));
  t.equal(await second, '200 elsewhere');
  line.say(...answered(1, 'still here'));
  t.equal(await first, '200 still here');
  await until('it is closed', () => line.closed);
  t.notOk(next.closed);
});

t.test('RST_STREAM: a refused stream is sent again a few times, others fail', async t => {
  const { peer, pool, origin } = await pair(t);
  const refused = call(pool, origin);
  const line = await lineOf(peer);
  for (const [index, stream] of [1, 3, 5].entries()) {
    await line.hears(headers, index + 1);
    line.say(numberFrame(resetStream, stream, 7));
  }
  await t.rejects(refused, { code: 'ERR_HTTP2_STREAM_ERROR', message: 'The stream was reset with code 7' });
  const retried = call(pool, origin);
  await line.hears(headers, 4);
  line.say(numberFrame(resetStream, 7, 7));
  await line.hears(headers, 5);
  line.say(...answered(9, 'x'));
  t.equal(await retried, '200 x');
  const failed = begin(pool, origin);
  await line.hears(headers, 6);
  line.say(frame(headers, endHeaders, 11, ok), numberFrame(resetStream, 11, 2));
  await t.rejects((await failed).whole(noLimit), { code: 'ERR_HTTP2_STREAM_ERROR' });
  t.equal(peer.lines.length, 1);
});

t.test('an invalid answer fails its request, and no other', async t => {
  const { peer, pool, origin } = await pair(t);
  const long = header('content-length', '5');
  const interim = frame(headers, endHeaders, 1, header(':status', '103'));
  const table: readonly { readonly name: string; readonly given: readonly Buffer[]; readonly expect: RegExp }[] = [
    { name: 'no status', given: [frame(headers, endHeaders, 1, header('a', 'b'))], expect: /its headers are invalid/ },
    {
      name: 'a status of letters',
      given: [frame(headers, endHeaders, 1, header(':status', 'abc'))],
      expect: /invalid/,
    },
    { name: 'a name in upper case', given: [frame(headers, endHeaders, 1, Buffer.concat([ok, header('A', 'b')]))], expect: /invalid/ }, // prettier-ignore
    { name: 'a value of two lines', given: [frame(headers, endHeaders, 1, Buffer.concat([ok, header('a', 'b\r\nc: d')]))], expect: /invalid/ }, // prettier-ignore
    { name: 'two lengths', given: [frame(headers, endHeaders, 1, Buffer.concat([ok, long, long]))], expect: /invalid/ },
    { name: 'an upgrade', given: [frame(headers, endHeaders, 1, header(':status', '101'))], expect: /status 101/ },
    { name: 'interim answers without end', given: Array.from({ length: 6 }, () => interim), expect: /too many 1xx/ },
    { name: 'only an interim answer', given: [frame(headers, endHeaders | endStream, 1, header(':status', '103'))], expect: /status 103/ }, // prettier-ignore
    { name: 'data without headers', given: [frame(data, 0, 1, Buffer.from('x'))], expect: /a body without headers/ },
    { name: 'less than its length', given: [frame(headers, endHeaders, 1, Buffer.concat([ok, long])), frame(data, endStream, 1, Buffer.from('1234'))], expect: /other side closed/ }, // prettier-ignore
    { name: 'more than its length', given: [frame(headers, endHeaders, 1, Buffer.concat([ok, long])), frame(data, 0, 1, Buffer.from('123456'))], expect: /longer than its Content-Length/ }, // prettier-ignore
    { name: 'headers in the body', given: [frame(headers, endHeaders, 1, ok), frame(headers, endHeaders, 1, ok)], expect: /headers within the body/ }, // prettier-ignore
    { name: 'a header that repeats 300 times', given: [frame(headers, endHeaders, 1, Buffer.concat([ok, ...Array.from({ length: 300 }, () => header('a', 'b'))]))], expect: /invalid/ }, // prettier-ignore
    { name: 'headers of 70 KB', given: [frame(headers, 0, 1, ok), ...Array.from({ length: 6 }, (_, i) => frame(continuation, i === 5 ? endHeaders : 0, 1, Buffer.concat(Array.from({ length: 90 }, () => header('a', 'v'.repeat(100))))))], expect: /broken off with code 11/ }, // prettier-ignore
  ];
  let stream = -1;
  for (const { name, given, expect } of table) {
    stream += 2;
    const failed = call(pool, origin);
    const line = await lineOf(peer);
    await line.hears(headers, (stream + 1) / 2);
    for (const one of given) {
      const own = Buffer.from(one);
      own.writeUInt32BE(stream, 5);
      line.say(own);
    }
    await t.rejects(failed, { message: expect }, name);
  }
  const last = call(pool, origin);
  const line = await lineOf(peer);
  await line.hears(headers, table.length + 1);
  line.say(...answered(stream + 2, 'x'));
  t.equal(await last, '200 x');
  t.equal(peer.lines.length, 1);
});

t.test('a violation of the protocol ends the connection', async t => {
  const pieces = [frame(headers, 0, 1, ok), ...Array.from({ length: 8 }, () => frame(continuation, 0, 1, Buffer.alloc(16_384)))]; // prettier-ignore
  const empty = [frame(headers, 0, 1, ok), ...Array.from({ length: 200 }, () => frame(continuation, 0, 1, nothing))];
  for (const { name, given, expect } of [
    { name: 'headers without end', given: pieces, expect: /headers without end/ },
    { name: 'empty continuations without end', given: empty, expect: /headers without end/ },
    { name: 'headers that cannot be read', given: [frame(headers, endHeaders, 1, Buffer.from([0xff]))], expect: /cut off/ }, // prettier-ignore
    { name: 'more data than allowed', given: [frame(headers, endHeaders, 1, ok), ...Array.from({ length: 2100 }, () => frame(data, 0, 3, Buffer.alloc(16_384)))], expect: /never began/ }, // prettier-ignore
    { name: 'a push', given: [frame(frameTypes.pushPromise, endHeaders, 1, number(2))], expect: /a push/ },
  ]) {
    const { peer, pool, origin } = await pair(t);
    const failed = call(pool, origin);
    const line = await lineOf(peer);
    await line.hears(headers);
    line.say(...given);
    await t.rejects(failed, { code: 'ERR_HTTP2_SESSION_ERROR', message: expect }, name);
    await until('it is closed', () => line.closed);
  }
});

t.test('a server that takes connections and serves nothing is not connected again and again', async t => {
  const { peer, pool, origin } = await pair(t, [[settings.maxStreams, 0]]);
  let error: unknown;
  void call(pool, origin).catch((reason: unknown) => (error = reason));
  for (let i = 0; error === undefined;) {
    await until('a connection, or an error', () => peer.lines.length > i || error !== undefined);
    for (; i < peer.lines.length; i++) peer.lines[i]?.say(frame(goAway, 0, 0, number(0, 0)));
  }
  t.match(error, { code: 'UND_ERR_SOCKET' });
  t.ok(peer.lines.length <= 3, `${peer.lines.length} connections`);
});

t.test('a server that allows no streams gets one connection', async t => {
  const peer = await scripted(t, [[settings.maxStreams, 0]]);
  const { origin } = peer;
  const pool = poolTo(t, peer, null);
  const [first, second] = [call(pool, origin), call(pool, origin, { isLong: true })];
  const line = await lineOf(peer);
  for (let i = 1; i <= 50; i++) {
    line.say(settingsFrame([[settings.maxStreams, 0]]), frame(ping, 0, 0, Buffer.alloc(8)));
    await line.hears(ping, i);
  }
  t.equal(peer.lines.length, 1);
  line.say(settingsFrame([[settings.maxStreams, 2]]));
  await line.hears(headers, 2);
  line.say(...answered(1, 'x'), ...answered(3, 'y'));
  t.same([await first, await second], ['200 x', '200 y']);
  t.equal(peer.lines.length, 1);
});

t.test('the connections to one server have a limit', async t => {
  const peer = await scripted(t, [[settings.maxStreams, 1]]);
  const pool = poolTo(t, peer, null);
  const failed = Promise.allSettled(Array.from({ length: 100 }, () => call(pool, peer.origin)));
  await until('the connections are open', () => peer.lines.length >= 64);
  const last = await lineOf(peer, 63);
  await last.hears(headers);
  last.say(frame(ping, 0, 0, Buffer.alloc(8)));
  await last.hears(ping);
  t.equal(peer.lines.length, 64);
  await pool.destroy();
  t.ok((await failed).every(({ status }) => status === 'rejected'));
});

/** Begins requests. Resolves each with the code of its error, or undefined. */
const codesOf = (requests: readonly Promise<unknown>[]): Promise<unknown>[] =>
  requests.map(each =>
    each.then(
      () => undefined,
      (error: unknown) => (error as { code?: unknown }).code,
    ),
  );

t.test('long requests that wait have a limit, and so have those of pools that send any number at a time', async t => {
  const { origin, ca } = await scripted(t);
  for (const [connections, isLong] of [
    [32, true],
    [null, true],
    [null, false],
  ] as const) {
    const pool = poolTo(t, { origin, ca }, connections);
    const codes = codesOf(Array.from({ length: maxWaiting + 10 }, () => begin(pool, origin, { timeoutMs: 0, isLong })));
    t.same(await Promise.all(codes.slice(maxWaiting)), Array(10).fill('UND_ERR_BUSY'));
    await pool.destroy();
    t.same(await Promise.all(codes.slice(0, maxWaiting)), Array(maxWaiting).fill('UND_ERR_DESTROYED'));
  }
});

t.test('requests are sent as many at a time as are allowed', async t => {
  const { peer, pool, origin } = await pair(t);
  const results = codesOf(Array.from({ length: 100 }, () => begin(pool, origin, { timeoutMs: 0 })));
  const line = await lineOf(peer);
  await line.hears(headers, 32);
  line.say(frame(ping, 0, 0, Buffer.alloc(8)));
  await line.hears(ping);
  t.equal((await line.hears(headers)).length, 32, 'requests at a time');
  line.say(...answered(1, 'x'));
  await line.hears(headers, 33);
  await pool.destroy();
  t.ok((await Promise.all(results)).slice(1).every(code => code === 'UND_ERR_DESTROYED'));
});

t.test('a further connection that fails is opened again after a pause, although nothing else happens', async t => {
  const peer = await scripted(t, [[settings.maxStreams, 1]], index => index !== 1);
  const pool = poolTo(t, peer);
  const [first, second] = [call(pool, peer.origin), call(pool, peer.origin)];
  const line = await lineOf(peer);
  await line.hears(headers);
  const third = await lineOf(peer, 1);
  t.equal(peer.sockets.length, 3, 'the second connection was refused');
  await third.hears(headers);
  third.say(...answered(1, 'second'));
  t.equal(await second, '200 second');
  line.say(...answered(1, 'first'));
  t.equal(await first, '200 first');
});

t.test('a connection that is dead is left by later requests', async t => {
  const { peer, pool, origin } = await pair(t);
  const first = call(pool, origin);
  const line = await lineOf(peer);
  await line.hears(headers);
  line.say(...answered(1, 'x'));
  await first;
  await t.rejects(call(pool, origin, { timeoutMs: 50 }), { code: 'UND_ERR_HEADERS_TIMEOUT' });
  await until('it is closed', () => line.closed);
  const second = call(pool, origin);
  const next = await lineOf(peer, 1);
  await next.hears(headers);
  next.say(...answered(1, 'y'));
  t.equal(await second, '200 y');
});

t.test('frames without content do not keep a request alive', async t => {
  const { peer, pool, origin } = await pair(t);
  const padding = frame(data, flags.padded, 1, Buffer.concat([Buffer.from([9]), Buffer.alloc(9)]));
  let error: unknown;
  void call(pool, origin, { timeoutMs: 300 }).catch((reason: unknown) => (error = reason));
  const line = await lineOf(peer);
  await line.hears(headers);
  line.say(frame(headers, endHeaders, 1, ok), frame(data, 0, 1, Buffer.from('x')));
  await until('it ends', () => {
    line.say(frame(data, 0, 1, nothing), padding);
    return error !== undefined;
  }, 10_000); // prettier-ignore
  t.match(error, { code: 'UND_ERR_BODY_TIMEOUT' });
});

t.test('an answer ends at its deadline, although nothing arrives', async t => {
  const { peer, pool, origin } = await pair(t);
  const limit = (): typeof noLimit => ({ ...noLimit, deadline: performance.now() + 50, request: 'GET x' });
  const [first, second] = [begin(pool, origin), begin(pool, origin)];
  const line = await lineOf(peer);
  await line.hears(headers, 2);
  line.say(frame(headers, endHeaders, 1, ok), frame(headers, endHeaders, 3, ok), frame(data, 0, 3, Buffer.from('x')));
  await t.rejects((await first).whole(limit()), { message: 'GET x: the answer takes too long' });
  const read = async (): Promise<void> => {
    for await (const chunk of (await second).chunks(limit())) t.equal(chunk.toString(), 'x');
  };
  await t.rejects(read(), { message: 'GET x: the answer takes too long' });
  t.same((await line.hears(resetStream, 2)).map(({ stream }) => stream), [1, 3]); // prettier-ignore
});

t.test('a body that ends after the answer sends nothing more', async t => {
  const { peer, pool, origin } = await pair(t);
  let end = (): void => undefined;
  async function* body(): AsyncGenerator<Buffer> {
    await new Promise<void>(resolve => (end = resolve));
  }
  const reply = call(pool, origin, { method: 'POST', body: body() });
  const line = await lineOf(peer);
  await line.hears(headers);
  line.say(...answered(1, 'x'));
  t.equal(await reply, '200 x');
  await line.hears(resetStream);
  end();
  for (let i = 1; i <= 2; i++) {
    line.say(frame(ping, 0, 0, Buffer.alloc(8)));
    await line.hears(ping, i);
  }
  t.notOk(line.heard.some(({ type }) => type === data));
});

t.test('floods of frames are answered within bounds', async t => {
  const { peer, pool, origin } = await pair(t);
  const reply = call(pool, origin);
  const line = await lineOf(peer);
  await line.hears(headers);
  const pings = Array.from({ length: 2000 }, () => frame(ping, 0, 0, Buffer.alloc(8)));
  line.say(...pings, ...Array.from({ length: 500 }, () => settingsFrame([])), frame(headers, endHeaders, 1, ok));
  line.say(...Array.from({ length: 5000 }, () => frame(data, 0, 1, nothing)), frame(data, endStream, 1, nothing));
  t.equal(await reply, '200 ');
  t.equal((await line.hears(ping, 2000)).filter(one => one.flags === ack).length, 2000);
  t.equal(peer.lines.length, 1);
});
