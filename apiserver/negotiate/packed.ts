/** Writes lists into buffers that are sent as they are, so that items are copied once. Of large items, most is sent without a copy. */
import { pooledBufferBytes, takeBuffer } from './buffer-pool.js';

/** Pieces that are created during the only iteration, and are large enough to be written as they are. */
export interface PackedPieces {
  readonly length: number;
  readonly pieces: Iterable<Buffer>;
  readonly packed: true;
}

interface Packing {
  readonly head: Buffer;
  readonly tail: Buffer;
  readonly count: number;
  /** Bytes of the whole list. */
  readonly length: number;
  /** Returns the bytes that contain the item. They do not change before they are sent. */
  readonly source: (index: number) => Buffer;
  /** Returns the number of bytes at the beginning of the source that are left out. */
  readonly skipped: (index: number) => number;
  /** Writes the separator before an item of `length` bytes, `maxBefore` bytes at most. Returns the position after it. */
  readonly before: (pack: Buffer, at: number, index: number, length: number) => number;
}

/** Maximum bytes before an item: a comma and a brace, or a tag and a length. */
const maxBefore = 8;

/** Returns a list whose pieces are written one by one while they are read, which is possible once. */
export const packed = (packing: Packing): PackedPieces => ({
  length: packing.length,
  pieces: pack(packing),
  packed: true,
});

/** hot: allocates nothing per item. */
function* pack({ head, tail, count, length, source, skipped, before }: Packing): Generator<Buffer, undefined> {
  let left = length;
  // The last buffer is not pooled: its write may be too small to be waited for, so it would not be released.
  const allocate = (): Buffer => (left >= pooledBufferBytes ? takeBuffer() : Buffer.allocUnsafeSlow(left + maxBefore));
  let pack = allocate();
  let used = head.copy(pack);
  for (let index = 0; index < count; index++) {
    const bytes = source(index);
    let from = skipped(index);
    if (used + maxBefore > pack.length) {
      yield pack.subarray(0, used);
      left -= used;
      pack = allocate();
      used = 0;
    }
    used = before(pack, used, index, bytes.length - from);
    for (;;) {
      const copied = bytes.copy(pack, used, from);
      used += copied;
      from += copied;
      if (from === bytes.length) break;
      yield pack.subarray(0, used);
      left -= used;
      for (; bytes.length - from >= pooledBufferBytes; from += pooledBufferBytes) {
        yield bytes.subarray(from, from + pooledBufferBytes);
        left -= pooledBufferBytes;
      }
      pack = allocate();
      used = 0;
    }
  }
  if (used + tail.length <= pack.length) {
    yield pack.subarray(0, used + tail.copy(pack, used));
    return undefined;
  }
  yield pack.subarray(0, used);
  yield tail;
  return undefined;
}
