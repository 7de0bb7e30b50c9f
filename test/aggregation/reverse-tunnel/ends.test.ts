/** The two ends of a reverse tunnel over a real connection, and ends that misuse it. */
import { once } from 'node:events';
import http2 from 'node:http2';
import net from 'node:net';
import process from 'node:process';
import type { Duplex } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import {
  maxStreams,
  maxUserStreams,
  renewTunnelAfter,
  tunnelStreamWindow,
} from '../../../aggregation/reverse-tunnel/protocol.js';
import { ReverseTunnel } from '../../../aggregation/reverse-tunnel/reverse-tunnel.js';
import { serveTunnelEnd } from '../../../aggregation/reverse-tunnel/tunnel-end.js';
import {
  flags,
  FrameReader,
  frame,
  frameTypes,
  numberFrame,
  preface,
  settings,
  settingsFrame,
} from '../../../lib/http2/frames.js';
import { header, ok, settingsAck } from '../../storage/etcd/grpc/puppet.js';
import { until } from '../../storage/until.js';
import { frameBehaviours } from '../hostile/frame-behaviours.js';

const nothing = Buffer.alloc(0);

async function listening(t: Test, onConnection: (socket: net.Socket) => void): Promise<number> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer({ allowHalfOpen: true }, socket => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    onConnection(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as net.AddressInfo).port;
}

/** Returns the two sides of a connection: of the control plane, and of the agent. */
async function connection(t: Test): Promise<readonly [net.Socket, net.Socket]> {
  const accepted = new Promise<net.Socket>(resolve => {
    void listening(t, resolve).then(port => agent.connect(port, '127.0.0.1'));
  });
  const agent = new net.Socket();
  agent.on('error', () => undefined);
  t.teardown(() => agent.destroy());
  const control = await accepted;
  if (agent.connecting) await once(agent, 'connect');
  return [control, agent];
}

interface Opened {
  readonly tunnel: ReverseTunnel;
  /** The reason of the end, once it has ended. */
  readonly reason: () => string | undefined;
  /** Bytes that have arrived from the agent. */
  readonly received: () => number;
}

const soon = { silenceMs: 50, pongMs: 50 };

/** Starts the end of the control plane on a connection, and waits until it may be used. */
async function controlEnd(t: Test, socket: net.Socket, times: Partial<typeof soon> = {}): Promise<Opened> {
  let ended: Error | undefined;
  let tunnel: ReverseTunnel | undefined;
  await new Promise<void>(resolve => {
    tunnel = new ReverseTunnel({ socket, member: 'm', ready: resolve, closed: error => (ended = error), ...times });
  });
  const made = tunnel as ReverseTunnel;
  t.teardown(() => made.close());
  return { tunnel: made, reason: () => ended?.message, received: () => socket.bytesRead };
}

/** Starts both ends of a tunnel, with a member that handles its connections like this. */
async function tunnelTo(t: Test, onConnection: (socket: net.Socket) => void): Promise<Opened> {
  const port = await listening(t, onConnection);
  const [control, agent] = await connection(t);
  const stop = new AbortController();
  t.teardown(() => stop.abort());
  void serveTunnelEnd({ socket: agent, member: { host: '127.0.0.1', port }, signal: stop.signal });
  return controlEnd(t, control);
}

const echo = (socket: net.Socket): void => void socket.pipe(socket);

async function echoed(tunnel: ReverseTunnel, sent: string): Promise<string> {
  const stream = await tunnel.open();
  stream.write(sent);
  let received = '';
  for await (const chunk of stream) {
    received += (chunk as Buffer).toString();
    if (received.length >= sent.length) break;
  }
  return received;
}

/** An agent that answers each CONNECT, with frames of its own. */
function puppet(
  socket: net.Socket,
  onConnect: (stream: number) => void,
  pairs: readonly [number, number][] = [],
): void {
  const reader = new FrameReader();
  let missing = preface.length;
  socket.write(Buffer.concat([settingsFrame(pairs), numberFrame(frameTypes.windowUpdate, 0, 1 << 20)]));
  socket.on('data', (chunk: Buffer) => {
    const rest = chunk.subarray(missing);
    missing -= Math.min(missing, chunk.length);
    reader.push(rest, ({ type, flags: flag, stream }) => {
      if (type === frameTypes.settings && (flag & flags.ack) === 0) socket.write(settingsAck);
      if (type === frameTypes.headers) onConnect(stream);
    });
  });
}

t.test('bytes pass in both directions, and a reader that waits delays no other', async t => {
  const size = 3 * 1024 * 1024;
  const { tunnel } = await tunnelTo(t, socket => {
    socket.once('data', (chunk: Buffer) => {
      if (chunk[0] === 'e'.charCodeAt(0)) return void socket.pipe(socket).write(chunk);
      socket.end(Buffer.alloc(size, 'x'));
    });
  });
  const slow = await tunnel.open();
  slow.write('all');
  t.equal(await echoed(tunnel, `e${'y'.repeat(1_000_000)}`), `e${'y'.repeat(1_000_000)}`);
  const all = await buffer(slow);
  t.equal(all.length, size);
  t.ok(all.equals(Buffer.alloc(size, 'x')));
  await until('the streams are closed', () => tunnel.size === 0);
});

