/** Agents that are hostile: they keep reverse tunnels, in which the control plane is the client of HTTP/2. */
import { once } from 'node:events';
import type net from 'node:net';
import { setTimeout } from 'node:timers/promises';
import tls from 'node:tls';
import { memberServerHeader, tunnelPath, tunnelProtocol } from '../../../aggregation/reverse-tunnel/protocol.js';
import { serveTunnelEnd } from '../../../aggregation/reverse-tunnel/tunnel-end.js';
import { flags, frame, frameTypes, numberFrame, settingsFrame } from '../../../lib/http2/frames.js';
import type { Target } from '../../conformance/fuzz/send.js';
import { floodSocket } from '../../scheduler/estimators/grpc/misused-server.js';
import { serveCalls } from '../../scheduler/estimators/grpc/serve-calls.js';
import { header, ok } from '../../storage/etcd/grpc/puppet.js';
import type { Fixture, Row } from '../row.js';
import { bomb, interim, many } from './estimators.js';
import { clusters, joinWith, memberFlags } from './members.js';
import { get, range, remove } from './objects.js';

const { data, headers, continuation, windowUpdate, resetStream, pushPromise, ping, goAway } = frameTypes;
const { endHeaders } = flags;

/** Milliseconds for which agents flood the control plane, and after which they open another tunnel when theirs was closed. */
const floodMs = { warmUp: 200, measured: 1500 };
const reopenMs = 100;
/** Agents that misuse their tunnels in the same way. */
const agentsPerMisuse = 2;

interface Misuse {
  readonly name: string;
  /** Is sent once when the tunnel is open, or for each connection to the member. */
  readonly opened?: () => Buffer;
  readonly connected?: (stream: number) => Buffer;
  /** Is sent without end when the tunnel is open, or for each connection to the member. */
  readonly floods?: () => Buffer;
  readonly floodsStream?: (stream: number) => Buffer;
  readonly readsNothing?: true;
}

const accepted = (stream: number): Buffer => frame(headers, endHeaders, stream, ok);
/** Frames of the smallest size, which follow the acceptance of a connection. */
const small = (name: string, type: number, payload: Buffer): Misuse => ({
  name,
  connected: accepted,
  floodsStream: stream => many(frame(type, 0, stream, payload)),
});

const misuses: readonly Misuse[] = [
  small('data of one byte', data, Buffer.alloc(1)),
  small('empty data', data, Buffer.alloc(0)),
  small('updates of the window of a stream', windowUpdate, Buffer.of(0, 0, 0, 1)),
  { name: 'large data', connected: accepted, floodsStream: stream => frame(data, 0, stream, Buffer.alloc(16_000)) },
  { name: 'interim answers', floodsStream: stream => many(frame(headers, endHeaders, stream, interim)) },
  {
    name: 'an endless head',
    connected: stream => frame(headers, 0, stream, ok),
    floodsStream: stream => many(frame(continuation, 0, stream, header('a', 'b'))),
  },
  { name: 'heads that expand', floodsStream: stream => frame(headers, endHeaders, stream, bomb) },
  {
    name: 'streams of its own',
    floods: () => Buffer.concat(range(2000, i => frame(headers, endHeaders, 2 + 2 * i, ok))),
  },
  {
    name: 'promised streams',
    floodsStream: stream => many(frame(pushPromise, endHeaders, stream, Buffer.concat([Buffer.of(0, 0, 0, 2), ok]))),
  },
  { name: 'pings', floods: () => many(frame(ping, 0, 0, Buffer.alloc(8))) },
  {
    name: 'pings whose answers are not read',
    floods: () => many(frame(ping, 0, 0, Buffer.alloc(8))),
    readsNothing: true,
  },
  { name: 'settings', floods: () => many(settingsFrame([[4, 1000]]), settingsFrame([[4, 1001]])) },
  { name: 'updates of the window', floods: () => many(numberFrame(windowUpdate, 0, 1)) },
  { name: 'unknown frames', floods: () => many(frame(0xbe, 0, 0, Buffer.alloc(0))) },
  { name: 'refusals', connected: stream => numberFrame(resetStream, stream, 7) },
  { name: 'a farewell', opened: () => frame(goAway, 0, 0, Buffer.alloc(8)) },
  { name: 'silence', readsNothing: true },
];

