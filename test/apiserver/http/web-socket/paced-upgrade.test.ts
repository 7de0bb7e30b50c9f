/** WebSockets are read in small pieces, in turns, and lose nothing. */
import { once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import t, { type Test } from 'tap';
import type { WebSocket } from 'ws';
import { paced } from '../../../../apiserver/http/web-socket/paced-upgrade.js';
import { acceptWebSocket } from '../../../../apiserver/http/web-socket/web-socket.js';
import { until } from '../../../storage/until.js';

/** A masked message of one byte. */
const smallest = Buffer.from([0x82, 0x81, 0, 0, 0, 0, 0x78]);
/** A masked close with the code 1000. */
const close = Buffer.from([0x88, 0x82, 0, 0, 0, 0, 0x03, 0xe8]);
const perSocket = 30_000;

interface Server {
  /** Opens a WebSocket whose client has sent `first` together with its request. */
  readonly open: (first?: Buffer) => Promise<{ client: net.Socket; socket: WebSocket }>;
}

async function serving(t: Test): Promise<Server> {
  const server = http.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return {
    async open(first = Buffer.alloc(0)) {
      const client = net.connect((server.address() as AddressInfo).port, '127.0.0.1');
      client.on('error', () => undefined).resume();
      t.teardown(() => client.destroy());
      const head =
        'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
        'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n';
      client.write(Buffer.concat([Buffer.from(head), first]));
      const [request, socket, rest] = (await once(server, 'upgrade')) as [http.IncomingMessage, Duplex, Buffer];
      return { client, socket: await acceptWebSocket(paced({ request, socket, head: rest }), '') };
    },
  };
}

t.test('a turn of the event loop takes a part of the messages that have arrived', async t => {
  const { open } = await serving(t);
  const opened = await Promise.all(Array.from({ length: 5 }, () => open()));
  let received = 0;
  let inTurn = 0;
  let most = 0;
  for (const { socket } of opened)
    socket.on('message', () => {
      received++;
      if (inTurn++ === 0)
        setImmediate(() => {
          most = Math.max(most, inTurn);
          inTurn = 0;
        });
      for (const end = performance.now() + 0.01; performance.now() < end;);
    });
  const all = Buffer.concat(Array.from({ length: perSocket }, () => smallest));
  for (const { client } of opened) client.write(all);
  await until('all messages', () => received === opened.length * perSocket);
  // 8 ms have room for 800, and the last piece has 586; one read of a socket has some 9,000.
  t.ok(most < 3000, `${most} messages in one turn`);
});

t.test('what comes with the request, and before the end of the connection, is received', async t => {
  const { open } = await serving(t);
  const { client, socket } = await open(Buffer.concat([smallest, smallest]));
  let received = 0;
  const closed = once(socket, 'close');
  socket.on('message', () => received++);
  client.end(Buffer.concat([...Array.from({ length: 20_000 }, () => smallest), close]));
  const [code] = (await closed) as [number];
  t.equal(received, 20_002);
  t.equal(code, 1000);
});

t.test('answers are sent in their order, and end with the WebSocket', async t => {
  const { open } = await serving(t);
  const { client, socket } = await open();
  const parts: Buffer[] = [];
  client.on('data', (part: Buffer) => parts.push(part));
  for (let i = 0; i < 300; i++) socket.send(Buffer.alloc(2000, i), { binary: true });
  await until('all answers', () => socket.bufferedAmount === 0);
  socket.terminate();
  await once(client, 'close');
  const bytes = Buffer.concat(parts);
  const answers = bytes.subarray(bytes.indexOf('\r\n\r\n') + 4);
  t.equal(answers.length, 300 * 2004);
  t.same(
    Array.from({ length: 300 }, (_, i) => answers[i * 2004 + 4]),
    Array.from({ length: 300 }, (_, i) => i % 256),
  );
});
