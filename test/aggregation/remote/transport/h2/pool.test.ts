/** The HTTP/2 client of members against a server of Node.js. */
import { once } from 'node:events';
import http2 from 'node:http2';
import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import t from 'tap';
import { send } from '../../../../../aggregation/remote/answer.js';
import { openPool } from '../../../../../aggregation/remote/transport/dispatcher.js';
import { until } from '../../../../storage/until.js';
import { connectProxy } from '../../../connect-proxy.js';
import { begin, call, certificates, nodePeer, noLimit, poolTo, request } from './peer.js';

const mebibyte = 1024 * 1024;

t.test('requests and answers of every form', async t => {
  const peer = await nodePeer(t, (stream, headers) => {
    const { ':method': method = '', ':path': path = '', ':authority': authority = '' } = headers;
    if (path === '/early') {
      stream.additionalHeaders({ ':status': 103, link: 'x' });
      stream.respond({ ':status': 200, 'set-cookie': ['a', 'b'], 'content-length': 5 });
      return stream.end('early');
    }
    if (path === '/trailers') {
      stream.respond({ ':status': 200 }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ checksum: '1' }));
      return stream.end('with trailers');
    }
    if (path === '/none') return stream.respond({ ':status': 204 }, { endStream: true });
    stream.respond({ ':status': 201, 'x-got': `${method} ${path} ${authority} ${headers['x-a'] ?? ''}` });
    return method === 'HEAD' ? stream.end() : stream.pipe(stream);
  });
  const { origin } = peer;
  const pool = poolTo(t, peer);
  const early = await begin(pool, origin, { path: '/early' });
  t.match(early, { status: 200, headers: { 'set-cookie': ['a', 'b'], 'content-length': '5' } });
  t.equal((await early.whole(noLimit)).toString(), 'early');
  t.equal(await call(pool, origin, { path: '/trailers' }), '200 with trailers');
  t.equal(await call(pool, origin, { path: '/none' }), '204 ');
  const head = await begin(pool, origin, { method: 'HEAD', path: '/x?y=%20', headers: ['X-A', 'b', 'Host', 'no'] });
  t.equal(head.headers['x-got'], `HEAD /x?y=%20 ${new URL(origin).host} b`);
  const large = Buffer.alloc(3 * mebibyte, 'abc');
  t.equal(await call(pool, origin, { method: 'PUT', body: large }), `201 ${large.toString()}`);
  async function* chunks(): AsyncGenerator<Buffer> {
    for (let i = 0; i < 40; i++) {
      await new Promise(resolve => setImmediate(resolve));
      yield Buffer.alloc(50_000, String(i));
    }
  }
  const sent = Array.from({ length: 40 }, (_, i) => Buffer.alloc(50_000, String(i)).toString()).join('');
  t.equal(await call(pool, origin, { method: 'POST', body: chunks() }), `201 ${sent}`);
  t.equal(peer.sockets.length, 1);
  for (const headers of [{ authorization: 'Bearer a\nb' }, { 'a b': 'c' }, { a: '\u0416' }])
    await t.rejects(begin(pool, origin, { headers }), { code: 'UND_ERR_INVALID_ARG', message: /^invalid .* header$/ });
  for (const path of ['/a b', '/a\r\nb', '/\u0416', '/\0'])
    await t.rejects(begin(pool, origin, { path }), { code: 'UND_ERR_INVALID_ARG', message: 'invalid request path' });
});

t.test('many requests take two connections', async t => {
  let open = 0;
  let most = 0;
  const peer = await nodePeer(
    t,
    stream => {
      most = Math.max(most, ++open);
      stream.respond({ ':status': 200 });
      setImmediate(() => {
        open--;
        stream.end('x');
      });
    },
    { maxConcurrentStreams: 10 },
  );
  const pool = poolTo(t, peer);
  const answers = await Promise.all(Array.from({ length: 500 }, () => call(pool, peer.origin)));
  t.ok(answers.every(answer => answer === '200 x'));
  t.equal(peer.sockets.length, 2);
  t.ok(most <= 20, `${most} at a time`);
});

t.test('long requests leave streams for others, and get further connections only if they need them', async t => {
  const peer = await nodePeer(
    t,
    (stream, headers) => {
      stream.respond({ ':status': 200 });
      if (headers[':path'] === '/long') stream.write('begun');
      else stream.end('short');
    },
    { maxConcurrentStreams: 10 },
  );
  const { origin } = peer;
  const pool = poolTo(t, peer);
  const long = (): ReturnType<typeof begin> => begin(pool, origin, { path: '/long', isLong: true, timeoutMs: 0 });
  const first = await Promise.all(Array.from({ length: 10 }, long));
  t.equal(peer.sockets.length, 2);
  t.equal(await call(pool, origin), '200 short');
  const more = await Promise.all(Array.from({ length: 25 }, long));
  t.equal(peer.sockets.length, 7);
  t.equal(await call(pool, origin), '200 short');
  for (const answer of [...first, ...more]) answer.abort(new Error('no more'));
  const again = await Promise.all(Array.from({ length: 35 }, long));
  t.equal(peer.sockets.length, 7, 'the streams are used again');
  for (const answer of again) answer.abort(new Error('no more'));
});

