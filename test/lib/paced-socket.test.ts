import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import t from 'tap';
import { PacedSocket } from '../../lib/paced-socket.js';
import { until } from '../storage/until.js';
import { tcpConnection } from '../tcp-connection.js';

t.test('what was sent before the end is read by a reader that comes later', async t => {
  const { client, server } = await tcpConnection(t);
  const socket = new PacedSocket(client);
  const sent = Buffer.alloc(20_000, 'x');
  server.end(sent);
  server.resume();
  client.end();
  await until('the connection is closed', () => client.destroyed);
  t.ok((await buffer(socket)).equals(sent));
  await until('the stream is closed, too', () => socket.destroyed);
});

t.test('the other end is closed at once when it breaks off', async t => {
  const { client, server } = await tcpConnection(t);
  const socket = new PacedSocket(client);
  socket.on('error', () => undefined);
  server.resetAndDestroy();
  await until('the stream is closed', () => socket.destroyed);
});

t.test('what many connections bring in one turn is passed on in several', async t => {
  const turnMs = 3;
  let turn = 0;
  let isOver = false;
  const count = (): void => {
    turn++;
    if (!isOver) setImmediate(count);
  };
  count();
  const turns: number[] = [];
  const all = Array.from({ length: 20 }, () => {
    const from = new PassThrough();
    new PacedSocket(from, undefined, 32 * 1024).on('data', () => {
      turns.push(turn);
      for (const began = performance.now(); performance.now() - began < turnMs;);
    });
    return from;
  });
  for (const from of all) from.write(Buffer.alloc(32 * 1024));
  await until('all have arrived', () => turns.length === all.length);
  isOver = true;
  const perTurn = Math.max(...turns.map(each => turns.filter(other => other === each).length));
  t.ok(perTurn <= 5, `${perTurn} in one turn`);
});
