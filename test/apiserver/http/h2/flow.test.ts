/** Flow control in both directions: a stream that waits for its window continues with it, and does not block others. */
import t, { type Test } from 'tap';
import { defaults, settings, settingsFrame } from '../../../../lib/http2/frames.js';
import { until } from '../../../storage/until.js';
import { type Line, open } from './line.js';
import { filler, start } from './server.js';
import { Uploads } from './upload.js';
import * as clientFrames from './client-frames.js';

const { data, get, ids, post, resetStream, windowUpdate } = clientFrames;

const most = 2 ** 31 - 1;
const wide = [settings.initialWindow, most] as const;
const large = (stream: number, bytes: number): Buffer => get(stream, `/large?bytes=${bytes}`);
const { port } = await start(t);

/** Asserts that this many bytes arrive, and no more. */
async function stays(t: Test, line: Line, bytes: number, name: string): Promise<void> {
  await until(name, () => line.closed || line.data() >= bytes, 5000);
  await line.roundTrip();
  t.equal(line.data(), bytes, name);
}

t.test('a response larger than the windows', async t => {
  const line = await open(t, port, { settings: [[settings.initialWindow, 1000]] });
  line.send(large(1, 100_000));
  await stays(t, line, 1000, 'the window of the stream');
  line.send(windowUpdate(0, 5));
  await stays(t, line, 1000, 'one of the connection alone is none');
  line.send(windowUpdate(1, 1));
  await stays(t, line, 1001, 'one byte more');
  line.send(windowUpdate(1, 200_000));
  await stays(t, line, 65_540, 'the window of the connection');
  line.send(windowUpdate(0, 34_459));
  await stays(t, line, 99_999, 'all but one byte');
  t.equal(line.reply(1).end, undefined);
  line.send(windowUpdate(0, 1));
  const { body, end } = await line.whole(1);
  t.equal(end, 'END_STREAM');
  t.ok(body === filler(100_000).toString(), 'no data is lost');
});

t.test('windows below 0', async t => {
  const line = await open(t, port, { settings: [[settings.initialWindow, 1000]] });
  line.send(large(1, 5000));
  await stays(t, line, 1000, 'the window of the stream');
  line.send(settingsFrame([[settings.initialWindow, 10]]), windowUpdate(1, 990));
  await stays(t, line, 1000, 'what is given fills up what is missing');
  line.send(windowUpdate(1, 1));
  await stays(t, line, 1001, 'one byte more');
  line.send(
    settingsFrame([
      [settings.initialWindow, 1],
      [settings.initialWindow, 20],
    ]),
  );
  await stays(t, line, 1011, 'the last of two counts');
  line.send(settingsFrame([[settings.initialWindow, 100_000]]));
  t.equal((await line.whole(1)).body.length, 5000);
});

t.test('frames have at most the size that the client accepts', async t => {
  const line = await open(t, port, { settings: [wide] });
  line.send(windowUpdate(0, 1 << 24), large(1, 300_000));
  await line.whole(1);
  line.send(settingsFrame([[settings.maxFrame, 20_000]]), large(3, 300_000));
  await line.whole(3);
  line.send(settingsFrame([[settings.maxFrame, 16_384]]), large(5, 300_000));
  await line.whole(5);
  const largest = (stream: number): number =>
    Math.max(...line.frames.filter(one => one.stream === stream).map(one => one.payload.length));
  t.ok(largest(1) <= 16_384, 'the default');
  t.ok(largest(3) <= 20_000, 'its setting');
  t.ok(largest(5) <= 16_384, 'its later setting');
  t.equal(line.data(), 900_000);
});

t.test('responses share the window of the connection', async t => {
  const line = await open(t, port, { settings: [wide] });
  line.send(large(1, 4 << 20));
  await stays(t, line, 65_535, 'the first takes all there is');
  line.send(large(3, 4 << 20), large(5, 4 << 20));
  await line.roundTrip();
  for (let turn = 1; turn <= 30; turn++) {
    line.send(windowUpdate(0, 65_535));
    await until('it is used', () => line.closed || line.data() === 65_535 * (turn + 1), 5000);
  }
  for (const stream of [1, 3, 5]) t.ok(line.data(stream) > 65_535 * 5, `stream ${stream} has its share`);
});

