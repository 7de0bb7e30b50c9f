/** Kubelets that are hostile, and clients of log, exec and port-forward that are. */
import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import tls from 'node:tls';
import { WebSocket } from 'ws';
import { controlFrame, dataHead, spdyFrames, synStreamFrame } from '../../../lib/spdy/frames.js';
import { SpdyHeaderWriter } from '../../../lib/spdy/header-blocks.js';
import type { Backend } from '../../aggregation/backend.js';
import type { Target } from '../../conformance/fuzz/send.js';
import type { Fixture, Row } from '../row.js';
import { object, pods, post, range, remove } from './objects.js';

/** Milliseconds for which a flood goes on, once the kubelet was asked. */
const floodMs = { warmUp: 200, measured: 1000 };

/** Writes pieces as fast as the server reads them. */
function flood(to: NodeJS.WritableStream, piece: () => Buffer | string): void {
  let hasEnded = false;
  to.on('close', () => (hasEnded = true)).on('error', () => (hasEnded = true));
  const more = (): void => {
    if (hasEnded) return;
    // The timers of the other clients run in between.
    if (to.write(piece())) setImmediate(more);
    else to.once('drain', more);
  };
  more();
}

/** Begins a GET over a connection of its own. `headers`: further lines. */
function beginGet(target: Target, path: string, headers = ''): tls.TLSSocket {
  const socket = tls.connect({ ...target, servername: 'localhost', ALPNProtocols: ['http/1.1'] });
  socket.on('error', () => undefined);
  socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n${headers}\r\n`);
  return socket;
}

/**
 * Creates a node whose kubelet is a server that answers in these ways, with a Pod, calls `use` with the path of the Pod, and deletes both. `flooded`
 * waits until the kubelet was asked, and then for the time of a flood. Rejects if the kubelet was never asked.
 */
async function withKubelet(
  fixture: Fixture,
  answers: Partial<Pick<Backend, 'onRequest' | 'onUpgrade'>>,
  use: (pod: string, flooded: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const name = fixture.name('kubelet');
  const kubelet = await fixture.backend();
  let asked = 0;
  kubelet.onRequest = (request, response) => {
    asked++;
    response.on('error', () => undefined);
    answers.onRequest?.(request, response);
  };
  kubelet.onUpgrade = (request, socket, head) => {
    asked++;
    answers.onUpgrade?.(request, socket, head);
  };
  await fixture.must(post('/api/v1/nodes', object('v1', 'Node', name)));
  const addresses = [{ type: 'Hostname', address: '127.0.0.1' }];
  const daemonEndpoints = { kubeletEndpoint: { Port: Number(new URL(kubelet.url).port) } };
  await fixture.must({
    ...{ method: 'PATCH', path: `/api/v1/nodes/${name}/status` },
    ...{
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { status: { addresses, daemonEndpoints } },
    },
  });
  const spec = { containers: [{ name: 'c', image: 'i' }], nodeName: name };
  await fixture.must(post(pods, object('v1', 'Pod', name, { spec })));
  await use(`${pods}/${name}`, async () => {
    for (let i = 0; i < 600 && asked === 0; i++) await setTimeout(20);
    await setTimeout(fixture.warmUp ? floodMs.warmUp : floodMs.measured);
  });
  await kubelet.stop();
  await fixture.must(remove(`${pods}/${name}?gracePeriodSeconds=0`));
  await fixture.must(remove(`/api/v1/nodes/${name}`));
  if (asked === 0) throw new Error('the kubelet was not asked');
}

/** Reads the logs of Pods whose kubelet answers in this way. `size`: the number of clients at once. */
const log = (name: string, size: number, answer: (response: ServerResponse) => void, isRead = true): Row => ({
  name: `kubelets/log-${name}`,
  size,
  play: fixture =>
    withKubelet(fixture, { onRequest: (_request, response) => answer(response) }, async (pod, flooded) => {
      const requests = range(Math.max(1, fixture.size), () => beginGet(fixture.target, `${pod}/log?follow=true`));
      if (isRead) for (const socket of requests) socket.resume();
      await flooded();
      for (const socket of requests) socket.destroy();
    }),
});

const accept =
  'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n' +
  'X-Stream-Protocol-Version: v4.channel.k8s.io\r\n\r\n';

function upgraded(socket: Duplex, answer: (socket: Duplex) => void): void {
  socket.resume();
  socket.write(accept);
  answer(socket);
}

interface Session {
  /** The side of the kubelet, after its answer. */
  readonly kubelet: (socket: Duplex) => void;
  /** The side of the client, after the WebSocket is open. */
  readonly client?: (socket: WebSocket) => void;
}

const execPath = 'exec?command=x&stdin=true&stdout=true';

/** Opens `size` WebSockets at once. */
const streams = (name: string, size: number, { kubelet: answer, client }: Session): Row => ({
  name: `kubelets/${name}`,
  size,
  play: fixture =>
    withKubelet(fixture, { onUpgrade: (_request, socket) => upgraded(socket, answer) }, async (pod, flooded) => {
      const { host, port, ca, cert, key } = fixture.target;
      const opened = range(Math.max(1, fixture.size), () => {
        const socket = new WebSocket(`wss://${host}:${port}${pod}/${execPath}`, ['v5.channel.k8s.io'], {
          ca,
          cert,
          key,
        });
        socket.on('error', () => undefined).on('open', () => client?.(socket));
        return socket;
      });
      await flooded();
      for (const socket of opened) socket.terminate();
    }),
});