t.test('a connection that the member breaks off, or that is destroyed, ends on the other side', async t => {
  const closed: string[] = [];
  const { tunnel } = await tunnelTo(t, socket => {
    socket.once('data', (chunk: Buffer) => chunk.toString() === 'reset' && socket.resetAndDestroy());
    socket.on('end', () => socket.end()).on('close', () => closed.push('closed'));
  });
  const reset = await tunnel.open();
  reset.write('reset');
  await t.rejects(buffer(reset), { code: 'ERR_HTTP2_STREAM_ERROR' });
  const dropped = await tunnel.open();
  dropped.destroy();
  await until('both are closed', () => closed.length === 2);
  const left = await tunnel.open();
  tunnel.close(new Error('the end'));
  await t.rejects(buffer(left), { message: 'the end' });
  await t.rejects(tunnel.open(), { message: 'the reverse tunnel of cluster m has ended' });
});

t.test('an agent that is silent loses its tunnel, also one that is not used', async t => {
  for (const isUsed of [false, true]) {
    const [control, agent] = await connection(t);
    puppet(agent, stream => agent.write(frame(frameTypes.headers, flags.endHeaders, stream, ok)));
    const { tunnel, reason } = await controlEnd(t, control, soon);
    const stream = isUsed ? await tunnel.open() : undefined;
    await until('it has ended', () => reason() === 'it is silent');
    if (stream) await t.rejects(buffer(stream), { code: 'UND_ERR_SOCKET' });
    t.ok(control.destroyed);
  }
});

t.test('a control plane that is silent loses its tunnel', async t => {
  const [control, agent] = await connection(t);
  const { signal } = new AbortController();
  const ended = serveTunnelEnd({ socket: agent, member: { host: '127.0.0.1', port: 1 }, signal, ...soon });
  control.resume().write(Buffer.concat([preface, settingsFrame([])]));
  t.equal(await ended, 'the control plane is silent');
});

t.test('whatever arrives shows the agent that the control plane lives', async t => {
  const [control, agent] = await connection(t);
  const stop = new AbortController();
  let ended: string | undefined;
  const member = { host: '127.0.0.1', port: 1 };
  const ending = serveTunnelEnd({ socket: agent, member, signal: stop.signal, silenceMs: 200, pongMs: 1000 });
  void ending.then(reason => (ended = reason));
  let pings = 0;
  const reader = new FrameReader();
  control.on('data', (chunk: Buffer) =>
    reader.push(chunk, ({ type }) => {
      if (type !== frameTypes.ping) return;
      pings++;
      control.write(numberFrame(frameTypes.windowUpdate, 0, 1));
    }),
  );
  control.write(Buffer.concat([preface, settingsFrame([])]));
  // More than it sends before it gives up, and less than may wait for their answers.
  await until('it has asked often', () => pings >= 8 || ended !== undefined);
  t.equal(ended, undefined);
  stop.abort();
  t.equal(await ending, 'the agent stops');
});

t.test('an agent connects to its member, and answers nothing else', async t => {
  const [control, agent] = await connection(t);
  const stop = new AbortController();
  const ended = serveTunnelEnd({ socket: agent, member: { host: '127.0.0.1', port: 1 }, signal: stop.signal });
  const session = http2.connect('http://member', { createConnection: () => control });
  session.on('error', () => undefined);
  const statusOf = async (headers: http2.OutgoingHttpHeaders): Promise<unknown[]> => {
    const request = session.request(headers);
    const [answer] = (await once(request, 'response')) as [http2.IncomingHttpHeaders];
    request.resume();
    return [answer[':status'], answer['flagship-fault']];
  };
  t.strictSame(await statusOf({ ':path': '/' }), [405, undefined]);
  const [status, fault] = await statusOf({ ':method': 'CONNECT', ':authority': 'elsewhere:443' });
  t.equal(status, 502);
  t.match(fault, /^the agent cannot connect to the API server of the member: .*127.0.0.1:1/);
  stop.abort();
  t.equal(await ended, 'the agent stops');
  const [, closed] = await connection(t);
  closed.destroy();
  t.throws(() => void serveTunnelEnd({ socket: closed, member: { host: 'a', port: 1 }, signal: stop.signal }), {
    message: 'the connection to the control plane is closed',
  });
});

