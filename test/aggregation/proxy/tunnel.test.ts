import type { IncomingMessage } from 'node:http';
import { Duplex } from 'node:stream';
import t from 'tap';
import { tunnel } from '../../../aggregation/proxy/tunnel.js';
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
