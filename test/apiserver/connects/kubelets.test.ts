/** Kubelets that refuse, are silent, break off or are slow, and clients that do not read or leave. */
import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import net from 'node:net';
import type { Duplex } from 'node:stream';
import t, { type Test } from 'tap';
import { WebSocket } from 'ws';
import { issueServing } from '../../../authn/pki/authority.js';
import { SpdySession } from '../../../lib/spdy/session.js';
import type { SpdyStream } from '../../../lib/spdy/stream.js';
import { httpClient } from '../http-client.js';
import { runningServer, type TestServer } from '../running.js';
import { until } from '../../storage/until.js';

const core = '/api/v1/namespaces/default';
const merge = 'application/merge-patch+json';

/** A control plane whose node `n` has the kubelet at a port, and the Pod `p`. */
async function withKubelet(t: Test, port: number, kubelets: object = {}): Promise<TestServer> {
  const server = await runningServer(t, { kubelets });
  const ask = httpClient(t, server);
  await ask('POST /api/v1/nodes', { body: { metadata: { name: 'n' } } });
  const addresses = [{ type: 'Hostname', address: '127.0.0.1' }];
  const status = { addresses, daemonEndpoints: { kubeletEndpoint: { Port: port } } };
  await ask('PATCH /api/v1/nodes/n/status', { type: merge, body: { status } });
  const spec = { containers: [{ name: 'c', image: 'i' }], nodeName: 'n' };
  await ask(`POST ${core}/pods`, { body: { metadata: { name: 'p' }, spec } });
  return server;
}

interface FakeKubelet {
  readonly port: number;
  readonly server: https.Server;
  /** The CA certificate. */
  readonly authority: string;
}

