import t from 'tap';
import { IgnoredFrames } from '../../../aggregation/proxy/ignored-frames.js';
import { dataHead, synStreamFrame } from '../../../lib/spdy/frames.js';

const ping = '80030006000000047fffffff';
const pong = '8a00';

/** Returns the frames as one buffer, and the offsets between them. */
function joined(frames: readonly Buffer[]): { bytes: Buffer; between: ReadonlySet<number> } {
  const between = new Set([0]);
  let at = 0;
  for (const { length } of frames) between.add((at += length));
  return { bytes: Buffer.concat(frames), between };
}

const protocols = [
  {
    protocol: 'SPDY/3.1',
    ignored: ping,
    frames: [
      synStreamFrame(2, Buffer.alloc(20, 0xff), 0),
      dataHead(1, 1, 0),
      Buffer.concat([dataHead(1, 0, 300), Buffer.alloc(300, 0x80)]),
      Buffer.from(ping, 'hex'),
    ],
  },
  {
    protocol: 'websocket',
    ignored: pong,
    frames: [
      Buffer.of(0x82, 0),
      Buffer.of(0x82, 3, 0x82, 126, 127),
      Buffer.concat([Buffer.of(0x82, 126, 1, 0), Buffer.alloc(256, 0x82)]),
      Buffer.concat([Buffer.of(0x82, 127, 0, 0, 0, 0, 0, 1, 0, 1), Buffer.alloc(65_537)]),
      Buffer.of(0x89, 0x81, 1, 2, 3, 4, 5),
    ],
  },
];

for (const { protocol, ignored, frames } of protocols)
  t.test(`${protocol}: a frame may be written exactly between two others, however they arrive`, async t => {
    const { bytes, between } = joined(frames);
    for (const size of [1, 2, 3, 7, 8, 64, bytes.length]) {
      const following = IgnoredFrames.of(protocol);
      t.equal(following?.next()?.toString('hex'), ignored, 'before the first');
      const wrong: number[] = [];
      for (let at = 0; at < bytes.length; at += size) {
        following?.passed(bytes.subarray(at, at + size));
        const end = Math.min(at + size, bytes.length);
        if ((following?.next() !== undefined) !== between.has(end)) wrong.push(end);
      }
      t.same(wrong, [], `parts of ${size}`);
    }
  });

t.test('what is no SPDY is never interrupted, and other protocols are unknown', async t => {
  const following = IgnoredFrames.of('spdy/3.1');
  following?.passed(Buffer.from('8002000600000000', 'hex'));
  following?.passed(Buffer.alloc(100));
  t.equal(following?.next(), undefined);
  t.equal(IgnoredFrames.of('h2c'), undefined);
});
