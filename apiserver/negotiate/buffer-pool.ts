import { BufferPool } from '../../lib/buffer-pool.js';

/**
 * Bytes of one pooled buffer. Each buffer is one write, and takes one turn of the event loop. With the overhead of its TLS records, it fits two segments
 * of the loopback interface, of 65,483 bytes each: the few bytes of a third one wake the reader once more, which makes a list a tenth to a fifth dearer.
 */
export const pooledBufferBytes = 127 * 1024;
/** The memory that was made here: memory of other owners must not get into the pool. */
const own = new WeakSet<ArrayBufferLike>();

function make(): ArrayBufferLike {
  const memory = new ArrayBuffer(pooledBufferBytes);
  own.add(memory);
  return memory;
}

/** Keeps buffers for all answers together. */
const pool = new BufferPool<ArrayBufferLike>(make, { max: 32 });

/**
 * Returns a buffer for a part of an answer, with bytes of another answer in it. The caller is its only owner, and writes each byte before it sends
 * it. The caller may keep the buffer, or give it back with `releaseBuffer`. The Buffer is a new object each time, and only its memory is reused:
 * copies of chunks are cached by their Buffer (`ChunkCopies` in `apiserver/http/chunk-copies.ts`).
 *
 * Buffers are reused because new ones would lie among the values that are kept, where the allocator seldom uses their memory again.
 */
export const takeBuffer = (): Buffer => Buffer.from(pool.take());

/**
 * Gives a buffer, or a part of one, back: the next answer overwrites it. Nothing may refer to its memory any more. For a buffer that was written
 * to a ResponseStream this is so once `drained` has resolved to true. Each buffer is given back once at most. Buffers that are not from the pool
 * are ignored.
 */
export function releaseBuffer({ buffer }: Buffer): void {
  if (own.has(buffer)) pool.release(buffer);
}
