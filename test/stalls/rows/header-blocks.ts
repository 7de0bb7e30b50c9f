/** Header blocks of HTTP/2 of a megabyte, which are valid frames with many or long fields. */
import { once } from 'node:events';
import { FrameReader, frameTypes, preface, settingsFrame } from '../../../lib/http2/frames.js';
import * as clientFrames from '../../apiserver/http/h2/client-frames.js';
import type { Row } from '../row.js';
import { range } from './objects.js';
import { openSocket } from './requests.js';

const { block, continuation, endHeaders, endStream, field, headers, integer, lasting, pseudo, text } = clientFrames;

/** The limit for a header block is 1 MiB. */
const blockBytes = 1_000_000;
/** The sizes of frames: the one that every server accepts, and the largest that this one does. */
const frameSizes = [16 * 1024, 256 * 1024];

/** Returns a header block in frames of this size. */
function framesOf(content: Buffer, size: number): Buffer {
  const frames: Buffer[] = [];
  for (let at = 0; at < content.length; at += size) {
    const part = content.subarray(at, at + size);
    const last = at + size >= content.length ? endHeaders : 0;
    frames.push(at === 0 ? headers(1, part, endStream | last) : continuation(1, part, last));
  }
  return Buffer.concat(frames);
}

/** Sends a request with these fields in frames of both sizes, and waits for its answer, or for the end of the connection. */
const blockRow = (name: string, make: (size: number) => Buffer): Row => ({
  name: `headers/block-${name}`,
  size: blockBytes,
  async play({ target, size }) {
    const content = Buffer.concat([block(pseudo('/version')), make(size)]);
    for (const frameSize of frameSizes) {
      const socket = await openSocket(target, 'h2');
      const reader = new FrameReader(1 << 24);
      const answered = new Promise<void>(resolve => {
        socket.on('data', (chunk: Buffer) => {
          reader.push(chunk, ({ type }) => {
            if ([frameTypes.headers, frameTypes.resetStream, frameTypes.goAway].some(end => end === type)) resolve();
          });
        });
      });
      const closed = once(socket, 'close');
      socket.write(Buffer.concat([preface, settingsFrame([]), framesOf(content, frameSize)]));
      await Promise.race([answered, closed]);
      socket.destroy();
    }
  },
});

export const headerBlockRows: readonly Row[] = [
  blockRow('references', size => Buffer.concat([lasting('x', ''), Buffer.alloc(size, 0x80 | 62)])),
  blockRow('static', size => Buffer.alloc(size, 0x82)),
  blockRow('insertions', size => Buffer.alloc(size, Buffer.from([0x40, 0, 0]))),
  blockRow('fields', size => Buffer.concat(range(size / 38, i => field(`x${i}`, '')))),
  blockRow('equal-fields', size => Buffer.concat(range(size / 38, () => field('x', 'v')))),
  blockRow('cookies', size => Buffer.concat(range(size / 45, i => field('cookie', `k${i}`)))),
  blockRow('huffman', size => Buffer.concat([Buffer.from([0]), text('x'), integer(0x80, 7, size), Buffer.alloc(size)])),
];