t.test('connections are limited, and refusals have their reason', async t => {
  const answers = [
    header(':status', '502'),
    Buffer.concat([header(':status', '502'), header('flagship-fault', 'no way')]),
    header(':status', '103'),
    nothing,
    Buffer.concat([header('a', 'b')]),
  ];
  const [control, agent] = await connection(t);
  puppet(
    agent,
    stream => {
      const block = answers.shift();
      if (block === undefined) return void agent.write(frame(frameTypes.headers, flags.endHeaders, stream, ok));
      if (block.length === 0) return void agent.write(frame(frameTypes.data, 0, stream, Buffer.from('early')));
      agent.write(frame(frameTypes.headers, flags.endHeaders, stream, block));
    },
    [[settings.maxStreams, 1]],
  );
  const { tunnel } = await controlEnd(t, control);
  await t.rejects(tunnel.open(), { message: 'the agent answers with status 502' });
  await t.rejects(tunnel.open(), { message: 'no way' });
  await t.rejects(tunnel.open(), { message: 'the agent answers with status 103' });
  await t.rejects(tunnel.open(), { message: /a body without headers/ });
  await t.rejects(tunnel.open(), { message: /its headers are invalid/ });
  const only = await tunnel.open();
  await t.rejects(tunnel.open(), { message: /has no room for another connection: 1 are open/ });
  only.destroy();
  t.ok(await tunnel.open());
});

t.test('frames that an agent sends without end neither stop other tunnels nor take memory', async t => {
  const { tunnel: healthy } = await tunnelTo(t, echo);
  const names = new Set<string>();
  for (const { name, first, piece } of frameBehaviours) {
    const behaviour = name.replace(/ in a (?:list|watch)$/, '');
    if (names.has(behaviour)) continue;
    names.add(behaviour);
    const before = process.memoryUsage().rss;
    const [control, agent] = await connection(t);
    let written = 0;
    puppet(agent, stream => {
      agent.write(first(stream));
      const bytes = piece(stream);
      const more = (): void => {
        while (bytes.length > 0 && !agent.destroyed) {
          written += bytes.length;
          if (!agent.write(bytes)) return void agent.once('drain', more);
        }
      };
      more();
    });
    const { tunnel, reason } = await controlEnd(t, control);
    const opening = tunnel.open().then(
      () => 'open',
      () => 'refused',
    );
    await until('it floods', () => written > 1024 * 1024 || reason() !== undefined || piece(1).length === 0);
    for (let i = 0; i < 3; i++) t.equal(await echoed(healthy, `${behaviour} ${i}`), `${behaviour} ${i}`);
    const grown = process.memoryUsage().rss - before;
    t.ok(grown < 200 * 1024 * 1024, `${behaviour}: the process has grown by ${Math.round(grown / 1024 / 1024)} MiB`);
    tunnel.close();
    t.match(await opening, /open|refused/);
    agent.destroy();
  }
  t.equal(await echoed(healthy, 'end'), 'end');
});

t.test('readers that wait on all other connections of a tunnel do not stop the last one', async t => {
  const [control, agent] = await connection(t);
  const streams: number[] = [];
  puppet(agent, stream => {
    streams.push(stream);
    agent.write(frame(frameTypes.headers, flags.endHeaders, stream, ok));
  });
  const piece = Buffer.alloc(16 * 1024);
  /** Sends as much as one stream may, and ends the stream if it is read. */
  const fill = (stream: number, ends: boolean): void => {
    const count = tunnelStreamWindow / piece.length;
    for (let i = 1; i <= count; i++)
      agent.write(frame(frameTypes.data, ends && i === count ? flags.endStream : 0, stream, piece));
  };
  const { tunnel, reason, received } = await controlEnd(t, control);
  const read = async (): Promise<number> => {
    const stream = await tunnel.open();
    fill(streams.at(-1) ?? 0, true);
    return (await buffer(stream)).length;
  };
  const due = renewTunnelAfter / tunnelStreamWindow;
  for (let i = 1; i < due; i++) t.equal(await read(), tunnelStreamWindow, 'the window is not renewed yet');
  const waiting: Duplex[] = [];
  for (let i = 1; i < maxStreams; i++) {
    waiting.push(await tunnel.open());
    fill(streams.at(-1) ?? 0, false);
  }
  const sent = (due - 1 + waiting.length) * tunnelStreamWindow;
  await until('the others wait', () => received() >= sent || reason() !== undefined);
  t.equal(reason(), undefined);
  t.equal(await read(), tunnelStreamWindow);
  t.equal(reason(), undefined);
});

t.test('connections of users leave room for the control plane', async t => {
  const { tunnel } = await tunnelTo(t, echo);
  const ofUsers: Duplex[] = [];
  for (let i = 0; i < maxUserStreams; i++) ofUsers.push(await tunnel.openForUsers());
  await t.rejects(tunnel.openForUsers(), {
    code: 429,
    message: `the reverse tunnel of cluster m has no room for another connection of users: ${maxUserStreams} are open, please try again later`,
  });
  t.equal(await echoed(tunnel, 'control'), 'control');
  ofUsers[0]?.destroy();
  await until('there is room again', () => tunnel.openForUsers().then(Boolean, () => false));
});

t.test('connections of users that cannot be opened take no room', async t => {
  const [control, agent] = await connection(t);
  puppet(agent, stream => agent.write(frame(frameTypes.headers, flags.endHeaders, stream, header(':status', '502'))));
  const { tunnel } = await controlEnd(t, control);
  for (let i = 0; i <= maxUserStreams; i++)
    await t.rejects(tunnel.openForUsers(), { message: 'the agent answers with status 502' });
  tunnel.close();
  await t.rejects(tunnel.openForUsers(), { message: 'the reverse tunnel of cluster m has ended' });
});