t.test('a slow reader neither delays others nor takes memory', async t => {
  let written = 0;
  const total = 8 * mebibyte;
  const peer = await nodePeer(t, (stream, headers) => {
    stream.respond({ ':status': 200 });
    if (headers[':path'] !== '/flood') return stream.end('quick');
    const chunk = Buffer.alloc(64 * 1024, 'f');
    const more = (): void => {
      while (written < total) {
        written += chunk.length;
        if (!stream.write(chunk)) return void stream.once('drain', more);
      }
      stream.end();
    };
    return more();
  });
  const { origin } = peer;
  const pool = poolTo(t, peer);
  const answers = await Promise.all([begin(pool, origin, { path: '/flood' }), begin(pool, origin, { path: '/flood' })]);
  await until('the windows are full', () => written >= 2 * mebibyte);
  for (let i = 0; i < 50; i++) t.equal(await call(pool, origin), '200 quick');
  t.ok(written < 3 * mebibyte, `${written} bytes were written`);
  t.equal(peer.sockets.length, 1);
  let read = 0;
  for (const answer of answers) for await (const chunk of answer.chunks()) read += chunk.length;
  t.equal(read, total);
});

t.test('a request that is aborted resets its stream', async t => {
  const codes: number[] = [];
  const peer = await nodePeer(t, (stream, headers) => {
    stream.on('close', () => codes.push(stream.rstCode));
    if (headers[':path'] !== '/silent') stream.respond({ ':status': 200 });
    if (headers[':path'] === '/body') stream.write('x');
    if (headers[':path'] === '/end') stream.end();
  });
  const { origin } = peer;
  const pool = poolTo(t, peer);
  await call(pool, origin, { path: '/end' });
  const stop = new AbortController();
  const silent = send(pool, request(origin, { path: '/silent' }), stop.signal);
  const other = begin(pool, origin, { path: '/body' });
  stop.abort(new Error('given up'));
  await t.rejects(silent, { message: 'given up' });
  for await (const chunk of (await other).chunks()) {
    t.equal(chunk.toString(), 'x');
    break;
  }
  await until('all are closed', () => codes.length === 3);
  t.same(codes, [http2.constants.NGHTTP2_NO_ERROR, 8, 8]);
  await t.rejects(send(pool, request(origin), stop.signal), { message: 'given up' });
  t.equal(peer.sockets.length, 1);
});

t.test('requests have timeouts', async t => {
  const peer = await nodePeer(t, (stream, headers) => {
    if (headers[':path'] === '/head') stream.respond({ ':status': 200 });
    if (headers[':path'] === '/body') {
      stream.respond({ ':status': 200 });
      stream.write('x');
    }
  });
  const { origin } = peer;
  const pool = poolTo(t, peer);
  await t.rejects(call(pool, origin, { timeoutMs: 50 }), { code: 'UND_ERR_HEADERS_TIMEOUT' });
  // The headers of these two answers have to arrive within the timeout, so it is long enough for a machine under load.
  const bodyTimeout = { code: 'UND_ERR_BODY_TIMEOUT' };
  await Promise.all([
    t.rejects(call(pool, origin, { path: '/body', timeoutMs: 3_000 }), bodyTimeout),
    begin(pool, origin, { path: '/head', timeoutMs: 3_000 }).then(slow => t.rejects(slow.whole(noLimit), bodyTimeout)),
  ]);
});

