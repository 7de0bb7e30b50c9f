/** Of one; each is a write, and a turn of the event loop. */
export const pooledBufferBytes = 128 * 1024;
/** For all answers together. */
const maxSpare = 32;
const spare: ArrayBufferLike[] = [];

/**
 * Room for what is on its way out. It goes from answer to answer: made anew each time, it would lie among the values that are kept, and
 * what the allocator gets back of it in between is seldom used again. Who has it may keep it, too.
 */
export const takeBuffer = (): Buffer => Buffer.from(spare.pop() ?? new ArrayBuffer(pooledBufferBytes));

/** Nobody reads a piece any more: its room can be another's. */
export function releaseBuffer({ buffer }: Buffer): void {
  if (buffer.byteLength === pooledBufferBytes && spare.length < maxSpare) spare.push(buffer);
}