const emptyBlock = new SpdyHeaderWriter().write({});
const accepted = Buffer.concat([1, 3, 5, 7].map(id => controlFrame(spdyFrames.synReply, [id], { block: emptyBlock })));
const tinyData = Buffer.concat(range(4000, () => Buffer.concat([dataHead(5, 0, 1), Buffer.of(0x78)])));
const pings = Buffer.concat(range(4000, i => controlFrame(spdyFrames.ping, [2 + 2 * i])));

/** Sends messages as fast as the server reads them. */
function sendOn(socket: WebSocket, message: Buffer): void {
  if (socket.readyState !== socket.OPEN) return;
  for (let i = 0; i < 100 && socket.bufferedAmount < 1_000_000; i++) socket.send(message, { binary: true });
  setImmediate(() => sendOn(socket, message));
}

/** Answers the client, which opens up to four streams, and floods it. */
const acceptAnd =
  (piece: () => Buffer) =>
  (socket: Duplex): void => {
    socket.write(accepted);
    flood(socket, piece);
  };

const tinyMessage = Buffer.from([0, 0x78]);
/** Many messages of one byte, as a WebSocket client writes them. */
const tinyFrames = Buffer.concat(range(4000, () => Buffer.from([0x82, 0x81, 0, 0, 0, 0, 0x78])));
/** A message of 10,000 bytes. */
const largeFrame = Buffer.concat([Buffer.from([0x82, 0xfe, 0x27, 0x10, 0, 0, 0, 0]), Buffer.alloc(10_000)]);
const tunnelHeaders =
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: SPDY/3.1+portforward.k8s.io\r\n';

/** Opens `size` port-forwards at once, through WebSockets. Their clients read if they send nothing. */
const tunnels = (name: string, size: number, answer: (socket: Duplex) => void, sends?: Buffer): Row => ({
  name: `kubelets/${name}`,
  size,
  play: fixture =>
    withKubelet(fixture, { onUpgrade: (_request, socket) => upgraded(socket, answer) }, async (pod, flooded) => {
      const sockets = range(Math.max(1, fixture.size), () =>
        beginGet(fixture.target, `${pod}/portforward?ports=80`, tunnelHeaders),
      );
      for (const socket of sockets)
        socket.once('data', () => {
          if (sends) flood(socket, () => sends);
          else socket.resume();
        });
      await flooded();
      for (const socket of sockets) socket.destroy();
    }),
});

const spdyHeaders = 'Connection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: portforward.k8s.io\r\n';

/** Opens `size` port-forwards at once, through SPDY. Their clients read. */
const forwards = (name: string, size: number, answer: (socket: Duplex) => void): Row => ({
  name: `kubelets/${name}`,
  size,
  play: fixture =>
    withKubelet(fixture, { onUpgrade: (_request, socket) => upgraded(socket, answer) }, async (pod, flooded) => {
      const sockets = range(Math.max(1, fixture.size), () =>
        beginGet(fixture.target, `${pod}/portforward?ports=80`, spdyHeaders).resume(),
      );
      await flooded();
      for (const socket of sockets) socket.destroy();
    }),
});

