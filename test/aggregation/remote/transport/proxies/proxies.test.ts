/** Connections to a server through a proxy: HTTP, HTTPS and SOCKS, and proxies that answer otherwise. */
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import net, { type AddressInfo, type Socket } from 'node:net';
import t, { type Test } from 'tap';
import type { Endpoint } from '../../../../../aggregation/interface.js';
import { openPool } from '../../../../../aggregation/remote/transport/dispatcher.js';
import type { Pool } from '../../../../../aggregation/remote/transport/pool.js';
import { ProxyDialer } from '../../../../../aggregation/remote/transport/proxies/proxy-dialer.js';
import { reachFailureText } from '../../../../../aggregation/proxy/reach-failure.js';
import { until } from '../../../../storage/until.js';
import { connectProxy } from '../../../connect-proxy.js';
import { socksProxy } from '../../../socks-proxy.js';
import { call, certificates, nodePeer } from '../h2/peer.js';

function openTo(t: Test, endpoint: Endpoint, options: { onlyHttp1?: boolean; connectMs?: number } = {}): Pool {
  const pool = openPool(endpoint, { connections: 8, ...options });
  t.teardown(() => pool.destroy());
  return pool;
}

async function listen(t: Test, server: http.Server | net.Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    if (server instanceof http.Server) server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const echo = (t: Test): ReturnType<typeof nodePeer> =>
  nodePeer(t, (stream, headers) => {
    stream.respond({ ':status': 200 });
    stream.end(headers[':path']);
  });

t.test('a server is reached over HTTP/2 and HTTP/1.1 through a SOCKS proxy', async t => {
  const between = await socksProxy(t);
  const peer = await echo(t);
  const { ca, ...own } = await certificates('localhost');
  const old = https.createServer(own, ({ url }, response) => void response.end(url));
  const port = await listen(t, old);
  const proxyUrl = `socks5://${between.address}`;
  const { origin } = peer;
  const newer = openTo(t, { server: origin, ca: peer.ca, proxyUrl });
  t.same(await Promise.all(['/1', '/2', '/3'].map(path => call(newer, origin, { path }))), [
    ...['200 /1', '200 /2', '200 /3'],
  ]);
  t.same(between.asked, [`ipv4 ${new URL(origin).host}`], 'one connection carries all requests');
  const server = `https://localhost:${port}`;
  for (const onlyHttp1 of [false, true]) {
    const older = openTo(t, { server, ca, proxyUrl: proxyUrl.replace('socks5:', 'socks5h:') }, { onlyHttp1 });
    t.equal(await call(older, server, { path: '/old' }), '200 /old');
  }
  t.equal(between.asked.at(-1), `name localhost:${port}`, 'the proxy resolves names');
  await newer.destroy();
  await until('the connection is closed', () => peer.sockets.every(socket => socket.destroyed));
});

t.test('a SOCKS proxy with accounts', async t => {
  const between = await socksProxy(t, 'us er:pa:ss');
  const { origin, ca } = await echo(t);
  const through = (account: string): Pool =>
    openTo(t, { server: origin, ca, proxyUrl: `socks5://${account}${between.address}` });
  t.equal(await call(through('us%20er:pa%3Ass@'), origin), '200 /');
  t.same(between.accounts, ['us er:pa:ss']);
  const socks = `socks connect tcp ${between.address}->${new URL(origin).host}`;
  await t.rejects(call(through('other:pass@'), origin), {
    message: `${socks}: username/password authentication failed`,
  });
  await t.rejects(call(through(''), origin), { message: `${socks}: no acceptable authentication methods` });
  const long = 'u'.repeat(256);
  await t.rejects(call(through(`${long}:p@`), origin), { message: `${socks}: invalid username/password` });
  between.reply = 5;
  await t.rejects(call(through('us%20er:pa%3Ass@'), origin), { message: `${socks}: unknown error connection refused` });
  between.reply = 99;
  await t.rejects(call(through('us%20er:pa%3Ass@'), origin), { message: `${socks}: unknown error unknown code: 99` });
});

t.test('IPv6 addresses and long names in requests to a SOCKS proxy', async t => {
  const between = await socksProxy(t);
  between.reply = 4;
  const context = { secureContext: {}, rejectUnauthorized: true } as ConstructorParameters<
    typeof ProxyDialer
  >[0]['tls'];
  const dialer = new ProxyDialer({
    url: `socks5://${between.address}`,
    ...{ headers: {}, tls: context, connectMs: 20_000 },
  });
  const addresses = ['::1', '2001:db8::1:0:0', '::ffff:127.0.0.1', 'fe80::1%eth0'];
  for (const host of addresses)
    await t.rejects(dialer.dial({ host, port: 6443 }), { message: /unknown error host unreachable$/ });
  t.same(between.asked, [
    ...['ipv6 0:0:0:0:0:0:0:1:6443', 'ipv6 2001:db8:0:0:0:1:0:0:6443'],
    ...['ipv6 0:0:0:0:0:ffff:7f00:1:6443', 'ipv6 fe80:0:0:0:0:0:0:1:6443'],
  ]);
  await t.rejects(dialer.dial({ host: 'x'.repeat(256), port: 1 }), { message: /FQDN too long$/ });
  dialer.close();
  await t.rejects(dialer.dial({ host: 'x', port: 1 }), { code: 'UND_ERR_DESTROYED' });
});

t.test('an HTTP proxy over HTTPS, whose certificate is verified as that of the server', async t => {
  const peer = await echo(t);
  const { origin } = peer;
  const trusted = await certificates();
  const between = await connectProxy(t, trusted);
  const proxyUrl = between.url.replace('https://', 'https://user:secret@');
  const both = `${peer.ca}\n${trusted.ca}`;
  t.equal(await call(openTo(t, { server: origin, ca: both, proxyUrl }), origin), '200 /');
  const authorization = `Basic ${Buffer.from('user:secret').toString('base64')}`;
  t.match(between.tunnels, [{ to: new URL(origin).host, headers: { 'proxy-authorization': authorization } }]);
  const skipping = openTo(t, { server: origin, insecureSkipVerify: true, proxyUrl });
  t.equal(await call(skipping, origin), '200 /');
  const error = await call(openTo(t, { server: origin, ca: peer.ca, proxyUrl }), origin).catch((e: unknown) => e);
  t.equal(
    reachFailureText(error as Error, origin),
    'proxyconnect tcp: tls: failed to verify certificate: x509: certificate signed by unknown authority',
  );
  t.equal(between.tunnels.length, 2);
});

t.test('the headers of the request for a tunnel', async t => {
  const between = await connectProxy(t);
  const port = await listen(
    t,
    http.createServer(({ url }, response) => void response.end(url)),
  );
  const server = `http://127.0.0.1:${port}`;
  const proxyHeaders = {
    ...{ 'X-Token': 'a, b,c', Host: 'other', 'Content-Length': '5', 'Proxy-Authorization': 'Bearer x' },
    'x-empty': '',
  };
  t.equal(
    await call(openTo(t, { server, proxyUrl: between.url, proxyHeaders }), server, { path: '/plain' }),
    '200 /plain',
  );
  t.same(between.tunnels[0]?.rawHeaders, [
    ...['Host', `127.0.0.1:${port}`, 'X-Token', 'a', 'X-Token', 'b', 'X-Token', 'c'],
    ...['Proxy-Authorization', 'Bearer x', 'x-empty', ''],
  ]);
  const withAccount = between.url.replace('http://', 'http://user:@');
  t.equal(await call(openTo(t, { server, proxyUrl: withAccount, proxyHeaders }), server), '200 /');
  t.equal(between.tunnels[1]?.headers['proxy-authorization'], `Basic ${Buffer.from('user:').toString('base64')}`);
});

t.test('proxies that cannot be used are refused before a connection is made', t => {
  const refused = (proxyUrl: string, proxyHeaders = {}): unknown => {
    try {
      openPool({ server: 'https://127.0.0.1:1', proxyUrl, proxyHeaders }, { connections: 1 });
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  };
  t.equal(refused('socks4://127.0.0.1'), 'unsupported scheme "socks4" of the proxy URL');
  t.equal(refused('http://user:secret@a b'), 'the proxy URL is invalid');
  t.equal(refused('socks5:///x'), 'the proxy URL has no host');
  t.equal(refused('http://us%er:secret@host'), 'the account in the proxy URL is invalid');
  t.equal(refused('http://host', { 'a b': 'c' }), 'invalid proxy header "a b"');
  t.equal(refused('http://host', { a: 'b\r\nc: d' }), 'invalid proxy header "a"');
  t.end();
});

/** Starts a proxy that answers each time that something arrives with the next of the texts, and then keeps silent, or ends. */
async function puppet(
  t: Test,
  answers: readonly (string | Buffer)[],
  ends: boolean,
): Promise<{ host: string; sockets: Socket[] }> {
  const sockets: Socket[] = [];
  const server = net.createServer(socket => {
    sockets.push(socket.on('error', () => undefined));
    let next = 0;
    socket.on('data', () => {
      const answer = answers[next++];
      if (answer !== undefined) socket.write(answer);
      if (next >= answers.length && ends) socket.end();
    });
  });
  const port = await listen(t, server);
  t.teardown(() => sockets.forEach(socket => socket.destroy()));
  return { host: `127.0.0.1:${port}`, sockets };
}

const hello = Buffer.from([5, 0]);
const hostile: readonly [name: string, scheme: string, answers: readonly (string | Buffer)[], fault: RegExp][] = [
  ['no HTTP', 'http', ['SSH-2.0-OpenSSH\r\n\r\n'], /malformed HTTP/],
  ['another version of HTTP', 'http', ['HTTP/2.0 200 OK\r\n\r\n'], /malformed HTTP/],
  [
    'a refusal',
    'http',
    ['HTTP/1.1 403 Not\x1b[31m allowed\r\n\r\n'],
    /refused a tunnel to 127.0.0.1:1: 403 Not\?\[31m allowed$/,
  ],
  ['a refusal without a text', 'http', ['HTTP/1.1 502\r\n\r\n'], /: 502$/],
  ['a head without end', 'http', [`HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(100_000)}`], /longer than 16384 bytes/],
  ['interim answers', 'http', ['HTTP/1.1 102 X\r\n\r\n'.repeat(100)], /too many interim answers/],
  ['more than its answer', 'http', ['HTTP/1.1 200 OK\r\n\r\nmore'], /sent more than its answer/],
  ['half an answer', 'http', ['HTTP/1.1 200 OK\r\n'], /the proxy closed the connection/],
  ['HTTP', 'socks5', ['HTTP/1.1 400 Bad Request\r\n\r\n'], /unexpected protocol version 72/],
  ['a method that was not offered', 'socks5', [Buffer.from([5, 2])], /unsupported authentication method 2/],
  ['another version in the reply', 'socks5', [hello, Buffer.from([4, 0, 0, 1])], /unexpected protocol version 4/],
  ['a reserved byte', 'socks5', [hello, Buffer.from([5, 0, 1, 1])], /non-zero reserved field/],
  ['another type of address', 'socks5', [hello, Buffer.from([5, 0, 0, 9])], /unknown address type 9/],
  ['half a reply', 'socks5', [hello, Buffer.from([5, 0, 0, 4, 1, 2])], /the proxy closed the connection/],
  [
    'more than its reply',
    'socks5',
    [hello, Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0, 7])],
    /sent more than its answer/,
  ],
  [
    'another version of accounts',
    'socks5',
    [Buffer.from([5, 2]), Buffer.from([5, 0])],
    /invalid username\/password version/,
  ],
];

for (const [name, scheme, answers, fault] of hostile)
  t.test(`a proxy (${scheme}) that answers with ${name}`, async t => {
    const { host, sockets } = await puppet(t, answers, true);
    const server = 'https://127.0.0.1:1';
    const account = name.includes('accounts') ? 'user:pass@' : '';
    for (const onlyHttp1 of [true, false]) {
      const pool = openTo(t, { server, proxyUrl: `${scheme}://${account}${host}` }, { onlyHttp1 });
      await t.rejects(call(pool, server), { message: fault, code: 'PROXY_REFUSED' });
    }
    await until(
      'the connections are closed',
      () => sockets.length === 2 && sockets.every(({ destroyed }) => destroyed),
    );
  });

t.test('answers that arrive byte by byte', async t => {
  const { origin, ca } = await echo(t);
  const { hostname, port } = new URL(origin);
  const sockets: Socket[] = [];
  const server = net.createServer(client => {
    sockets.push(client.on('error', () => undefined).setNoDelay(true));
    client.once('data', () => {
      const answer = 'HTTP/1.1 200 Connection Established\r\nVia: 1.1 x\r\n\r\n';
      const step = (at: number): void => {
        client.write(answer.charAt(at));
        if (at + 1 < answer.length) return void setImmediate(step, at + 1);
        const target = net.connect(Number(port), hostname);
        sockets.push(target.on('error', () => undefined));
        client.pipe(target).pipe(client);
      };
      step(0);
    });
  });
  const proxyUrl = `http://127.0.0.1:${await listen(t, server)}`;
  t.teardown(() => sockets.forEach(socket => socket.destroy()));
  t.equal(await call(openTo(t, { server: origin, ca, proxyUrl }), origin), '200 /');
});

t.test('silent proxies', async t => {
  const server = 'https://127.0.0.1:1';
  for (const scheme of ['http', 'https', 'socks5']) {
    const { host, sockets } = await puppet(t, [], false);
    const endpoint = { server, proxyUrl: `${scheme}://${host}` };
    const error = await call(openTo(t, endpoint, { connectMs: 100 }), server).catch((e: unknown) => e);
    t.match(reachFailureText(error as Error, server), /i\/o timeout$/, scheme);
    const waiting = openTo(t, endpoint);
    const failing = t.rejects(call(waiting, server), { code: 'UND_ERR_DESTROYED' });
    await until('the request waits for the proxy', () => sockets.length === 2);
    await waiting.destroy();
    await failing;
    await until('the connections are closed', () => sockets.every(({ destroyed }) => destroyed));
  }
});

t.test('a proxy that is not there', async t => {
  const server = 'https://127.0.0.1:1';
  for (const scheme of ['http', 'https', 'socks5']) {
    const error = await call(openTo(t, { server, proxyUrl: `${scheme}://127.0.0.1:1` }), server).catch(
      (e: unknown) => e,
    );
    t.equal(
      reachFailureText(error as Error, server),
      'proxyconnect tcp: dial tcp 127.0.0.1:1: connect: connection refused',
    );
  }
});
