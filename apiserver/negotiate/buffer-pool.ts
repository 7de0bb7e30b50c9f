import { BufferPool } from '../../lib/buffer-pool.js';

/** Bytes of one pooled buffer. Each buffer is one write, and takes one turn of the event loop. */
export const pooledBufferBytes = 128 * 1024;
/** Holds the unused buffers of all answers. */
const pool = new BufferPool<ArrayBufferLike>(() => new ArrayBuffer(pooledBufferBytes), { max: 32 });

/**
 * Returns a buffer for a part of an answer. Buffers are reused, since freed ones would leave gaps between long-lived values that the allocator
 * can seldom fill. The caller may keep the buffer.
 */
export const takeBuffer = (): Buffer => Buffer.from(pool.take());

/** Returns a buffer to the pool. The caller must not read or write it, or a part of it, afterwards: the next answer gets it. */
export function releaseBuffer({ buffer }: Buffer): void {
  if (buffer.byteLength === pooledBufferBytes) pool.release(buffer);
}
