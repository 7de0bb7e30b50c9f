/**
 * Conversations that are almost valid: bytes and frames of valid ones are flipped, inserted, dropped and repeated. More rounds:
 * H2_ROUNDS=100000 H2_SEED=7 node dist/test/apiserver/http/h2/fuzz.test.js
 */
import { setImmediate as immediate } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { frame, frameTypes, preface, settings, settingsFrame } from '../../../../lib/http2/frames.js';
import { until } from '../../../storage/until.js';
import { open } from './line.js';
import { start } from './server.js';
import * as clientFrames from './client-frames.js';

const { block, continuation, data, endStream, get, headers, integer, lasting, nothing, ping, post, pseudo } =
  clientFrames;

const rounds = Number(process.env['H2_ROUNDS'] ?? 300);
const firstSeed = Number(process.env['H2_SEED'] ?? 1);
/** Number of rounds after which a new connection must be served. */
const between = 50;
const side = 5;

/** Returns pseudo-random numbers below `end`, the same for the same seed (xorshift). */
type Random = (end: number) => number;

function randomOf(seed: number): Random {
  let state = (seed * 2_654_435_761 + 1) >>> 0 || 1;
  return end => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % end;
  };
}

const request = block(pseudo('/none'));
/** A request for `/none` in Huffman code. */
const huffmanRequest = Buffer.from([0x82, 0x87, 0x04, 0x84, 0x62, 0xa3, 0xd4, 0x5f, 0x01, 0x01, 0x78]);
const newest = integer(0x80, 7, 62);
const begin = [
  preface,
  settingsFrame([
    [settings.initialWindow, 50_000],
    [settings.maxFrame, 20_000],
  ]),
];

const conversations: readonly (readonly Buffer[])[] = [
  [
    ...begin,
    get(1, '/none'),
    get(3, '/echo'),
    post(5, '/echo'),
    data(5, 'some'),
    data(5, 'more', endStream),
    ping(),
    get(7, '/none'),
  ],
  [
    ...[
      ...begin,
      headers(1, Buffer.concat([request, lasting('x-flag', 'a'.repeat(100))])),
      headers(3, Buffer.concat([request, newest])),
    ],
    ...[
      headers(5, request.subarray(0, 9), endStream),
      continuation(5, request.subarray(9, 20), 0),
      continuation(5, request.subarray(20)),
    ],
    ...[headers(7, Buffer.concat([integer(0x20, 5, 0), integer(0x20, 5, 1000), request])), headers(9, huffmanRequest)],
  ],
  [
    ...[
      ...begin,
      get(1, '/large?bytes=200000'),
      get(3, '/large?bytes=100000'),
      clientFrames.windowUpdate(1, 100_000),
      clientFrames.windowUpdate(0, 200_000),
    ],
    ...[
      settingsFrame([[settings.initialWindow, 5]]),
      clientFrames.windowUpdate(3, 70_000),
      settingsFrame([[settings.initialWindow, 100_000]]),
    ],
    ...[clientFrames.resetStream(1), get(5, '/none')],
  ],
  [
    ...[
      ...begin,
      post(1, '/echo', ['content-length', '300']),
      data(1, clientFrames.withPadding(Buffer.alloc(100), 50), clientFrames.padded),
    ],
    ...[
      post(3, '/ignore'),
      data(3, Buffer.alloc(5000)),
      post(5, '/wait'),
      data(5, 'x'),
      data(1, Buffer.alloc(200)),
      data(1, nothing),
    ],
    ...[
      headers(1, block([['x-trailer', 'a']])),
      clientFrames.resetStream(5),
      data(3, Buffer.alloc(10), endStream),
      get(7, '/none'),
    ],
  ],
  [
    ...[
      ...begin,
      frame(clientFrames.priorityFrame, 0, 1, Buffer.alloc(5)),
      get(1, '/wait'),
      post(3, '/echo', ['expect', '100-continue']),
    ],
    ...[
      data(3, 'x', endStream),
      frame(0x20, 7, 0, Buffer.alloc(9)),
      get(5, '/none'),
      frame(frameTypes.goAway, 0, 0, Buffer.alloc(8)),
    ],
  ],
];

