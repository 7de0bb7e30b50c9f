import { BufferPool } from '../../lib/buffer-pool.js';

/** Bytes of one pooled buffer. Each buffer is one write, and takes one turn of the event loop. */
export const pooledBufferBytes = 128 * 1024;
/** Keeps buffers for all answers together. */
const pool = new BufferPool<ArrayBufferLike>(() => new ArrayBuffer(pooledBufferBytes), { max: 32 });

/**
 * Returns a buffer for a part of an answer. Buffers go from answer to answer: a new one each time would lie among the values that are kept, and
 * what the allocator gets back of it in between is seldom used again. The caller may keep the buffer.
 */
export const takeBuffer = (): Buffer => Buffer.from(pool.take());

/** Gives a buffer back. The caller must not read or write it, or a part of it, afterwards: the next answer gets it. */
export function releaseBuffer({ buffer }: Buffer): void {
  if (buffer.byteLength === pooledBufferBytes) pool.release(buffer);
}
