/** Joins bodies in pieces while other requests have their turns. */
import { TimeSlice } from '../../lib/time-slice.js';

/** Milliseconds. */
const slice = 10;

/** Returns all pieces, made in time slices: making one may take long. */
export async function collectedInTurns(pieces: Iterable<Buffer>): Promise<Buffer[]> {
  const turn = new TimeSlice(slice);
  const made: Buffer[] = [];
  for (const piece of pieces) {
    made.push(piece);
    const next = turn.pause();
    if (next) await next;
  }
  return made;
}

/** Returns all pieces as one buffer of `length` bytes, copied in time slices. */
export async function joinedInTurns(pieces: Iterable<Buffer>, length: number): Promise<Buffer> {
  const turn = new TimeSlice(slice);
  const whole = Buffer.allocUnsafeSlow(length);
  let used = 0;
  for (const piece of pieces) {
    used += piece.copy(whole, used);
    const next = turn.pause();
    if (next) await next;
  }
  return whole.subarray(0, used);
}
