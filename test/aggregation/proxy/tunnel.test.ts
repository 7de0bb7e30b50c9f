import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import net from 'node:net';
import { Duplex } from 'node:stream';
import t, { type Test } from 'tap';
import { tunnel } from '../../../aggregation/proxy/tunnel.js';
import { dataHead, unaskedPing } from '../../../lib/spdy/frames.js';
import { until } from '../../storage/until.js';

/** A socket that takes a write only when `release` is called. */
function heldSocket() {
  const taken: string[] = [];
  const held: (() => void)[] = [];
  const socket = new Duplex({
    read: () => undefined,
    write: (chunk: Buffer, _encoding, done) => {
      taken.push(chunk.toString());
      held.push(done);
    },
  });
  return { socket, taken, release: () => held.shift()?.() };
}

const plainSocket = () =>
  new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done(), allowHalfOpen: false });

const upgrade = (socket: Duplex) => ({ request: {} as IncomingMessage, socket, head: Buffer.alloc(0) });
const upgraded = (socket: Duplex) => ({ status: 101, headers: {}, socket });

t.test('a slow client gets everything that the server sent before it closed the connection', async t => {
  const { socket: client, taken, release } = heldSocket();
  const server = plainSocket();
  const done = tunnel(upgrade(client), upgraded(server), new AbortController().signal);
  server.push('the last bytes');
  server.push(null);
  await until('the end of the server', () => server.closed);
  for (let i = 0; i < 2; i++) {
    release();
    await until('the next write', () => taken.length > i + 1 || client.destroyed || i > 0);
  }
  await done;
  t.same(taken, ['HTTP/1.1 101 Switching Protocols\r\n\r\n', 'the last bytes']);
  t.ok(client.destroyed && server.destroyed);
});

t.test('the signal, and an error of one side, end both at once', async t => {
  for (const cause of ['signal', 'error']) {
    const ending = new AbortController();
    const { socket: client } = heldSocket();
    const server = plainSocket();
    const done = tunnel(upgrade(client), upgraded(server), ending.signal);
    if (cause === 'signal') ending.abort();
    else server.destroy(new Error('broken'));
    await done;
    t.ok(client.destroyed && server.destroyed, cause);
  }
});

/** Returns both ends of a TCP connection. */
async function connection(t: Test): Promise<{ remote: net.Socket; local: net.Socket }> {
  const listener = net.createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const remote = net.connect((listener.address() as net.AddressInfo).port, '127.0.0.1');
  const [local] = (await once(listener, 'connection')) as [net.Socket];
  remote.on('error', () => undefined);
  listener.close();
  t.teardown(() => {
    remote.destroy();
    local.destroy();
  });
  return { remote, local };
}

interface Blocked {
  readonly client: net.Socket;
  readonly server: net.Socket;
  readonly done: Promise<void>;
  /** The client's connection at the tunnel. */
  readonly local: net.Socket;
}

const probeMs = 10;

/** A tunnel whose server does not read, and whose client has sent more than the tunnel and the kernel hold. */
async function blocked(t: Test, protocol: string, maxMs?: number): Promise<Blocked> {
  const [client, server] = [await connection(t), await connection(t)];
  server.remote.pause();
  const done = tunnel(
    upgrade(client.local),
    { status: 101, headers: { upgrade: protocol }, socket: server.local },
    new AbortController().signal,
    { probeMs, ...(maxMs !== undefined && { maxMs }) },
  );
  for (let i = 0; i < 512; i++) client.remote.write(Buffer.alloc(64 * 1024));
  await until('the reading stops', () => client.local.isPaused() && client.remote.writableNeedDrain);
  return { client: client.remote, server: server.remote, done, local: client.local };
}

for (const protocol of ['SPDY/3.1', 'websocket'])
  t.test(`${protocol}: a client that is gone while the server does not read ends both connections`, async t => {
    const { client, server, done, local } = await blocked(t, protocol);
    client.destroy();
    await until('the end of the client is noticed', () => local.destroyed);
    server.resume();
    await once(server, 'close');
    await done;
  });

t.test('a client is asked between two frames of the server only, and its data is not lost', async t => {
  const { client, server, done } = await blocked(t, 'SPDY/3.1');
  let received = Buffer.alloc(0);
  client.on('data', (bytes: Buffer) => (received = Buffer.concat([received, bytes])));
  const text = Buffer.from('0123456789');
  const head = dataHead(1, 0, text.length);
  const pings = (): number => received.toString('latin1').split(unaskedPing.toString('latin1')).length - 1;
  await until('some pings', () => pings() > 2);
  for (const part of [head, text.subarray(0, 5)]) server.write(part);
  await until('the beginning of a frame', () => received.subarray(-5).equals(text.subarray(0, 5)));
  let taken = 0;
  server.on('data', (bytes: Buffer) => (taken += bytes.length)).resume();
  server.write(text.subarray(5));
  await until('all data', () => taken === 512 * 64 * 1024);
  await until('the frame', () => received.includes(Buffer.concat([head, text])));
  client.end();
  await done;
});

t.test('a client whose protocol is unknown may wait for the server for a limited time', async t => {
  const { server, done, local } = await blocked(t, 'other', 1);
  await until('the connection is closed', () => local.destroyed);
  server.resume();
  await once(server, 'close');
  await done;
});