/** Asks for the tunnel of a cluster as its agent does, and returns the upgraded connection. */
async function openTunnel({ host, port, ca, cert, key }: Target, cluster: string): Promise<net.Socket> {
  const socket = tls.connect({ host, port, ca, cert, key, servername: 'localhost', ALPNProtocols: ['http/1.1'] });
  socket.on('error', () => undefined);
  const lines = [
    `POST ${tunnelPath(cluster)} HTTP/1.1`,
    ...['Host: localhost', 'Connection: Upgrade', `Upgrade: ${tunnelProtocol}`],
    `${memberServerHeader}: https://127.0.0.1:6443`,
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  socket.pause();
  const text = answer.toString('latin1');
  if (!text.startsWith('HTTP/1.1 101')) throw new Error(text.slice(0, 300));
  const end = text.indexOf('\r\n\r\n') + 4;
  if (end < answer.length) socket.unshift(answer.subarray(end));
  return socket;
}

/** An agent that misuses its tunnel, and opens another one when it is closed. */
class HostileAgent {
  readonly cluster: string;
  readonly #target: Target;
  readonly #misuse: Misuse;
  readonly #stop = new AbortController();
  #socket: net.Socket | undefined;
  /** How often it has opened a tunnel, and was asked for a connection to the member. */
  opened = 0;
  asked = 0;

  constructor(target: Target, cluster: string, misuse: Misuse) {
    this.#target = target;
    this.cluster = cluster;
    this.#misuse = misuse;
  }

  get name(): string {
    return this.#misuse.name;
  }

  /** Keeps tunnels until `stop`. */
  async run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const socket = await openTunnel(this.#target, this.cluster).catch(() => undefined);
      if (socket && !signal.aborted) await this.#misuseTunnel(socket);
      socket?.destroy();
      await setTimeout(reopenMs, undefined, { signal }).catch(() => undefined);
    }
  }

  async #misuseTunnel(socket: net.Socket): Promise<void> {
    const { opened, connected, floods, floodsStream, readsNothing } = this.#misuse;
    this.opened++;
    this.#socket = socket;
    const closed = new Promise(resolve => socket.once('close', resolve));
    serveCalls(socket, (_socket, stream) => {
      this.asked++;
      if (connected) socket.write(connected(stream));
      if (floodsStream) floodSocket(socket, floodsStream(stream));
    });
    if (readsNothing) socket.pause();
    else socket.resume();
    if (opened) socket.write(opened());
    if (floods) floodSocket(socket, floods());
    if (!socket.destroyed) await closed;
  }

  /** Whether it has done what it does. */
  get hasMisused(): boolean {
    const { connected, floodsStream } = this.#misuse;
    return this.opened > 0 && (this.asked > 0 || !(connected ?? floodsStream));
  }

  stop(): void {
    this.#stop.abort();
    this.#socket?.destroy();
  }
}

/** Joins a member in pull mode. */
const joinPulled = (fixture: Fixture, name: string): Promise<void> =>
  joinWith(fixture, name, String(fixture.target.ca), { syncMode: 'Pull' });

/** Sends requests through the tunnels without end, until the signal aborts: each agent gets one at a time. */
async function ask(fixture: Fixture, { cluster }: HostileAgent, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await fixture.send(get(`${clusters}/${cluster}/proxy/api/v1/configmaps`)).catch(() => undefined);
    await setTimeout(20);
  }
}

const frames: Row = {
  name: 'reverse-tunnels/frames',
  size: misuses.length * agentsPerMisuse,
  flags: memberFlags,
  async play(fixture) {
    const { target, size, warmUp } = fixture;
    // The small play has every misuse, too: each runs code of its own.
    const agents = range(Math.max(size, misuses.length), i => misuses[i % misuses.length] as Misuse).map(
      misuse => new HostileAgent(target, fixture.name('tunnel'), misuse),
    );
    for (const { cluster } of agents) await joinPulled(fixture, cluster);
    const over = new AbortController();
    const running = agents.map(agent => agent.run());
    const asking = agents.map(agent => ask(fixture, agent, over.signal));
    for (let i = 0; i < 600 && !agents.every(({ hasMisused }) => hasMisused); i++) await setTimeout(20);
    await setTimeout(warmUp ? floodMs.warmUp : floodMs.measured);
    over.abort();
    for (const agent of agents) agent.stop();
    await Promise.all([...running, ...asking]);
    for (const { cluster } of agents) await fixture.must(remove(`${clusters}/${cluster}`));
    const idle = agents.filter(({ hasMisused }) => !hasMisused).map(({ name }) => name);
    if (idle.length > 0) throw new Error(`agents that have misused nothing: ${idle.join()}`);
  },
};

/** Sends a body without end to the member of a cluster. */
function sendWithoutEnd({ host, port, ca, cert, key }: Target, cluster: string): tls.TLSSocket {
  const socket = tls.connect({ host, port, ca, cert, key, servername: 'localhost', ALPNProtocols: ['http/1.1'] });
  socket.on('error', () => undefined);
  const path = `${clusters}/${cluster}/proxy/api/v1/namespaces/default/configmaps`;
  socket.write(`POST ${path} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n`);
  const chunk = Buffer.alloc(60_000, 'x');
  floodSocket(socket, Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')]));
  return socket;
}

/** Clients send bodies without end through one tunnel to a member that does not read: an unlimited stream shows in the memory. */
const unread: Row = {
  name: 'reverse-tunnels/unread-bodies',
  size: 20,
  flags: memberFlags,
  async play(fixture) {
    const cluster = fixture.name('tunnel');
    const member = await fixture.backend();
    let asked = 0;
    member.onRequest = () => asked++;
    await joinWith(fixture, cluster, member.authority, { syncMode: 'Pull' });
    const over = new AbortController();
    const socket = await openTunnel(fixture.target, cluster);
    const ended = serveTunnelEnd({
      ...{ socket, member: { host: '127.0.0.1', port: Number(new URL(member.url).port) }, signal: over.signal },
    });
    const size = Math.max(1, fixture.size);
    const clients = range(size, () => sendWithoutEnd(fixture.target, cluster));
    for (let i = 0; i < 600 && asked < size; i++) await setTimeout(20);
    await setTimeout(fixture.warmUp ? floodMs.warmUp : floodMs.measured);
    for (const client of clients) client.destroy();
    over.abort();
    await ended;
    await member.stop();
    await fixture.must(remove(`${clusters}/${cluster}`));
    if (asked < size) throw new Error(`the member was asked ${asked} times`);
  },
};

export const reverseTunnelRows: readonly Row[] = [frames, unread];
