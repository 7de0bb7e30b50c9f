/** Hostile HTTP/2 clients: their cost is bounded, and others are served meanwhile. */
import t, { type Test } from 'tap';
import type { ApiServer } from '../../../../apiserver/http/api-server.js';
import { answer } from '../../../../apiserver/http/answer.js';
import { defaults, preface, settings, settingsFrame } from '../../../../lib/http2/frames.js';
import { wallSlowness } from '../../../stalls/slowness.js';
import { until } from '../../../storage/until.js';
import { type Line, type Opening, open } from './line.js';
import { floods, many, streams } from './floods.js';
import { byPath, filler, left, start } from './server.js';
import * as clientFrames from './client-frames.js';

const { block, continuation, data, endHeaders, endStream, get, headers, ids, lasting } = clientFrames;
const { nothing, number, post, pseudo, resetStream, windowUpdate } = clientFrames;

const request = block(pseudo('/none'));
const mib = 1 << 20;

/** Limit for the response to another client, in milliseconds on the machine on which the limits were set. */
const promptMs = 3000;

/** Reports whether an answer has come promptly, on a machine that may be slow or busy. */
const isPrompt = (ms: number): boolean => ms < promptMs || ms < promptMs * wallSlowness();

async function promptly(t: Test, { port }: ApiServer, name = 'others are served'): Promise<void> {
  const began = performance.now();
  const line = await open(t, port);
  line.send(get(1, '/none'));
  t.equal((await line.whole(1)).status, 204, name);
  t.ok(isPrompt(performance.now() - began), 'promptly');
  line.socket.destroy();
}

const holdsBack = Symbol('holds back');

/** Looks at a socket, within half a second or more, after which the server has not read for long. */
const maxLooks = 70;

/** Resolves when the written data is sent, or the connection has ended, or to `holdsBack` if the server does not read for many turns. */
async function written({ socket }: Line): Promise<typeof holdsBack | undefined> {
  const isSent = (): boolean => socket.destroyed || !socket.writableNeedDrain;
  let looks = 0;
  await until('the data is sent, or is not read', () => isSent() || looks++ > maxLooks);
  return isSent() ? undefined : holdsBack;
}

/** Repeats a piece until the server ends the connection, does not read, or has taken this many bytes. */
async function flood(line: Line, piece: (turn: number) => Uint8Array, bytes: number): Promise<void> {
  for (let turn = 0, sent = 0; sent < bytes && !line.closed; turn++) {
    const next = piece(turn);
    sent += next.length;
    line.send(next);
    if ((await written(line)) === holdsBack) return;
  }
}

/** Returns by how many bytes the resident memory grows. */
async function grownBy(work: () => Promise<unknown>): Promise<number> {
  const before = process.memoryUsage.rss();
  await work();
  return process.memoryUsage.rss() - before;
}

t.test('floods', async t => {
  const server = await start(t);
  for (const { name, first, piece, bytes = 2 * mib, opening, ends } of floods)
    await t.test(name, async t => {
      const line = await open(t, server.port, opening);
      const grown = await grownBy(async () => {
        if (first) line.send(first);
        await flood(line, piece, bytes);
        await promptly(t, server);
      });
      t.ok(grown < 64 * mib, `${Math.round(grown / mib)} MiB`);
      if (ends) t.match(await line.ends(), /^(?:closed|GOAWAY (?!NO_ERROR))/, 'the connection ends');
      line.socket.destroy();
      await until('no requests are left', () => server.inFlight === 0);
    });
});

t.test('streams that are reset immediately', async t => {
  let atWork = 0;
  let most = 0;
  let finish = (): void => undefined;
  const finished = new Promise<void>(resolve => (finish = resolve));
  const server = await start(
    t,
    byPath({
      // The handler continues after the client has left, as a call of another server would.
      '/work': async request => {
        most = Math.max(most, ++atWork);
        await finished;
        atWork--;
        answer(request, 204, undefined, undefined);
      },
    }),
  );
  const line = await open(t, server.port);
  await flood(
    line,
    streams(id => Buffer.concat([get(id, '/work'), resetStream(id)])),
    10_000 * get(1, '/work').length,
  );
  await promptly(t, server);
  t.ok(most < 2000, `${most} requests were started`);
  t.match(line.goAway ?? 'ENHANCE_YOUR_CALM', 'ENHANCE_YOUR_CALM');
  finish();
  await until('no requests are left', () => server.inFlight === 0);
});