t.test('failures to connect are those of HTTP/1.1', async t => {
  const own = await certificates();
  const other = await certificates();
  const named = await certificates('elsewhere.example');
  const serve = async (options: object): Promise<string> => {
    const server = http2.createSecureServer({ ...options, allowHTTP1: true });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.teardown(() => server.close());
    return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const plain = net.createServer(socket => socket.on('error', () => undefined).end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  plain.listen(0, '127.0.0.1');
  await once(plain, 'listening');
  t.teardown(() => plain.close());
  for (const { name, server, ca } of [
    { name: 'nobody listens', server: 'https://127.0.0.1:1', ca: own.ca },
    { name: 'an unknown authority', server: await serve(own), ca: other.ca },
    { name: 'another name', server: await serve(named), ca: named.ca },
    { name: 'no TLS', server: `https://127.0.0.1:${(plain.address() as AddressInfo).port}`, ca: own.ca },
    { name: 'no such host', server: 'https://no-such-host.invalid', ca: own.ca },
  ]) {
    const errorOf = async (onlyHttp1: boolean): Promise<{ code: unknown; message: string }> => {
      const pool = openPool({ server, ca }, { connections: 2, onlyHttp1 });
      const error = await call(pool, server).then(
        () => undefined,
        (reason: unknown) => reason as { code: unknown; message: string },
      );
      await pool.destroy();
      return { code: error?.code, message: error?.message ?? '' };
    };
    const wanted = await errorOf(true);
    t.type(wanted.code, 'string', name);
    const plainText = (message: string): string => message.replace(/^[0-9A-F]+:error:/, 'error:');
    const found = await errorOf(false);
    t.same([found.code, plainText(found.message)], [wanted.code, plainText(wanted.message)], name);
  }
});

t.test('a server without HTTP/2 is reached over HTTP/1.1, and over one connection for one request', async t => {
  const { ca, ...own } = await certificates();
  let sockets = 0;
  const server = https.createServer(own, (received, response) => {
    response.setHeader('x-version', received.httpVersion);
    received.pipe(response);
  });
  server.on('secureConnection', () => sockets++);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const pool = poolTo(t, { origin, ca }, 4);
  t.equal(await call(pool, origin, { method: 'POST', body: Buffer.from('first') }), '200 first');
  t.equal(sockets, 1);
  const answers = Array.from({ length: 20 }, (_, i) =>
    call(pool, origin, { method: 'POST', body: Buffer.from(String(i)) }),
  );
  t.same(await Promise.all(answers), answers.map((_, i) => `200 ${i}`)); // prettier-ignore
  t.ok(sockets <= 4);
  await pool.close();
  await t.rejects(call(pool, origin));
});

t.test('a server is reached over HTTP/2 through an HTTP proxy', async t => {
  const peer = await nodePeer(t, (stream, headers) => {
    stream.respond({ ':status': 200 });
    stream.end(headers[':path']);
  });
  const between = await connectProxy(t);
  const { origin, ca } = peer;
  const proxyUrl = between.url.replace('http://', 'http://user:pass%20word@');
  const pool = openPool({ server: origin, ca, proxyUrl, proxyHeaders: { 'x-token': 'secret' } }, { connections: 32 });
  t.teardown(() => pool.destroy());
  const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => call(pool, origin, { path: `/${i}` })));
  t.same(
    answers,
    Array.from({ length: 50 }, (_, i) => `200 /${i}`),
  );
  const { host } = new URL(origin);
  const authorization = `Basic ${Buffer.from('user:pass word').toString('base64')}`;
  t.match(between.tunnels, [
    { to: host, headers: { host, 'x-token': 'secret', 'proxy-authorization': authorization } },
  ]);
  t.equal(between.tunnels.length, 1);
  t.equal(peer.sockets.length, 1);
  await pool.destroy();
  await until('the tunnel is closed', () => peer.sockets.every(socket => socket.destroyed));
});

t.test('failures of an HTTP proxy are those of HTTP/1.1', async t => {
  const peer = await nodePeer(t, stream => stream.respond({ ':status': 200 }, { endStream: true }));
  const between = await connectProxy(t);
  const { origin, ca } = peer;
  const errorOf = async (onlyHttp1: boolean): Promise<unknown> => {
    const pool = openPool({ server: origin, ca, proxyUrl: between.url }, { connections: 2, onlyHttp1 });
    const error: unknown = await call(pool, origin).catch((reason: unknown) => reason);
    await pool.destroy();
    const { code, message } = error as { code?: unknown; message: string };
    return { code, message };
  };
  between.status = 407;
  t.same(await errorOf(false), await errorOf(true));
  between.stop();
  t.same(await errorOf(false), await errorOf(true));
});

t.test('a server without HTTP/2 is reached over HTTP/1.1 through an HTTP proxy', async t => {
  const { ca, ...own } = await certificates();
  const server = https.createServer(own, (_received, response) => void response.end('x'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const between = await connectProxy(t);
  const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const pool = openPool({ server: origin, ca, proxyUrl: between.url }, { connections: 2 });
  t.teardown(() => pool.destroy());
  t.same(await Promise.all(Array.from({ length: 9 }, () => call(pool, origin))), Array(9).fill('200 x'));
});

t.test('a pool that closes waits for its requests, and a destroyed one does not', async t => {
  const peer = await nodePeer(t, stream => {
    stream.respond({ ':status': 200 });
    stream.write('x');
    stream.once('data', () => stream.end('y'));
  });
  const { origin } = peer;
  const closing = poolTo(t, peer);
  let go = (): void => undefined;
  async function* body(): AsyncGenerator<Buffer> {
    await new Promise<void>(resolve => (go = resolve));
    yield Buffer.from('go');
  }
  const answer = await begin(closing, origin, { method: 'POST', body: body() });
  const closed = closing.close();
  await t.rejects(call(closing, origin), { code: 'UND_ERR_CLOSED' });
  go();
  t.equal((await answer.whole(noLimit)).toString(), 'xy');
  await closed;
  const destroyed = poolTo(t, peer);
  const open = await begin(destroyed, origin);
  await destroyed.destroy();
  await t.rejects(open.whole(noLimit), { code: 'UND_ERR_DESTROYED' });
  await t.rejects(call(destroyed, origin), { code: 'UND_ERR_DESTROYED' });
  await until('no connection is left', () => peer.sockets.every(socket => socket.destroyed));
});
