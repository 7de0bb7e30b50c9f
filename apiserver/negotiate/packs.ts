/** Of one; each is a write, and a turn of the event loop. */
export const packBytes = 128 * 1024;
/** For all answers together. */
const mostSpare = 32;
const spare: ArrayBufferLike[] = [];

/**
 * Room for what is on its way out. It goes from answer to answer: made anew each time, it would lie among the values that are kept, and
 * what the allocator gets back of it in between is seldom used again. Who has it may keep it, too.
 */
export const takePack = (): Buffer => Buffer.from(spare.pop() ?? new ArrayBuffer(packBytes));

/** Nobody reads a piece any more: its room can be another's. */
export function giveBackPack({ buffer }: Buffer): void {
  if (buffer.byteLength === packBytes && spare.length < mostSpare) spare.push(buffer);
}
