import { once } from 'node:events';
import { createDeflate, constants } from 'node:zlib';
import { buffer, text } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import { dictionary } from '../../../lib/spdy/dictionary.js';
import { controlFrame, dataHead, spdyFrames } from '../../../lib/spdy/frames.js';
import { SpdyHeaderReader, SpdyHeaderWriter } from '../../../lib/spdy/header-blocks.js';
import { SpdySession } from '../../../lib/spdy/session.js';
import type { SpdyStream } from '../../../lib/spdy/stream.js';
import { until } from '../../storage/until.js';
import { tcpConnection } from '../../tcp-connection.js';

async function sessions(t: Test, onStream: (stream: SpdyStream) => void, maxStreams = 10) {
  const sockets = await tcpConnection(t);
  const server = new SpdySession(sockets.server, Buffer.alloc(0), { isServer: true, maxStreams, onStream });
  const client = new SpdySession(sockets.client, Buffer.alloc(0), { isServer: false, maxStreams: 0 });
  return { client, server, sockets };
}

t.test('the dictionary has the checksum of the specification', async t => {
  const block = new SpdyHeaderWriter().write({ a: 'b' });
  t.equal(dictionary.length, 1423);
  t.equal(block.readUInt32BE(2), 0xe3c6a7c2);
});

t.test('headers of zlib with its matches across blocks are read, too', async t => {
  const deflate = createDeflate({ dictionary, flush: constants.Z_SYNC_FLUSH });
  const reader = new SpdyHeaderReader();
  const plain = new SpdyHeaderWriter().write({ streamType: 'stdin', port: '8080' }).subarray(6 + 5, -5);
  for (let i = 0; i < 3; i++) {
    const parts: Buffer[] = [];
    const take = (part: Buffer): number => parts.push(part);
    deflate.on('data', take);
    await new Promise(resolve => deflate.write(plain, resolve));
    deflate.off('data', take);
    const headers = await reader.read(Buffer.concat(parts));
    t.same(
      [...headers],
      [
        ['streamtype', ['stdin']],
        ['port', ['8080']],
      ],
    );
  }
  reader.close();
  await t.rejects(reader.read(plain));
});

t.test('data passes in both directions, and each direction ends alone', async t => {
  const { client } = await sessions(t, stream => {
    t.equal(stream.header('streamtype'), 'echo');
    stream.pipe(stream);
  });
  const stream = client.open({ streamType: 'echo' });
  await stream.accepted;
  const sent = 'x'.repeat(300_000);
  stream.end(sent);
  t.equal(await text(stream), sent);
  client.close();
  await client.closed;
});

t.test('a reader that is behind stops the reading of the connection', async t => {
  let receiving: SpdyStream | undefined;
  const { client, sockets } = await sessions(t, stream => (receiving = stream));
  const stream = client.open({});
  await stream.accepted;
  const chunk = Buffer.alloc(64 * 1024);
  const chunks = 512;
  for (let i = 0; i < chunks; i++) stream.write(chunk);
  stream.end();
  await until('a full buffer', () => sockets.server.isPaused() && sockets.client.writableNeedDrain);
  t.ok((receiving?.readableLength ?? 0) <= 256 * 1024, 'the reader holds little');
  t.ok(stream.writableLength > 0, 'the writer waits');
  let received = 0;
  receiving?.on('data', (part: Buffer) => (received += part.length));
  await until('all data', () => received === chunks * chunk.length);
});

t.test('a server whose reader is behind notices that its client is gone', async t => {
  const sockets = await tcpConnection(t);
  const streams: SpdyStream[] = [];
  const onStream = (stream: SpdyStream): void => void streams.push(stream);
  const server = new SpdySession(sockets.server, Buffer.alloc(0), {
    ...{ isServer: true, maxStreams: 1, onStream, probeMs: 10 },
  });
  const client = new SpdySession(sockets.client, Buffer.alloc(0), { isServer: false, maxStreams: 0 });
  const stream = client.open({});
  await stream.accepted;
  for (let i = 0; i < 512; i++) stream.write(Buffer.alloc(64 * 1024));
  await until('a full buffer', () => sockets.server.isPaused() && sockets.client.writableNeedDrain);
  client.destroy();
  await server.closed;
  t.ok(streams[0]?.destroyed);
});

t.test('a reader that is behind gets all output of a server that has closed the connection', async t => {
  const sockets = await tcpConnection(t);
  const onStream = (stream: SpdyStream): void => {
    for (let i = 0; i < 20; i++) stream.write(Buffer.alloc(16 * 1024));
    stream.end(() => server.close());
  };
  const server = new SpdySession(sockets.server, Buffer.alloc(0), { isServer: true, maxStreams: 1, onStream });
  const client = new SpdySession(sockets.client, Buffer.alloc(0), { isServer: false, maxStreams: 0, probeMs: 1 });
  const stream = client.open({});
  await until('a full buffer', () => sockets.client.isPaused() && sockets.server.writableFinished);
  t.equal((await buffer(stream)).length, 20 * 16 * 1024);
  await client.closed;
});

