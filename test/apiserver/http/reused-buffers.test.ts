/**
 * Buffers are reused only as `ResponseStream` allows. The writers of many clients take buffers from one pool, and overwrite each buffer as soon as the
 * stream has given it up. Whatever the clients do, each receives only bytes of its own answer.
 */
import { once } from 'node:events';
import https from 'node:https';
import type { Readable } from 'node:stream';
import tls from 'node:tls';
import t, { type Test } from 'tap';
import { WebSocket } from 'ws';
import { answer } from '../../../apiserver/http/answer.js';
import type { Request } from '../../../apiserver/http/request.js';
import { isWebSocket, openWebSocket } from '../../../apiserver/http/web-socket/web-socket.js';
import { pooledBufferBytes, releaseBuffer, takeBuffer } from '../../../apiserver/negotiate/buffer-pool.js';
import { defaults, maxWindow, settings } from '../../../lib/http2/frames.js';
import { until } from '../../storage/until.js';
import { open } from './h2/line.js';
import { byPath, identity, start } from './h2/server.js';
import { get, ids, resetStream, windowUpdate } from './h2/client-frames.js';

/** Buffers of one answer: more bytes than the sockets of both sides hold. */
const chunks = 60;
const bodyBytes = chunks * pooledBufferBytes;

/** The number of chunks that were written, of writers that wait for their client, and of buffers that were given back. */
const writers = { written: 0, waiting: 0, released: 0 };
let smallAnswers = 0;

/** Fills a chunk with the letter of the client and the number of the chunk. */
const fill = (chunk: Buffer, letter: string, n: number): Buffer => chunk.fill(`${letter}${n} `);

/** Answers with the letter of the client, in buffers that are overwritten and given back as soon as they are free. */
async function writeLetters(request: Request): Promise<void> {
  const letter = request.query.get('letter') ?? '?';
  const isSized = request.query.get('sized') !== undefined;
  const stream = isWebSocket(request)
    ? await openWebSocket(request, false)
    : request.exchange.stream(200, isSized ? { 'content-length': bodyBytes } : {});
  if (!stream) throw new Error('the request is no upgrade');
  for (let n = 0; n < chunks && !stream.closed; n++) {
    const chunk = fill(takeBuffer(), letter, n);
    writers.written++;
    if (stream.write(chunk)) continue; // The stream may still refer to it.
    writers.waiting++;
    const isFree = await stream.drained();
    writers.waiting--;
    if (!isFree) continue;
    writers.released++;
    releaseBuffer(chunk.fill('!'));
  }
  stream.end();
  request.done(200, bodyBytes);
}

let unhold = (): void => undefined;

const routes = byPath({
  '/letters': writeLetters,
  '/small': request => {
    answer(request, 200, 'text/plain', Buffer.alloc(100, request.query.get('letter') ?? '?'));
    smallAnswers++;
  },
  '/hold': async request => {
    await new Promise<void>(resolve => (unhold = resolve));
    answer(request, 204, undefined, undefined);
  },
});

const letters = [...'abcdefghijklmnopqrstuvwxyz'];

/** How a client reads. `after` resolves when all other clients have read their answers. */
type Pace = 'at once' | 'in steps' | { readonly after: Promise<unknown> } | 'half of it';

/** Reads the answer of one letter. Resolves to what was received: all of it, unless the pace is 'half of it'. */
type Reading = (t: Test, port: number, letter: string, pace: Pace) => Promise<Buffer>;

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

async function readAt(pace: Pace, readable: Readable): Promise<Buffer> {
  const received: Buffer[] = [];
  let bytes = 0;
  if (typeof pace === 'object') await pace.after;
  for await (const chunk of readable as AsyncIterable<Buffer>) {
    received.push(chunk);
    bytes += chunk.length;
    if (pace === 'in steps') for (let n = 0; n < 3; n++) await turn();
    if (pace === 'half of it' && bytes > bodyBytes / 2) break;
  }
  return Buffer.concat(received);
}

const overHttp1 =
  (query: string): Reading =>
  async (t, port, letter, pace) => {
    const path = `/letters?letter=${letter}${query}`;
    const request = https.get({ host: '127.0.0.1', port, path, agent: false, ...identity });
    request.on('error', () => undefined); // The client that leaves may get one.
    t.teardown(() => request.destroy());
    const [response] = (await once(request, 'response')) as [Readable];
    return readAt(pace, response);
  };

/** The socket is read at once, but the windows are opened at the pace. */
const overWindows: Reading = async (t, port, letter, pace) => {
  const line = await open(t, port);
  line.send(get(1, `/letters?letter=${letter}`));
  await until('the window is used', () => line.data(1) === defaults.window);
  if (typeof pace === 'object') await pace.after;
  const wanted = pace === 'half of it' ? bodyBytes / 2 : bodyBytes;
  const step = pace === 'in steps' ? 100_000 : maxWindow - defaults.window;
  for (let allowed: number = defaults.window; line.data(1) < wanted && !line.closed;) {
    if (line.data(1) === allowed) {
      line.send(windowUpdate(0, step), windowUpdate(1, step));
      allowed += step;
    }
    await turn();
  }
  if (pace === 'half of it') line.send(resetStream(1));
  else await line.whole(1);
  line.socket.destroy();
  return Buffer.from(line.reply(1).body, 'latin1');
};

