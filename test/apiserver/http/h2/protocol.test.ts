/** Conformance of the port with RFC 9113 and RFC 7541, frame by frame. */
import t, { type Test } from 'tap';
import { frame, frameTypes, preface, settings, settingsFrame } from '../../../../lib/http2/frames.js';
import { until } from '../../../storage/until.js';
import { connectionRows } from './connection-rows.js';
import { hpackRows } from './hpack-rows.js';
import { type Line, open } from './line.js';
import { messageRows } from './message-rows.js';
import type { Row, Table } from './row.js';
import { start } from './server.js';
import { streamRows } from './stream-rows.js';
import { ack, data, endStream, get, ids, post } from './client-frames.js';

const { port } = await start(t);

/** Stream that is opened last: a connection that answers it still works. */
const probe = 10_001;
/** Limit for the outcome of a row, in milliseconds. */
const timeoutMs = 3000;

async function outcome(line: Line, on: number, settled: boolean): Promise<string> {
  const over = (): boolean =>
    line.closed || (line.reply(probe).end !== undefined && (settled || line.reply(on).end !== undefined));
  const inTime = await until('the outcome of the row', over, timeoutMs).then(
    () => true,
    () => false,
  );
  if (line.closed) return line.goAway === undefined ? 'closed' : `GOAWAY ${line.goAway}`;
  if (!inTime && line.goAway !== undefined) return `GOAWAY ${line.goAway}, but the connection stays`;
  if (line.reply(probe).status !== 204) return 'the connection serves nobody';
  const { status, reset, end } = line.reply(on);
  // NO_ERROR after a response only means that the rest of the body is not needed (8.1).
  if (reset !== undefined && reset !== 'RST_STREAM NO_ERROR') return reset;
  return end === undefined ? 'open' : String(status);
}

async function play(t: Test, row: Row): Promise<string> {
  const { first, given, on = 1, expect, raw } = row;
  const line = await open(t, port, raw ? { settings: 'raw' } : {});
  if (first) {
    line.send(...first);
    await line.whole(1);
  }
  line.send(...(typeof given === 'function' ? given(line.settings) : given), get(probe, '/none'));
  const actual = await outcome(line, on, first !== undefined || expect.includes('open'));
  line.socket.destroy();
  return actual;
}

function run(table: Table): void {
  for (const [section, rows] of Object.entries(table))
    t.test(section, async t => {
      for (const row of rows) {
        const actual = await play(t, row);
        const { expect } = row;
        const allowed: readonly string[] = typeof expect === 'string' ? [expect] : expect;
        t.ok(allowed.includes(actual), row.name, { actual, allowed });
      }
    });
}

run(connectionRows);
run(streamRows);
run(messageRows);
run(hpackRows);

t.test('3.4 the server sends its SETTINGS first', async t => {
  const line = await open(t, port);
  const [first] = line.frames;
  t.match(first, { type: frameTypes.settings, stream: 0, flags: 0 }, 'settings');
  t.equal(line.settings.get(settings.maxStreams), 250);
  t.ok((line.settings.get(settings.initialWindow) ?? 65_535) <= 256 * 1024, 'at most 256 KiB per stream');
  t.notOk(line.settings.get(settings.enablePush), 'push is absent or disabled (6.5.2)');
});

t.test('6.5.3 each SETTINGS is acknowledged', async t => {
  const line = await open(t, port);
  line.send(settingsFrame([]), settingsFrame([[settings.maxFrame, 20_000]]), settingsFrame([[99, 1]]));
  await line.roundTrip();
  const acks = line.frames.filter(one => one.type === frameTypes.settings && (one.flags & ack) !== 0);
  t.equal(acks.length, 4);
  t.ok(acks.every(one => one.payload.length === 0 && one.stream === 0));
});

t.test('6.7 PING is answered with its content', async t => {
  const line = await open(t, port);
  const said = ['01234567', '\0\0\0\0\0\0\0\0', 'the last'];
  line.send(...said.map(content => frame(frameTypes.ping, 0, 0, Buffer.from(content))));
  const pings = await line.received(frameTypes.ping, 3);
  t.same(
    pings.map(one => one.payload.toString()),
    said,
  );
  t.ok(pings.every(one => one.flags === ack && one.stream === 0));
});

t.test('bytes one by one', async t => {
  const line = await open(t, port, { settings: 'raw' });
  const bytes = Buffer.concat([
    preface,
    settingsFrame([]),
    post(1, '/echo'),
    data(1, 'some'),
    data(1, 'more', endStream),
  ]);
  for (let at = 0; at < bytes.length; at++) line.send(bytes.subarray(at, at + 1));
  t.match(await line.whole(1), { status: 200, end: 'END_STREAM', body: /"bytes":8/ });
});

t.test('all frames in one packet', async t => {
  const line = await open(t, port, { settings: 'raw' });
  const streams = ids(200);
  line.send(preface, settingsFrame([]), ...streams.flatMap(id => [post(id, '/echo'), data(id, String(id), endStream)]));
  for (const id of streams) t.match(await line.whole(id), { status: 200, end: 'END_STREAM' });
});

t.test('HPACK 4.2: the client reduces the header table', async t => {
  const line = await open(t, port, { settings: [[settings.headerTableSize, 0]] });
  line.send(get(1, '/none'), get(3, '/none'));
  await line.whole(3);
  const [first] = await line.received(frameTypes.headers);
  t.equal(first?.payload[0], 0x20, 'the new size comes first');
  t.equal(line.reply(3).status, 204, 'and no dynamic entries are used');
});

t.test('6.8 GOAWAY by the client', async t => {
  const line = await open(t, port);
  line.send(post(1, '/echo'), frame(frameTypes.goAway, 0, 0, Buffer.concat([Buffer.alloc(8), Buffer.from('bye')])));
  await line.roundTrip();
  line.send(data(1, 'still', 0), data(1, 'done', endStream));
  t.match(await line.whole(1), { status: 200, end: 'END_STREAM', body: /"bytes":9/ });
  t.match(await line.ends(), /^(?:closed|GOAWAY NO_ERROR)$/, 'the connection ends after the last stream');
});