t.test(
  'what has arrived is read before the stream of a broken connection fails, also when its reader comes later',
  async t => {
    const sockets = await tcpConnection(t);
    const onStream = (opened: SpdyStream): void => {
      opened.write('before the break', () => sockets.server.destroy());
    };
    new SpdySession(sockets.server, Buffer.alloc(0), { isServer: true, maxStreams: 1, onStream });
    const client = new SpdySession(sockets.client, Buffer.alloc(0), { isServer: false, maxStreams: 0 });
    const stream = client.open({});
    await stream.accepted;
    await client.closed;
    const received: string[] = [];
    const reading = (async () => {
      for await (const part of stream) received.push(String(part));
    })();
    await t.rejects(reading, { message: 'the connection is closed' });
    t.same(received, ['before the break']);
    t.ok(stream.destroyed);
  },
);

t.test('streams beyond the limit are refused, others are not affected', async t => {
  const { client } = await sessions(t, stream => stream.pipe(stream), 1);
  const first = client.open({});
  await first.accepted;
  await t.rejects(client.open({}).accepted, { message: 'the stream was reset' });
  first.end('still here');
  t.equal(await text(first), 'still here');
});

t.test('a reset ends the stream at the other side', async t => {
  const streams: SpdyStream[] = [];
  const { client } = await sessions(t, stream => streams.push(stream));
  const stream = client.open({});
  await stream.accepted;
  stream.destroy();
  await until('the end', () => streams[0]?.destroyed === true);
});

t.test('the end of the connection ends its streams', async t => {
  const { client, sockets } = await sessions(t, () => undefined);
  const stream = client.open({});
  await stream.accepted;
  const closed = new Promise(resolve => stream.on('close', resolve));
  sockets.server.destroy();
  await Promise.all([closed, client.closed]);
  await t.rejects(client.open({}).accepted, { message: 'the connection is closed' });
});

t.test('a ping is answered', async t => {
  const { client, server } = await tcpConnection(t);
  new SpdySession(server, Buffer.alloc(0), { isServer: true, maxStreams: 1 });
  const ping = controlFrame(spdyFrames.ping, [7]);
  client.write(ping);
  const [answer] = (await once(client, 'data')) as [Buffer];
  t.same(answer, ping);
});

t.test('a side that asks without end and reads no answer is disconnected', async t => {
  const { client, server } = await tcpConnection(t);
  const session = new SpdySession(server, Buffer.alloc(0), { isServer: true, maxStreams: 1 });
  const pings = Buffer.concat(Array.from({ length: 10_000 }, () => controlFrame(spdyFrames.ping, [7])));
  client.on('error', () => undefined);
  client.pause();
  const closed = session.closed.then(() => 'closed');
  // Less than a hundred megabytes; the kernel takes a few of them.
  for (let i = 0; i < 800 && !server.destroyed; i++) await new Promise(resolve => client.write(pings, resolve));
  t.equal(await closed, 'closed');
  t.ok(server.writableLength < 1024 * 1024);
});

t.test('what is no SPDY ends the connection', async t => {
  const rows = {
    'another protocol': Buffer.from('\xff\xffGET / HTTP/1.1\r\n\r\n', 'latin1'),
    'a long control frame': Buffer.concat([
      controlFrame(spdyFrames.synStream, []).subarray(0, 5),
      Buffer.from([255, 0, 0]),
    ]),
    'headers that are not compressed': controlFrame(spdyFrames.synStream, [1, 0, 0, 0, 0]),
    'headers that expand without end': controlFrame(spdyFrames.synStream, [1, 0], {
      block: Buffer.concat([Buffer.alloc(2), await bomb()]),
    }),
    'the number of this side': controlFrame(spdyFrames.synStream, [2, 0], {
      block: Buffer.concat([Buffer.alloc(2), new SpdyHeaderWriter().write({})]),
    }),
  };
  for (const [name, bytes] of Object.entries(rows)) {
    const { client, server } = await tcpConnection(t);
    const session = new SpdySession(server, bytes, { isServer: true, maxStreams: 1, onStream: () => t.fail(name) });
    client.on('error', () => undefined).resume();
    await session.closed;
  }
  const { client, server } = await tcpConnection(t);
  new SpdySession(server, Buffer.alloc(0), { isServer: true, maxStreams: 1 });
  client.write(Buffer.concat([dataHead(99, 0, 3), Buffer.from('abc'), controlFrame(spdyFrames.ping, [1])]));
  t.same(await once(client, 'data'), [controlFrame(spdyFrames.ping, [1])], 'data of an unknown stream is dropped');
});

/** Returns a small block of headers that is large when it is decompressed. */
async function bomb(): Promise<Buffer> {
  const deflate = createDeflate({ dictionary, flush: constants.Z_SYNC_FLUSH });
  const parts: Buffer[] = [];
  deflate.on('data', (part: Buffer) => parts.push(part));
  await new Promise(resolve => deflate.write(Buffer.alloc(8 * 1024 * 1024), resolve));
  return Buffer.concat(parts);
}

t.test('a reset of an accepted stream is its end: what was sent before is read', async t => {
  const { client } = await sessions(t, stream => {
    stream.write('all of it');
    stream.destroy();
  });
  const stream = client.open({});
  await stream.accepted;
  t.equal(await text(stream), 'all of it');
});
