import t from 'tap';
import { packed } from '../../../apiserver/negotiate/packed.js';
import { blockHeadLength, putBlockHead } from '../../../apiserver/negotiate/protobuf/envelope.js';
import { Reader } from '../../../apiserver/negotiate/protobuf/wire.js';
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
    const reader = new Reader(whole, head.length, whole.length - tail.length);
    for (const [index, length] of order.entries()) {
      t.equal(reader.varint(), 18);
      const block = reader.block().bytes();
      t.ok(block.equals((items[index] as Buffer).subarray(3)), `${length} bytes`);
    }
    t.ok(reader.done);
    t.ok(buffers.length < 12, 'they are as large as can be');
  }
  t.end();
});

t.test('a list in protobuf that is more than is kept at hand', async t => {
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
    t.ok(found > at, 'each is there, in order');
    at = found + text.length;
  }
});