const cut = (bytes: Buffer, from: number, to: number, ...between: readonly Buffer[]): Buffer =>
  Buffer.concat([bytes.subarray(0, from), ...between, bytes.subarray(to)]);

/** Mutations of the bytes of one frame, or of all. */
const byteMutations: readonly ((bytes: Buffer, random: Random) => Buffer)[] = [
  (bytes, random) => {
    const at = random(bytes.length);
    return cut(bytes, at, at + 1, Buffer.from([(bytes[at] ?? 0) ^ (1 << random(8))]));
  },
  (bytes, random) => {
    const at = random(bytes.length);
    return cut(bytes, at, at + 1, Buffer.from([[0, 1, 0x7f, 0x80, 0xff][random(5)] ?? 0]));
  },
  (bytes, random) => {
    const at = random(bytes.length);
    return cut(bytes, at, at, Buffer.from(Array.from({ length: 1 + random(9) }, () => random(256))));
  },
  (bytes, random) => {
    const at = random(bytes.length);
    return cut(bytes, at, at + 1 + random(9));
  },
  (bytes, random) => {
    const at = random(bytes.length);
    return cut(bytes, at, at, bytes.subarray(at, at + 1 + random(30)));
  },
];

/** Changes the length, type, flags or stream in the head of a frame. */
function changeHead(one: Buffer, random: Random): Buffer {
  const changed = Buffer.from(one);
  const at = [2, 3, 4, 8][random(4)] ?? 0;
  changed[at] = at === 8 ? random(10) : at === 3 ? random(12) : random(256);
  return changed;
}

const frameMutations: readonly ((frames: Buffer[], at: number, random: Random) => void)[] = [
  (frames, at) => frames.splice(at, 1),
  (frames, at) => frames.splice(at, 0, frames[at] ?? nothing),
  (frames, at, random) => frames.splice(random(frames.length), 0, ...frames.splice(at, 1)),
  (frames, at, random) => frames.splice(at, 1, changeHead(frames[at] ?? nothing, random)),
  (frames, at, random) => frames.splice(at, 1, changeHead(frames[at] ?? nothing, random)),
  (frames, at, random) =>
    frames.splice(at, 0, conversations[random(conversations.length)]?.at(-1 - random(5)) ?? nothing),
];

function mutated(random: Random): Buffer {
  const frames = [...(conversations[random(conversations.length)] ?? [])];
  for (let turn = random(3); turn > 0; turn--)
    frameMutations[random(frameMutations.length)]?.(frames, 1 + random(frames.length - 1), random);
  let bytes = Buffer.concat(frames);
  const least = preface.length;
  for (let turn = random(4); turn > 0; turn--) {
    const tail = byteMutations[random(byteMutations.length)]?.(bytes.subarray(least), random) ?? nothing;
    bytes = Buffer.concat([bytes.subarray(0, least), tail]);
  }
  return bytes;
}

async function round(t: Test, port: number, seed: number): Promise<void> {
  const random = randomOf(seed);
  const line = await open(t, port, { settings: 'raw' });
  const bytes = mutated(random);
  for (let at = 0; at < bytes.length;) {
    const size = 1 + random(bytes.length);
    line.send(bytes.subarray(at, at + size));
    at += size;
    for (let pause = random(4); pause > 0; pause--) await immediate();
  }
  // No more data follows, so that the server has to end the connection, whatever it waits for.
  line.socket.end();
  await until(`round ${seed} ends`, () => line.closed, 10_000);
}

const timeoutMs = 30_000 + 100 * rounds;

t.test('conversations that are almost valid do no harm', { timeout: timeoutMs }, async t => {
  const server = await start(t);
  for (let seed = firstSeed; seed < firstSeed + rounds; seed += between) {
    for (let at = seed; at < seed + between; at += side)
      await Promise.all(Array.from({ length: side }, (_, index) => round(t, server.port, at + index)));
    const fresh = await open(t, server.port);
    fresh.send(get(1, '/none'), post(3, '/echo'), data(3, 'body', endStream));
    t.equal((await fresh.whole(1)).status, 204, `after ${seed + between - firstSeed} rounds`);
    t.match(await fresh.whole(3), { status: 200, body: /"bytes":4\b/ });
    fresh.socket.destroy();
    await until('no work is left', () => server.inFlight === 0, 10_000);
  }
});
