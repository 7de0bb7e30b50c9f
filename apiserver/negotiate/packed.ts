/** Lists on their way out: their items are copied once, into buffers that are written as they are. */
import { pooledBufferBytes, takeBuffer } from './buffer-pool.js';

/** Pieces that are made when they are asked for, once, and are large enough to be written as they are. */
export interface PackedPieces {
  readonly length: number;
  readonly pieces: Iterable<Buffer>;
  readonly packed: true;
}

export interface Packing {
  readonly head: Buffer;
  readonly tail: Buffer;
  readonly count: number;
  /** Bytes of all together. */
  readonly length: number;
  /** What the item is copied from. */
  source(index: number): Buffer;
  /** So many bytes of that do not belong to it. */
  skipped(index: number): number;
  /** Writes what stands before an item of so many bytes, at most `maxBefore`; says where that ends. */
  before(pack: Buffer, at: number, index: number, length: number): number;
}

/** Bytes before an item: a comma and a brace, or a tag and a length. */
const maxBefore = 8;

export const packed = (packing: Packing): PackedPieces => ({
  length: packing.length,
  pieces: pack(packing),
  packed: true,
});

/** hot: nothing is made for an item. */
function* pack({ head, tail, count, length, source, skipped, before }: Packing): Generator<Buffer, undefined> {
  let left = length;
  // The last one may be too small to be waited for, and would not come back.
  const open = (needed: number): Buffer =>
    left >= pooledBufferBytes && needed <= pooledBufferBytes
      ? takeBuffer()
      : Buffer.allocUnsafeSlow(Math.max(needed, Math.min(pooledBufferBytes, left + maxBefore)));
  let pack = open(head.length);
  let used = head.copy(pack);
  for (let index = 0; index < count; index++) {
    const bytes = source(index);
    const from = skipped(index);
    const needed = maxBefore + bytes.length - from;
    if (used + needed > pack.length) {
      yield pack.subarray(0, used);
      left -= used;
      pack = open(needed);
      used = 0;
    }
    used = before(pack, used, index, bytes.length - from);
    used += bytes.copy(pack, used, from);
  }
  if (used + tail.length <= pack.length) {
    yield pack.subarray(0, used + tail.copy(pack, used));
    return undefined;
  }
  yield pack.subarray(0, used);
  yield tail;
  return undefined;
}