t.test('a stream that is not read does not block others', async t => {
  const line = await open(t, port, { settings: [[settings.initialWindow, 0]] });
  const others = ids(50, 3);
  line.send(windowUpdate(0, 1 << 24), large(1, 1 << 20), ...others.map(id => large(id, 10_000)));
  line.send(...others.map(id => windowUpdate(id, 10_000)));
  for (const id of others) t.equal((await line.whole(id)).body.length, 10_000);
  t.equal(line.data(1), 0);
  line.send(windowUpdate(1, 1 << 20));
  t.equal((await line.whole(1)).body.length, 1 << 20, 'it continues');
});

t.test('a response without a body needs no window', async t => {
  const line = await open(t, port, { settings: [[settings.initialWindow, 0]] });
  line.send(get(1, '/none'), large(3, 0));
  t.match(await line.whole(1), { status: 204, end: 'END_STREAM' });
  t.match(await line.whole(3), { status: 200, end: 'END_STREAM', body: '' });
});

const allowedAhead = 256 * 1024;

t.test('uploads', async t => {
  const rows = [
    { name: 'one', streams: [1], bytes: 8 << 20 },
    { name: 'many concurrent uploads', streams: ids(40), bytes: 200_000 },
    { name: 'larger than the windows', streams: ids(200), bytes: 20_000 },
  ];
  for (const { name, streams, bytes } of rows) {
    const line = await open(t, port);
    const uploads = new Uploads(line);
    line.send(...streams.map(id => post(id, '/echo')));
    await uploads.send(...streams.map(stream => ({ stream, bytes })));
    const replies = await Promise.all(streams.map(id => line.whole(id)));
    const whole = new RegExp(`"bytes":${bytes}\\b`);
    t.ok(
      replies.every(({ status, body }) => status === 200 && whole.test(body)),
      name,
    );
    t.ok(uploads.maxAhead <= allowedAhead, `at most ${uploads.maxAhead} bytes of one stream`);
  }
});

t.test('padding counts', async t => {
  const line = await open(t, port);
  line.send(post(1, '/echo'));
  await new Uploads(line).send({ stream: 1, bytes: 2500, padded: true });
  t.match(await line.whole(1), { status: 200, body: /"bytes":2500\b/ });
});

t.test('bodies that are not read', async t => {
  const line = await open(t, port);
  const uploads = new Uploads(line);
  const streams = ids(1000);
  for (const [index, stream] of streams.entries()) {
    line.send(post(stream, '/ignore'));
    await uploads.send({ stream, bytes: 20_000 });
    if (index % 3 === 2) line.send(resetStream(stream));
  }
  await until('the last has its answer', () => line.closed || line.reply(1999).status > 0, 5000);
  t.notOk(line.closed);
  const stream = 2001;
  line.send(post(stream, '/echo'));
  await uploads.send({ stream, bytes: 1 << 20 });
  t.match(await line.whole(stream), { status: 200, body: /"bytes":1048576\b/ }, 'others have window left');
});

t.test('bodies whose stream is reset', async t => {
  const line = await open(t, port);
  const uploads = new Uploads(line);
  for (const stream of ids(200)) {
    line.send(post(stream, '/wait', ['content-length', '1000000']));
    await uploads.send({ stream, bytes: 10_000 });
    line.send(resetStream(stream));
  }
  line.send(post(401, '/echo'));
  await uploads.send({ stream: 401, bytes: 1 << 20 });
  t.match(await line.whole(401), { status: 200, body: /"bytes":1048576\b/ });
});

t.test('bodies of streams that the server has reset', async t => {
  const line = await open(t, port);
  const streams = ids(150);
  let sent = 0;
  for (const stream of streams) {
    await until(
      'the window allows more',
      () => line.closed || defaults.window + line.windowIncrease(0) - sent >= 10_000,
      5000,
    );
    // All of it is sent before the client can see the reset.
    line.send(post(stream, '/echo', ['X-Upper', 'a']), data(stream, Buffer.alloc(10_000)));
    sent += 10_000;
  }
  for (const stream of streams) t.match(await line.whole(stream), { status: 0, end: 'RST_STREAM PROTOCOL_ERROR' });
  line.send(get(301, '/none'));
  t.equal((await line.whole(301)).status, 204);
});