/** The windows are wide, but the socket is read at the pace. */
const overPausedSocket: Reading = async (t, port, letter, pace) => {
  const line = await open(t, port, { settings: [[settings.initialWindow, maxWindow]] });
  line.send(windowUpdate(0, maxWindow - defaults.window), get(1, `/letters?letter=${letter}`));
  if (typeof pace === 'object') {
    line.socket.pause();
    await pace.after;
    line.socket.resume();
  }
  const wanted = pace === 'half of it' ? bodyBytes / 2 : bodyBytes;
  while (line.data(1) < wanted && !line.closed) {
    if (pace === 'in steps') {
      line.socket.pause();
      await turn();
      line.socket.resume();
    }
    await turn();
  }
  line.socket.destroy();
  return Buffer.from(line.reply(1).body, 'latin1');
};

const overWebSocket: Reading = async (t, port, letter, pace) => {
  const socket = new WebSocket(`wss://127.0.0.1:${port}/letters?letter=${letter}`, [], identity);
  t.teardown(() => socket.terminate());
  const received: Buffer[] = [];
  let bytes = 0;
  socket.on('message', (message: Buffer) => {
    received.push(message);
    bytes += message.length;
    if (pace === 'half of it' && bytes >= bodyBytes / 2) socket.terminate();
    if (pace !== 'in steps') return;
    socket.pause();
    setImmediate(() => socket.resume());
  });
  await once(socket, 'open');
  if (typeof pace === 'object') {
    socket.pause();
    await pace.after;
    socket.resume();
  }
  if (socket.readyState !== socket.CLOSED) await once(socket, 'close');
  return Buffer.concat(received);
};

const readings: Readonly<Record<string, Reading>> = {
  'HTTP/1.1 with a length': overHttp1('&sized'),
  'HTTP/1.1 in chunks': overHttp1(''),
  'HTTP/2 with small windows': overWindows,
  'HTTP/2 with a paused socket': overPausedSocket,
  'an upgraded connection': overWebSocket,
};

/** Returns the position of the first byte that is not of the letter's answer; undefined if there is none. */
function firstOther(bytes: Buffer, letter: string): number | undefined {
  const expected = Buffer.allocUnsafe(bodyBytes);
  for (let n = 0; n < chunks; n++)
    fill(expected.subarray(n * pooledBufferBytes, (n + 1) * pooledBufferBytes), letter, n);
  if (bytes.equals(expected.subarray(0, bytes.length))) return undefined;
  return bytes.findIndex((byte, index) => byte !== expected[index]);
}

t.test('the pool reuses memory under a new Buffer, and takes no other memory', t => {
  const taken = takeBuffer();
  releaseBuffer(taken.subarray(0, 10));
  const again = takeBuffer();
  t.equal(again.buffer, taken.buffer, 'the memory is reused');
  t.not(again, taken);
  const foreign = Buffer.allocUnsafeSlow(pooledBufferBytes);
  releaseBuffer(foreign);
  t.not(takeBuffer().buffer, foreign.buffer);
  t.end();
});

t.test('clients of any transport and pace receive only their own bytes', async t => {
  const { port } = await start(t, routes);
  let resume = (): void => undefined;
  const after = new Promise<void>(resolve => (resume = resolve));
  const letter = letters.values();
  const clientsAt = (name: string, pace: Pace) =>
    Object.entries(readings).map(([transport, read]) => {
      const own = letter.next().value ?? '?';
      return { name: `${transport}, ${name}`, own, isPart: pace === 'half of it', reading: read(t, port, own, pace) };
    });
  const paused = clientsAt('after a pause', { after });
  await until('the paused clients are behind', () => writers.waiting === paused.length, 20_000);
  const others = (['at once', 'in steps', 'half of it'] as const).flatMap(pace => clientsAt(pace, pace));
  await Promise.all(others.map(({ reading }) => reading));
  await until('only the paused clients are behind', () => writers.waiting === paused.length, 20_000);
  resume();
  for (const { name, own, isPart, reading } of [...paused, ...others]) {
    const bytes = await reading;
    t.equal(firstOther(bytes, own), undefined, name);
    if (isPart) t.ok(bytes.length > 0, 'some of it was received');
    else t.equal(bytes.length, bodyBytes, 'all of it was received');
  }
  await until('the writers have ended', () => writers.waiting === 0);
  t.ok(writers.released > 10 * chunks, `${writers.released} buffers were reused`);
});