export const kubeletRows: readonly Row[] = [
  // Four clients read 60,000 bytes of header lines again and again: four sources without end fill every turn, and further ones add nothing.
  log('endless-headers', 4, response => {
    response.socket?.write('HTTP/1.1 200 OK\r\n');
    if (response.socket) flood(response.socket, () => 'x: y\r\n'.repeat(10_000));
  }),
  // Four clients get 3,000 interim answers again and again, each of which is parsed on its own.
  log('endless-informational', 4, response => {
    if (response.socket) flood(response.socket, () => 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(3000));
  }),
  // Four clients read a line that does not end, 100 KB at a time: as much as the sockets carry.
  log('endless-line', 4, response => flood(response, () => 'x'.repeat(100_000))),
  // Four clients read chunks of one byte, 10,000 at a time: the most chunks for the bytes.
  log('tiny-chunks', 4, response => {
    response.writeHead(200, { 'transfer-encoding': 'chunked' }).flushHeaders();
    if (response.socket) flood(response.socket, () => '1\r\nx\r\n'.repeat(10_000));
  }),
  // Thirty clients never read what the kubelet sends without end: each stream holds some hundred KiB, so that an unlimited one shows in the memory.
  // The first 64 KiB of all streams may arrive in one turn, and Node.js decrypts them at once: more streams measure that, a millisecond for each.
  log('slow-readers', 30, response => flood(response, () => 'x'.repeat(100_000)), false),
  // Forty requests at once are reset before an answer: each is a new TLS connection to the kubelet, of some milliseconds, which cannot be divided.
  log('resets', 40, response => response.socket?.destroy()),
  // Four clients read frames of one byte, 4,000 at a time: the most frames for the bytes.
  streams('exec-output', 4, { kubelet: acceptAnd(() => tinyData) }),
  // Forty sessions at once carry such frames: what the sockets bring in one turn is passed on in several.
  streams('exec-output-of-many', 40, { kubelet: acceptAnd(() => tinyData) }),
  // Sixty clients never read such frames: each session holds some hundred KiB, so that an unlimited one shows in the memory.
  streams('exec-unread-output', 60, {
    kubelet: acceptAnd(() => tinyData),
    client: socket => socket.pause(),
  }),
  // Four sessions get pings without end, 4,000 at a time, and have to answer each.
  streams('exec-pings', 4, { kubelet: acceptAnd(() => pings) }),
  // The kubelet opens streams in four sessions that the client has not requested, 500 at a time. Each has a header of 1,000 bytes, which compression
  // makes a few.
  streams('exec-streams', 4, {
    kubelet(socket) {
      const writer = new SpdyHeaderWriter();
      let id = 0;
      flood(socket, () =>
        Buffer.concat(range(500, () => synStreamFrame((id += 2), writer.write({ 'x-large': 'x'.repeat(1000) }), 0))),
      );
    },
  }),
  // Sixty sessions at once are never answered: each is two TLS handshakes of some milliseconds, and is held until the client leaves.
  streams('exec-silence', 60, { kubelet: () => undefined }),
  // Forty sessions at once are reset after the upgrade: each ends two connections while others begin.
  streams('exec-resets', 40, { kubelet: socket => socket.destroy() }),
  // Four clients write messages of one byte, 100 in each turn: the most messages for the bytes.
  streams('exec-input', 4, {
    kubelet: socket => void socket.write(accepted),
    client: socket => sendOn(socket, tinyMessage),
  }),
  // Twenty clients write 100 KB at a time to a kubelet that does not read: two megabytes would wait for each round without a limit.
  streams('exec-unread-input', 20, {
    kubelet(socket) {
      socket.write(accepted);
      socket.pause();
    },
    client: socket => sendOn(socket, Buffer.alloc(100_000)),
  }),
  // Four clients read what a kubelet sends in frames of one byte, 4,000 at a time.
  tunnels('port-forward-output', 4, socket => flood(socket, () => tinyData)),
  // The same for forty clients outside of WebSockets, in whose streams the heads of the frames are read.
  forwards('port-forward-spdy-output', 40, socket => flood(socket, () => tinyData)),
  // Twenty clients write frames of one byte, 4,000 at a time, to a kubelet that reads: each frame is parsed, unmasked and forwarded.
  tunnels('port-forward-input', 20, () => undefined, tinyFrames),
  // Twenty clients write frames of 10,000 bytes without end to a kubelet that does not read.
  tunnels('port-forward-unread-input', 20, socket => void socket.pause(), largeFrame),
  // The same in frames of one byte, each of which takes a hundred times its bytes if it is held on its own.
  tunnels('port-forward-unread-small-input', 20, socket => void socket.pause(), tinyFrames),
];
