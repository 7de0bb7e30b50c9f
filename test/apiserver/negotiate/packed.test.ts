import http2 from 'node:http2';
import https from 'node:https';
import type { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import t from 'tap';
import { packed } from '../../../apiserver/negotiate/packed.js';
import { blockHeadLength, putBlockHead } from '../../../apiserver/negotiate/protobuf/envelope.js';
import { BlockReader } from '../../../apiserver/negotiate/protobuf/block-reader.js';
import { httpClient } from '../http-client.js';
import { runningServer } from '../running.js';

const pack = 128 * 1024;
const lengths = [
  0,
  1,
  127,
  128,
  129,
  16_383,
  16_384,
  16_385,
  pack - 5,
  pack - 4,
  pack - 3,
  pack,
  pack + 1,
  3 * pack,
  7,
];

t.test('blocks of all lengths, in an order that puts each at the end of a buffer', t => {
  for (const [turn] of lengths.entries()) {
    const order = [...lengths.slice(turn), ...lengths.slice(0, turn)];
    const items = order.map((length, index) => Buffer.alloc(length + 3, 65 + index));
    const [head, tail] = [Buffer.from('head'), Buffer.from('the tail')];
    const inside = order.reduce((sum, length) => sum + blockHeadLength(length) + length, 0);
    const { length, pieces } = packed({
      ...{ head, tail, count: items.length, length: head.length + inside + tail.length },
      source: index => items[index] as Buffer,
      skipped: () => 3,
      before: (into, at, _, length) => putBlockHead(into, at, 2, length),
    });
    const buffers = [...pieces];
    const whole = Buffer.concat(buffers);
    t.equal(whole.length, length);
    t.equal(whole.toString('latin1', 0, 4), 'head');
    t.equal(whole.subarray(-tail.length).toString(), 'the tail');
    const reader = new BlockReader(whole, head.length, whole.length - tail.length);
    for (const [index, length] of order.entries()) {
      t.equal(reader.varint(), 18);
      const block = reader.block().bytes();
      t.ok(block.equals((items[index] as Buffer).subarray(3)), `${length} bytes`);
    }
    t.ok(reader.done);
    t.ok(buffers.length < 12, 'they are as large as possible');
  }
  t.end();
});

t.test('of a large item, at most two buffers are copied, and no buffer is larger than those of the pool', t => {
  for (const skipped of [0, 3]) {
    const large = Buffer.alloc(9 * pack, 'x');
    const items = [Buffer.from('skippedfirst'), large, Buffer.from('skippedlast')];
    const texts = items.map(item => item.subarray(skipped));
    const { length, pieces } = packed({
      ...{ head: Buffer.from('['), tail: Buffer.from(']'), count: items.length },
      length: texts.reduce((sum, text) => sum + text.length, 4),
      source: index => items[index] as Buffer,
      skipped: () => skipped,
      before(into, at, index) {
        if (index > 0) into[at++] = 0x2c;
        return at;
      },
    });
    const buffers = [...pieces];
    t.equal(
      buffers.reduce((sum, { length }) => sum + length, 0),
      length,
    );
    t.ok(Buffer.concat(buffers).equals(Buffer.from(`[${texts.join(',')}]`)));
    t.ok(buffers.every(buffer => buffer.length <= pack));
    t.equal(buffers.filter(({ buffer }) => buffer === large.buffer).length, 8);
  }
  t.end();
});

t.test('a protobuf list that is larger than the buffer pool', async t => {
  const server = await runningServer(t);
  const ask = httpClient(t, server);
  const path = '/api/v1/namespaces/default/configmaps';
  const names = Array.from({ length: 24 }, (_, index) => `large-${String(index).padStart(2, '0')}`);
  for (const name of names)
    await ask(`POST ${path}`, { body: { metadata: { name }, data: { k: name.repeat(100_000) } } });
  const { bytes, headers } = await ask(`GET ${path}`, { accept: 'application/vnd.kubernetes.protobuf' });
  t.equal(headers['content-length'], String(bytes.length));
  const texts = names.map(name => Buffer.from(name.repeat(100_000)));
  let at = 0;
  for (const text of texts) {
    const found = bytes.indexOf(text, at);
    t.ok(found > at, 'all items are there, in order');
    at = found + text.length;
  }
});

t.test('concurrent lists for clients of different speed do not share buffers', async t => {
  const server = await runningServer(t);
  const ask = httpClient(t, server);
  const spaces = ['a', 'b', 'c'];
  for (const name of spaces) {
    await ask('POST /api/v1/namespaces', { body: { metadata: { name } } });
    for (let n = 0; n < 30; n++) {
      const body = { metadata: { name: `${name}-${n}` }, data: { k: name.repeat(30_000) } };
      await ask(`POST /api/v1/namespaces/${name}/configmaps`, { body });
    }
  }
  const { host, port, pki } = server;
  const identity = { ca: pki.authority.certificate, cert: pki.admin.certificate, key: pki.admin.key };
  const session = http2.connect(`https://${host}:${port}`, identity);
  t.teardown(() => session.close());

  async function slowly(stream: Readable): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      await new Promise(resolve => setImmediate(resolve));
    }
    return Buffer.concat(chunks);
  }
  const readers = {
    'HTTP/1.1': async (path: string) => (await ask(`GET ${path}`)).bytes,
    'HTTP/1.1, compressed': async (path: string) => {
      const { headers, bytes } = await ask(`GET ${path}`, { headers: { 'accept-encoding': 'gzip' } });
      t.equal(headers['content-encoding'], 'gzip');
      return gunzipSync(bytes);
    },
    'HTTP/1.1, slowly': (path: string) =>
      new Promise<Buffer>((resolve, reject) =>
        https
          .get({ host, port, path, agent: false, ...identity }, response => void slowly(response).then(resolve, reject))
          .on('error', reject),
      ),
    'HTTP/2': (path: string) => slowly(session.request({ ':path': path })),
  };
  /** Returns a list without its revision, which grows when the server renews its Lease. */
  const listed = async (name: string, read: (path: string) => Promise<Buffer>): Promise<string> =>
    (await read(`/api/v1/namespaces/${name}/configmaps`)).toString('latin1').replace(/"resourceVersion":"\d+"/, '');
  const own = new Map<string, string>();
  for (const name of spaces) own.set(name, await listed(name, readers['HTTP/1.1']));
  const rounds = Array.from({ length: 5 }, () =>
    spaces.flatMap(name => Object.entries(readers).map(([how, read]) => ({ name, how, read }))),
  );
  await Promise.all(
    rounds.flat().map(async ({ name, how, read }) => {
      t.ok(own.get(name) === (await listed(name, read)), `${name} over ${how}`);
    }),
  );
});
