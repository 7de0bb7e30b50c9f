/** A WebSocket that is not read, since its reader is behind, notices that its client is gone. */
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import t, { type Test } from 'tap';
import { WebSocket } from 'ws';
import { paced } from '../../../../apiserver/http/web-socket/paced-upgrade.js';
import { acceptWebSocket } from '../../../../apiserver/http/web-socket/web-socket.js';
import { closingProtocol, WebSocketChannels } from '../../../../apiserver/http/web-socket/channels.js';
import { WebSocketTunnel } from '../../../../apiserver/http/web-socket/tunnel.js';
import type { Upgrade } from '../../../../apiserver/interface.js';
import { until } from '../../../storage/until.js';

/** Opens a WebSocket, and returns its client and the upgrade at the server. */
async function opening(t: Test): Promise<{ client: WebSocket; upgrade: Upgrade }> {
  const server = http.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, [closingProtocol]);
  client.on('error', () => undefined);
  t.teardown(() => {
    client.terminate();
    server.close();
  });
  const [request, socket, head] = (await once(server, 'upgrade')) as [http.IncomingMessage, Duplex, Buffer];
  return { client, upgrade: { request, socket, head } };
}

const probeMs = 10;

/** Sends more than the server and the kernel hold. */
async function sendUntilBlocked(client: WebSocket, socket: Duplex): Promise<void> {
  if (client.readyState !== client.OPEN) await once(client, 'open');
  const message = Buffer.alloc(64 * 1024);
  for (let i = 0; i < 512; i++) client.send(message, { binary: true });
  await until('the reading stops', () => socket.isPaused() && client.bufferedAmount > 0);
}

t.test('the channels of a client that is gone are closed, although one of them is not read', async t => {
  const { client, upgrade } = await opening(t);
  const channels = new WebSocketChannels(
    await acceptWebSocket(paced(upgrade), closingProtocol),
    closingProtocol,
    probeMs,
  );
  const stdin = channels.reader(0);
  const resize = channels.reader(4);
  await sendUntilBlocked(client, upgrade.socket);
  client.terminate();
  await channels.closed;
  t.ok(stdin.destroyed);
  t.ok(resize.destroyed);
});

t.test('a client that is there is read on when its reader goes on', async t => {
  const { client, upgrade } = await opening(t);
  const channels = new WebSocketChannels(
    await acceptWebSocket(paced(upgrade), closingProtocol),
    closingProtocol,
    probeMs,
  );
  const stdin = channels.reader(0);
  let pongs = 0;
  client.on('pong', () => pongs++);
  await sendUntilBlocked(client, upgrade.socket);
  await until('some probes', () => pongs > 2);
  let received = 0;
  stdin.on('data', (part: Buffer) => (received += part.length));
  await until('all data', () => received === 512 * (64 * 1024 - 1));
  client.close();
  await channels.closed;
});

t.test('the tunnel of a client that is gone is closed, although it is not read', async t => {
  const { client, upgrade } = await opening(t);
  const tunnel = new WebSocketTunnel(await acceptWebSocket(paced(upgrade), closingProtocol), probeMs);
  const closed = once(tunnel, 'close');
  await sendUntilBlocked(client, upgrade.socket);
  client.terminate();
  await closed;
  t.ok(tunnel.destroyed);
});