const frameSize = (line: Line): number => Math.min(line.settings.get(settings.maxFrame) ?? defaults.maxFrame, 1 << 17);

/** Splits a header block into as few frames as possible. */
function split(line: Line, stream: number, content: Buffer): Buffer {
  const size = frameSize(line);
  const frames: Buffer[] = [];
  for (let at = 0; at < content.length; at += size) {
    const part = content.subarray(at, at + size);
    const last = at + size >= content.length ? endHeaders : 0;
    frames.push(at === 0 ? headers(stream, part, endStream | last) : continuation(stream, part, last));
  }
  return Buffer.concat(frames);
}

const fields = (count: number, bytes: number): Buffer =>
  Buffer.concat(Array.from({ length: count }, (_, index) => clientFrames.field(`x-flag-${index}`, 'a'.repeat(bytes))));

t.test('header blocks that are too large', async t => {
  const server = await start(t);
  const rows = [
    {
      name: 'references to one large field',
      more: Buffer.concat([lasting('x-bomb', 'b'.repeat(4000)), Buffer.alloc(100_000, 0x80 | 62)]),
    },
    {
      name: 'references to one small field',
      more: Buffer.concat([lasting('x', ''), Buffer.alloc(100_000, 0x80 | 62)]),
    },
    { name: 'more than 1 MiB', more: fields(30, 40_000) },
    { name: 'one field of more than 1 MiB', more: fields(1, 1_100_000) },
    { name: 'cookies', more: Buffer.concat([lasting('cookie', 'c'.repeat(4000)), Buffer.alloc(10_000, 0x80 | 62)]) },
  ];
  for (const { name, more } of rows)
    await t.test(name, async t => {
      const line = await open(t, server.port);
      const began = performance.now();
      const grown = await grownBy(async () => {
        line.send(split(line, 1, Buffer.concat([request, more])));
        await until('the outcome', () => [line.closed, line.goAway, line.reply(1).end].some(Boolean));
        const { status, reset } = line.reply(1);
        const came = line.goAway === undefined ? (reset ?? String(status)) : `GOAWAY ${line.goAway}`;
        t.match(came, /^(?:431|RST_STREAM (?!NO_ERROR).*|GOAWAY (?!NO_ERROR).*)$/, 'it is refused');
      });
      t.ok(isPrompt(performance.now() - began), 'quickly');
      t.ok(grown < 64 * mib, `${Math.round(grown / mib)} MiB`);
      await promptly(t, server);
    });
  const line = await open(t, server.port);
  line.send(split(line, 1, Buffer.concat([request, fields(50, 10_000)])));
  t.equal((await line.whole(1)).status, 204, 'half of the limit is accepted');
});

t.test('windows of one byte', async t => {
  const server = await start(t);
  const line = await open(t, server.port, { settings: [[settings.initialWindow, 0]] });
  line.send(get(1, '/large?bytes=100000'));
  await flood(line, many(windowUpdate(1, 1)), 20_000 * windowUpdate(1, 1).length);
  await promptly(t, server);
  await until('it is sent, or ended', () => line.closed || line.data(1) >= 20_000);
  t.match(line.goAway ?? 'ENHANCE_YOUR_CALM', 'ENHANCE_YOUR_CALM');
});

t.test('settings that move many windows repeatedly', async t => {
  const server = await start(t);
  const line = await open(t, server.port, { settings: [[settings.initialWindow, 0]] });
  line.send(...ids(250).map(id => get(id, '/large?bytes=100000')));
  const flip = Buffer.concat([1, 0].map(value => settingsFrame([[settings.initialWindow, value]])));
  await flood(line, many(flip), 10_000 * flip.length);
  await promptly(t, server);
  t.match(line.goAway ?? 'ENHANCE_YOUR_CALM', 'ENHANCE_YOUR_CALM');
  line.socket.destroy();
  await until('no requests are left', () => server.inFlight === 0);
});