async function fakeKubelet(t: Test): Promise<FakeKubelet> {
  const { pki } = await runningServer(t);
  const { certificate: cert, key } = await issueServing(pki.authority, ['127.0.0.1']);
  const server = https.createServer({ cert, key });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sockets = new Set<Duplex>();
  server.on('secureConnection', socket => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  t.teardown(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return { port: (server.address() as net.AddressInfo).port, server, authority: pki.authority.certificate };
}

const identityOf = ({ pki }: TestServer) => ({
  ca: pki.authority.certificate,
  cert: pki.admin.certificate,
  key: pki.admin.key,
});

interface Exec {
  readonly socket: WebSocket;
  /** What has arrived by channel. */
  readonly received: Record<number, string>;
  readonly closed: Promise<unknown>;
}

async function exec(t: Test, server: TestServer, query = 'command=x&stdin=true'): Promise<Exec> {
  const url = `wss://127.0.0.1:${server.port}${core}/pods/p/exec?${query}`;
  const socket = new WebSocket(url, ['v5.channel.k8s.io'], identityOf(server));
  t.teardown(() => socket.terminate());
  const received: Record<number, string> = {};
  socket.on('message', (data: Buffer) => {
    const channel = data[0] ?? 0;
    received[channel] = (received[channel] ?? '') + data.subarray(1).toString();
  });
  const closed = new Promise(resolve => socket.on('close', resolve));
  await once(socket, 'open');
  return { socket, received, closed };
}

/** Answers exec with SPDY, and calls back with its streams. */
function answerExec(
  { server }: FakeKubelet,
  onStreams: (streams: Map<string, SpdyStream>, socket: Duplex) => void,
): void {
  server.on('upgrade', (_request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => undefined);
    socket.write(
      'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n' +
        'X-Stream-Protocol-Version: v4.channel.k8s.io\r\n\r\n',
    );
    const streams = new Map<string, SpdyStream>();
    const onStream = (stream: SpdyStream): void => {
      streams.set(stream.header('streamtype'), stream);
      if (streams.size === 4) onStreams(streams, socket);
    };
    new SpdySession(socket, head, { isServer: true, maxStreams: 5, onStream });
  });
}

const wsHeaders = {
  ...{ connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' },
  ...{ 'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==', 'sec-websocket-protocol': 'SPDY/3.1+portforward.k8s.io' },
};

t.test('kubelets that cannot be reached, or are silent', async t => {
  const silent = net.createServer(socket => socket.on('error', () => undefined)).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  t.teardown(() => silent.close());
  const mute = await fakeKubelet(t);
  mute.server.on('request', () => undefined).on('upgrade', () => undefined);
  const late = 'net/http: timeout awaiting response headers';
  const rows = [
    { what: 'closed', port: 1, text: 'dial tcp 127.0.0.1:1: connect: connection refused' },
    { what: 'silent before TLS', port: (silent.address() as net.AddressInfo).port, text: late },
    { what: 'silent after TLS', port: mute.port, text: late },
  ];
  for (const { what, port, text } of rows) {
    const server = await withKubelet(t, port, { timeoutMs: 400 });
    const ask = httpClient(t, server);
    const log = await ask(`GET ${core}/pods/p/log`);
    t.match(
      log.json,
      { code: 500, message: `Get "https://127.0.0.1:${port}/containerLogs/default/p/c": ${text}` },
      what,
    );
    const { received, closed } = await exec(t, server);
    await closed;
    const url = `https://127.0.0.1:${port}/exec/default/p/c?command=x&error=1&input=1&output=1`;
    t.match(JSON.parse(received[3] ?? '{}'), {
      ...{ status: 'Failure', code: 500, reason: 'InternalError' },
      message: `Internal error occurred: error sending request: Post "${url}": ${text}`,
    });
    const dialing = { code: 500, message: `error dialing backend: ${text}` };
    t.match((await ask(`GET ${core}/pods/p/portforward`, { headers: wsHeaders })).json, dialing, what);
    const spdy = { connection: 'Upgrade', upgrade: 'SPDY/3.1' };
    t.match((await ask(`POST ${core}/pods/p/exec?command=x`, { headers: spdy })).json, dialing, what);
  }
});

t.test('answers of kubelets that are errors', async t => {
  const kubelet = await fakeKubelet(t);
  let code = 0;
  kubelet.server.on('request', (_request, response) => response.writeHead(code).end('why'));
  kubelet.server.on('upgrade', (_request, socket: Duplex) =>
    socket.end(`HTTP/1.1 ${code} ${http.STATUS_CODES[code]}\r\nContent-Length: 3\r\nConnection: close\r\n\r\nwhy`),
  );
  const server = await withKubelet(t, kubelet.port);
  const ask = httpClient(t, server);
  const rows: readonly [code: number, answered: number, message: RegExp | string][] = [
    [400, 400, 'why'],
    [404, 404, /^the server could not find the requested resource/],
    [500, 500, 'Internal error occurred: why'],
    [503, 503, /^the server is currently unable to handle the request/],
    [301, 301, /^the server responded with the status code 301/],
  ];
  for (const [given, answered, message] of rows) {
    code = given;
    t.match((await ask(`GET ${core}/pods/p/log`)).json, { code: answered, message }, String(given));
  }
  code = 404;
  const { received, closed } = await exec(t, server);
  await closed;
  t.match(JSON.parse(received[3] ?? '{}'), {
    message: 'Internal error occurred: unable to upgrade connection: why',
  });
  t.match(await ask(`GET ${core}/pods/p/portforward`, { headers: wsHeaders }), { status: 404, text: 'why' });
  const spdy = { connection: 'Upgrade', upgrade: 'SPDY/3.1' };
  t.match(await ask(`POST ${core}/pods/p/exec?command=x`, { headers: spdy }), { status: 404, text: 'why' });
});

t.test('the certificate of a kubelet is verified, unless the client asks for no verification of logs', async t => {
  const kubelet = await fakeKubelet(t);
  kubelet.server.on('request', (_request, response) => response.end('a line\n'));
  const other = await runningServer(t);
  const trusting = httpClient(t, await withKubelet(t, kubelet.port, { authority: kubelet.authority }));
  t.match(await trusting(`GET ${core}/pods/p/log`), { status: 200, text: 'a line\n' });
  const ask = httpClient(t, await withKubelet(t, kubelet.port, { authority: other.pki.authority.certificate }));
  t.match((await ask(`GET ${core}/pods/p/log`)).json, { code: 500, message: /x509: certificate signed by unknown/ });
  const skipping = await ask(`GET ${core}/pods/p/log?insecureSkipTLSVerifyBackend=true`);
  t.match(skipping, { status: 200, text: 'a line\n' });
});

t.test('the connection breaks in the middle of a command', async t => {
  const kubelet = await fakeKubelet(t);
  answerExec(kubelet, (streams, socket) => {
    streams.get('stdout')?.write('before the break', () => socket.destroy());
  });
  const { received, closed } = await exec(t, await withKubelet(t, kubelet.port));
  await closed;
  t.equal(received[1], 'before the break');
  t.match(JSON.parse(received[3] ?? '{}'), { status: 'Failure', message: /error reading from error stream/ });
});

t.test('a slow client gets all output that a kubelet sent before its connection broke', async t => {
  const kubelet = await fakeKubelet(t);
  const output = Buffer.alloc(200 * 1024, 'x');
  let isBroken = false;
  answerExec(kubelet, (streams, socket) => {
    socket.on('close', () => (isBroken = true));
    streams.get('stdout')?.write(output, () => socket.destroy());
  });
  const { socket, received, closed } = await exec(t, await withKubelet(t, kubelet.port));
  socket.pause();
  await until('the break', () => isBroken);
  socket.resume();
  await closed;
  t.equal(received[1]?.length, output.length);
  t.match(JSON.parse(received[3] ?? '{}'), { status: 'Failure', message: /error reading from error stream/ });
});

t.test('a client that leaves ends the connection to the kubelet', async t => {
  const kubelet = await fakeKubelet(t);
  const sockets: Duplex[] = [];
  answerExec(kubelet, (_streams, socket) => sockets.push(socket));
  const { socket } = await exec(t, await withKubelet(t, kubelet.port));
  await until('the streams', () => sockets.length === 1);
  socket.terminate();
  await until('the end', () => sockets[0]?.destroyed === true);
});

t.test('a side that does not read stops the other one, and delays no others', async t => {
  const kubelet = await fakeKubelet(t);
  const chunk = Buffer.alloc(64 * 1024);
  let written = 0;
  const writeOn = (to: NodeJS.WritableStream): void => {
    for (let isReady = true; isReady; written += chunk.length) isReady = to.write(chunk);
    to.once('drain', () => writeOn(to));
  };
  let input: SpdyStream | undefined;
  kubelet.server.on('request', (_request, response) => writeOn(response));
  answerExec(kubelet, streams => {
    input = streams.get('stdin');
    writeOn(streams.get('stdout') as SpdyStream);
  });
  const server = await withKubelet(t, kubelet.port);
  const ask = httpClient(t, server);
  const stalls = async (what: string): Promise<void> => {
    let before = -1;
    // A request of another client takes longer than the next chunk, as long as chunks are taken.
    await until(`${what} stalls`, async () => {
      const had = before;
      before = written;
      for (let i = 0; i < 20; i++) t.equal((await ask(`GET ${core}/pods/p`)).status, 200);
      return written > 0 && written === had && written === before;
    });
    t.ok(written < 64 * 1024 * 1024, `${what}: ${written} bytes`);
    written = 0;
  };
  const log = https.request({
    host: '127.0.0.1',
    port: server.port,
    path: `${core}/pods/p/log`,
    ...identityOf(server),
    agent: false,
  });
  log.on('error', () => undefined).end();
  await once(log, 'response');
  await stalls('the log');
  log.destroy();

  const { socket } = await exec(t, server);
  socket.pause();
  await stalls('the output');
  const message = Buffer.concat([Buffer.of(0), chunk]);
  const sending = (): void => {
    if (socket.readyState !== socket.OPEN) return;
    written += chunk.length;
    socket.send(message, { binary: true }, sending);
  };
  sending();
  await stalls('the input');
  t.ok((input?.readableLength ?? 0) <= 1024 * 1024, 'the kubelet holds little');
});
