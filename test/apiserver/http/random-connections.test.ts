/** Random sequences of requests over HTTP/1.1, whole and broken, pipelined and cut anywhere: other clients are served, and nothing remains. */
import { once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import tls from 'node:tls';
import t from 'tap';
import { answer, answerValue, pageNotFound } from '../../../apiserver/http/answer.js';
import type { ApiServer } from '../../../apiserver/http/api-server.js';
import type { RequestFilter } from '../../../apiserver/http/filters.js';
import { type Random, random } from '../../random.js';
import { until } from '../../storage/until.js';
import { identity, start } from './h2/server.js';

const large = Buffer.alloc(300_000, 'x');

/** Handles a request in one of the ways that the server has, by its path. */
const route: RequestFilter = async request => {
  const { exchange } = request;
  const { path } = request.info;
  if (path === '/missing') throw pageNotFound();
  if (path === '/late') await turn();
  if (path === '/large') return answer(request, 200, undefined, large);
  if (path === '/upgrade' && exchange.upgrades !== undefined) {
    const upgrade = exchange.takeOver();
    upgrade?.socket.on('error', () => undefined);
    upgrade?.socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n');
    upgrade?.socket.on('data', (bytes: Buffer) => upgrade.socket.write(bytes)).on('end', () => upgrade.socket.end());
    return request.release();
  }
  if (path === '/incoming') {
    let size = 0;
    try {
      for await (const piece of exchange.incoming() ?? []) if ((size += piece.length) > 10_000) break;
    } catch {
      size = -1; // The client is gone.
    }
    return answerValue(request, 200, { size });
  }
  if (path === '/stream') {
    const stream = exchange.stream(200, {});
    for (let i = 0; i < 20; i++) if (!stream.write(large)) await stream.drained();
    stream.end();
    return request.release();
  }
  answerValue(request, 200, { size: (await exchange.body(50_000)).length });
};

const chunkedBodies = [
  '0\r\n\r\n',
  '2\r\n{}\r\n0\r\n\r\n',
  '5\r\nabc',
  'zz\r\n',
  '0\r\nk: v\r\n\r\n',
  `${'1\r\nx\r\n'.repeat(3000)}0\r\n\r\n`,
];
const garbage = ['garbage\r\n\r\n', 'GET / HTTP/9.9\r\n\r\n', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', '\r\n\r\n', '\0\0\0'];

/** Returns the lines of headers and the body of a request. */
function restOf({ below, pick }: Random): readonly [headers: readonly string[], body: string] {
  const length = (body: string): readonly [readonly string[], string] => [[`content-length: ${body.length}`], body];
  switch (below(9)) {
    case 0:
    case 1:
      return [['transfer-encoding: chunked'], pick(chunkedBodies)];
    case 2:
      return length(pick(['{}', '', 'x'.repeat(40_000), 'x'.repeat(70_000)]));
    case 3:
      return [['content-length: 10'], 'cut off'];
    case 4:
      return [['connection: upgrade', `upgrade: ${pick(['websocket', 'h2c', 'test'])}`], pick(['', 'early bytes'])];
    case 5:
      return [[`expect: ${pick(['100-continue', '100-continue', 'more'])}`, 'content-length: 2'], pick(['', '{}'])];
    case 6:
      return [pick([['connection: close'], ['host: y'], ['transfer-encoding: chunked', 'content-length: 3']]), ''];
    default:
      return [[], ''];
  }
}

const methods = ['GET', 'GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'CONNECT', 'TRACE'];
const paths = ['/', '/late', '/late', '/missing', '/large', '/upgrade', '/upgrade', '/incoming', '/stream'];

function requestOf(from: Random): string {
  if (from.chance(0.05)) return from.pick(garbage);
  const [headers, body] = restOf(from);
  const line = `${from.pick(methods)} ${from.pick(paths)} HTTP/1.${from.chance(0.1) ? 0 : 1}`;
  return [line, ...(from.chance(0.05) ? [] : ['host: x']), ...headers, '', body].join('\r\n');
}

async function connect({ port }: ApiServer): Promise<tls.TLSSocket> {
  const socket = tls.connect({ host: '127.0.0.1', port, ...identity, ALPNProtocols: ['http/1.1'] });
  socket.on('error', () => undefined);
  await once(socket, 'secureConnect');
  return socket;
}

/** Sends some requests in pieces, and leaves in one of the ways that clients have. */
async function visit(server: ApiServer, from: Random): Promise<void> {
  const socket = await connect(server);
  const bytes = Buffer.from(Array.from({ length: 1 + from.below(5) }, () => requestOf(from)).join(''));
  if (from.chance(0.8)) socket.resume();
  const pieces = from.pick([1, 1, 2, 5]);
  const size = Math.ceil(bytes.length / pieces);
  for (let at = 0; at < bytes.length && !socket.destroyed; at += size) {
    socket.write(bytes.subarray(at, at + size));
    for (let turns = from.below(5); turns > 0; turns--) await turn();
  }
  if (from.chance(0.3)) socket.end();
  // An answer may never come: the request may be incomplete.
  else for (let turns = from.below(100); turns > 0 && !socket.destroyed; turns--) await turn();
  socket.destroy();
}

const visits = 400;
const visitors = 20;

t.test('random connections end no others, and nothing remains of them', async t => {
  const server = await start(t, route);
  const seed = Number(process.env['SEED'] ?? 1);
  t.comment(`SEED=${seed}`);
  let next = 0;
  const visitor = async (): Promise<void> => {
    while (next < visits) await visit(server, random(seed + next++));
  };
  await Promise.all(Array.from({ length: visitors }, visitor));
  await until('no requests are left', () => server.inFlight === 0);
  const socket = await connect(server);
  t.teardown(() => socket.destroy());
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  const [bytes] = (await once(socket, 'data')) as [Buffer];
  t.match(bytes.toString(), /^HTTP\/1.1 200 OK\r\n/);
});
