/** Servers that send many small pieces over HTTP/1.1. */
import { once } from 'node:events';
import net from 'node:net';
import { performance } from 'node:perf_hooks';
import t, { type Test } from 'tap';
import { openPool } from '../../../../aggregation/remote/transport/dispatcher.js';
import type { AnswerHandler, RequestController } from '../../../../aggregation/remote/transport/pool.js';
import { until } from '../../../storage/until.js';
import { countTurns } from '../../../count-turns.js';

const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';

/** Returns the address of a server that sends these bytes on every connection, and ends it if `ends`. */
async function serverOf(t: Test, answer: string, ends = false): Promise<string> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer(socket => {
    sockets.add(socket);
    socket.on('error', () => undefined).once('data', () => (ends ? socket.end(answer) : socket.write(answer)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`;
}

/** Requests an answer over a connection of its own. */
function request(t: Test, origin: string, handler: Partial<AnswerHandler>): void {
  const pool = openPool({ server: origin }, { connections: null });
  t.teardown(() => pool.destroy());
  pool.dispatch(
    { origin, path: '/', method: 'GET', headers: {}, body: undefined, timeoutMs: 0, isLong: false },
    {
      ...{ onRequestStart: () => undefined, onResponseStart: () => undefined, onResponseData: () => undefined },
      ...{ onResponseEnd: () => undefined, onResponseError: (_, error) => t.fail(String(error)) },
      ...handler,
    },
  );
}

t.test('chunks of one byte from many servers are taken in several turns', async t => {
  const chunks = 4000;
  const answer = `${head}${'1\r\nx\r\n'.repeat(chunks)}0\r\n\r\n`;
  const loop = countTurns();
  const perTurn: number[] = [];
  let ended = 0;
  const onResponseData = (): void => {
    perTurn[loop.turns] = (perTurn[loop.turns] ?? 0) + 1;
    for (const began = performance.now(); performance.now() - began < 0.02;);
  };
  const connections = 4;
  for (let i = 0; i < connections; i++)
    request(t, await serverOf(t, answer), { onResponseData, onResponseEnd: () => void ended++ });
  await until('all answers have ended', () => ended === connections);
  loop.stop();
  t.equal(
    perTurn.reduce((sum, one) => sum + one, 0),
    connections * chunks,
  );
  // A piece of 4 KiB has 683 chunks, which take longer than the time of a turn. Two may be read before it is looked at.
  const most = Math.max(...perTurn.filter(one => one > 0));
  t.ok(most <= 2 * 683 + 10, `${most} chunks in one turn`);
});

t.test('an answer that ends with its connection is complete', async t => {
  const body = 'x'.repeat(200_000);
  const taken: Buffer[] = [];
  let hasEnded = false;
  request(t, await serverOf(t, `HTTP/1.1 200 OK\r\n\r\n${body}`, true), {
    onResponseData: (_, chunk) => void taken.push(Buffer.from(chunk)),
    onResponseEnd: () => (hasEnded = true),
  });
  await until('the answer has ended', () => hasEnded);
  t.equal(Buffer.concat(taken).toString(), body);
});

t.test('an answer whose reader pauses after each piece is complete', async t => {
  const chunks = 40;
  const body = 'x'.repeat(5000);
  let length = 0;
  let hasEnded = false;
  let controller: RequestController | undefined;
  request(t, await serverOf(t, `${head}${`1388\r\n${body}\r\n`.repeat(chunks)}0\r\n\r\n`), {
    onRequestStart: current => void (controller = current),
    onResponseData(_, chunk) {
      length += chunk.length;
      controller?.pause();
      setImmediate(() => controller?.resume());
    },
    onResponseEnd: () => (hasEnded = true),
  });
  await until('the answer has ended', () => hasEnded);
  t.equal(length, chunks * body.length);
});