t.test('streams of one HTTP/2 connection, some of which are reset, receive only their own bytes', async t => {
  const { port } = await start(t, routes);
  const line = await open(t, port, { settings: [[settings.initialWindow, 300_000]] });
  const streams = ids(10);
  const own = (id: number): string => letters[(id - 1) / 2] ?? '?';
  const isReset = (id: number): boolean => id % 3 === 0;
  line.send(windowUpdate(0, maxWindow - defaults.window), ...streams.map(id => get(id, `/letters?letter=${own(id)}`)));
  await until('all are behind', () => writers.waiting === streams.length);
  const small = ids(100, 101);
  line.send(...small.map(id => get(id, `/small?letter=${letters[id % 26]}`)));
  for (const id of streams) line.send(isReset(id) ? resetStream(id) : windowUpdate(id, bodyBytes));
  for (const id of streams.filter(id => !isReset(id))) {
    const { body } = await line.whole(id);
    t.equal(body.length, bodyBytes);
    t.equal(firstOther(Buffer.from(body, 'latin1'), own(id)), undefined, `stream ${id}`);
  }
  for (const id of streams.filter(isReset))
    t.equal(
      firstOther(Buffer.from(line.reply(id).body, 'latin1'), own(id)),
      undefined,
      `stream ${id}, until its reset`,
    );
  for (const id of small) t.equal((await line.whole(id)).body, (letters[id % 26] ?? '?').repeat(100));
  await until('the writers have ended', () => writers.waiting === 0);
});

/** Returns the bodies of the responses on a connection, which have a length or are empty. */
function bodiesOf(received: Buffer): Buffer[] {
  const bodies: Buffer[] = [];
  for (let at = 0; at < received.length;) {
    const from = received.indexOf('\r\n\r\n', at) + 4;
    const length = Number(/content-length: (\d+)/i.exec(received.toString('latin1', at, from))?.[1] ?? 0);
    bodies.push(received.subarray(from, from + length));
    at = from + length;
  }
  return bodies;
}

/** A connection on which requests are sent without waiting for answers. It is not read before `bodies`. */
async function pipelined(t: Test, port: number) {
  const socket = tls.connect({ host: '127.0.0.1', port, ...identity });
  t.teardown(() => socket.destroy());
  await once(socket, 'secureConnect');
  return {
    ask: (path: string, more = ''): boolean => socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`),
    /** Resolves to the bodies of all answers when the server has closed the connection. */
    bodies: async (): Promise<readonly Buffer[]> => {
      const received: Buffer[] = [];
      socket.on('data', (chunk: Buffer) => received.push(chunk));
      await once(socket, 'close');
      return bodiesOf(Buffer.concat(received));
    },
  };
}

const close = 'Connection: close\r\n';

/** Reads answers of other clients, which take the buffers that are given back meanwhile. */
async function readOthers(t: Test, port: number): Promise<void> {
  const others = ['x', 'y', 'z'].map(async letter => {
    const bytes = await overHttp1('&sized')(t, port, letter, 'in steps');
    t.equal(firstOther(bytes, letter), undefined, `the answer of ${letter}`);
  });
  await Promise.all(others);
}

t.test('large answers that follow an earlier one on their HTTP/1.1 connection', async t => {
  const { port } = await start(t, routes);
  const { ask, bodies } = await pipelined(t, port);
  const former = unhold;
  ask('/hold');
  ask('/letters?letter=a&sized');
  ask('/letters?letter=b&sized', close);
  await until('the first one is served', () => unhold !== former);
  t.equal(writers.waiting, 0, 'the others wait for it');
  unhold();
  await until('the second one is behind', () => writers.waiting === 1);
  const others = readOthers(t, port);
  const [, first = Buffer.alloc(0), second = Buffer.alloc(0)] = await bodies();
  await others;
  t.same([first.length, second.length], [bodyBytes, bodyBytes]);
  t.equal(firstOther(first, 'a'), undefined);
  t.equal(firstOther(second, 'b'), undefined);
});

t.test('small requests behind a large answer that is not read, on one HTTP/1.1 connection', async t => {
  const { port } = await start(t, routes);
  const { ask, bodies } = await pipelined(t, port);
  ask('/letters?letter=a&sized');
  let polls = 0;
  let written = -1;
  await until('nothing more is written', () => {
    polls = writers.waiting === 1 && writers.written === written ? polls + 1 : 0;
    written = writers.written;
    return polls === 100;
  });
  const small = 20;
  const before = smallAnswers;
  for (let n = 1; n <= small; n++) ask('/small?letter=s', n === small ? close : '');
  await readOthers(t, port);
  t.equal(smallAnswers, before, 'they wait for it');
  const [large = Buffer.alloc(0), ...others] = await bodies();
  t.equal(large.length, bodyBytes);
  t.equal(firstOther(large, 'a'), undefined);
  t.same(
    others.map(String),
    Array.from({ length: small }, () => 's'.repeat(100)),
  );
});