t.test('250 large responses that are never read', async t => {
  const large = filler(4 * mib);
  let answered = 0;
  const server = await start(
    t,
    byPath({
      '/shared': request => {
        answered++;
        answer(request, 200, 'text/plain', large);
      },
      '/pieces': async request => {
        answered++;
        const stream = request.exchange.stream(200, {});
        for (let at = 0; at < 64 && !stream.closed; at++)
          if (!stream.write(large.subarray(0, 65_536))) await Promise.race([stream.drained(), left(request)]);
        stream.end();
        request.done(200, 0);
      },
    }),
  );
  const widest = 2 ** 31 - 1;
  for (const path of ['/shared', '/pieces']) {
    const opening: Opening = { neverReads: true, settings: [[settings.initialWindow, widest]] };
    const line = await open(t, server.port, opening);
    answered = 0;
    const grown = await grownBy(async () => {
      line.send(windowUpdate(0, widest - defaults.window), ...ids(250).map(id => get(id, path)));
      await until('all are answered', () => answered === 250 || line.closed);
      await promptly(t, server);
    });
    t.ok(grown < 128 * mib, `${path}: ${Math.round(grown / mib)} MiB`);
    line.socket.destroy();
  }
});

t.test('idle connections', async t => {
  const server = await start(t);
  const rows: readonly { readonly name: string; readonly given: Buffer }[] = [
    { name: 'nothing', given: nothing },
    { name: 'half a preface', given: preface.subarray(0, 12) },
    { name: 'a preface', given: preface },
    { name: 'half a frame', given: Buffer.concat([preface, settingsFrame([]), Buffer.from([0, 0, 4])]) },
    { name: 'half a header block', given: Buffer.concat([preface, settingsFrame([]), headers(1, request, 0)]) },
    { name: 'half a body', given: Buffer.concat([preface, settingsFrame([]), post(1, '/echo'), data(1, 'half')]) },
  ];
  const lines: Line[] = [];
  for (const { name, given } of rows) {
    const line = await open(t, server.port, { settings: 'raw' });
    if (given.length > 0) line.send(given);
    lines.push(line);
    await promptly(t, server, name);
  }
  await server.stop(100);
  await until('they end with the server', () => lines.every(({ closed }) => closed));
});

t.test('garbage instead of a preface', async t => {
  const server = await start(t);
  const rows = [
    { name: 'zeros', given: Buffer.alloc(1000) },
    { name: 'ones', given: Buffer.alloc(1000, 0xff) },
    { name: 'another protocol', given: Buffer.from('SSH-2.0-OpenSSH_9.6\r\nand much more of it\r\n') },
    { name: 'TLS in TLS', given: Buffer.from('16030100f8010000f40303aabbccddeeff00112233445566778899aabb', 'hex') },
    { name: 'many integers', given: number(...ids(1000)) },
  ];
  for (const { name, given } of rows) {
    const line = await open(t, server.port, { settings: 'raw' });
    line.send(given);
    t.match(await line.ends(), /^(?:closed|GOAWAY (?!NO_ERROR))/, name);
  }
  await promptly(t, server);
});

t.test('a client that did not read large responses is served as soon as it reads', async t => {
  const server = await start(t);
  const wide = 2 ** 31 - 1;
  const line = await open(t, server.port, { settings: [[settings.initialWindow, wide]] });
  line.send(windowUpdate(0, wide - defaults.window));
  await line.roundTrip();
  line.socket.pause();
  const asked = ids(4);
  line.send(...asked.map(id => get(id, `/large?bytes=${8 * mib}`)));
  // Each is answered after the waiting bodies; at some point the server stops reading.
  await flood(line, many(clientFrames.ping()), 16 * mib);
  line.send(get(101, '/none'));
  line.socket.resume();
  await until('it is answered', () => line.closed || line.reply(101).end !== undefined);
  t.equal(line.reply(101).status, 204);
  t.ok(line.data() < asked.length * 8 * mib, `${Math.round(line.data() / mib)} MiB came before`);
});
