/** Joins bodies in pieces, in several turns of the event loop. */
import { eachInTurns, TimeSlice } from '../../lib/time-slice.js';

/** Returns all pieces, made in several turns of the event loop: making one may take long. */
export async function collectedInTurns(pieces: Iterable<Buffer>): Promise<Buffer[]> {
  const made: Buffer[] = [];
  await eachInTurns(pieces, piece => made.push(piece), new TimeSlice());
  return made;
}

/** Returns all pieces as one buffer of `length` bytes, copied in several turns of the event loop. */
export async function joinedInTurns(pieces: Iterable<Buffer>, length: number): Promise<Buffer> {
  const whole = Buffer.allocUnsafeSlow(length);
  let used = 0;
  await eachInTurns(pieces, piece => (used += piece.copy(whole, used)), new TimeSlice());
  return whole.subarray(0, used);
}
