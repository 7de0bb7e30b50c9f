/** Joins bodies in pieces, in several turns of the event loop. */
import { eachInTurns, TimeSlice } from '../../lib/time-slice.js';
import { releaseBuffer } from '../negotiate/buffer-pool.js';

/** Returns all pieces, made in several turns of the event loop: making one may take long. */
export async function collectedInTurns(pieces: Iterable<Buffer>): Promise<Buffer[]> {
  const made: Buffer[] = [];
  await eachInTurns(pieces, piece => made.push(piece), new TimeSlice());
  return made;
}

/** Returns all pieces as one buffer of `length` bytes, copied in several turns of the event loop. Buffers of the pool are given back. */
export async function joinedInTurns(pieces: Iterable<Buffer>, length: number): Promise<Buffer> {
  const whole = Buffer.allocUnsafeSlow(length);
  let used = 0;
  const copy = (piece: Buffer): void => {
    used += piece.copy(whole, used);
    releaseBuffer(piece);
  };
  await eachInTurns(pieces, copy, new TimeSlice());
  return whole.subarray(0, used);
}
