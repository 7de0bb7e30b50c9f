/** Bodies in pieces that are put together while others have the event loop. */
import { TimeSlice } from '../../lib/time-slice.js';

/** Milliseconds. */
const slice = 10;

/** All pieces, made in time slices: each may take long to be made. */
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

/** All pieces as one buffer of `length` bytes, copied in time slices. */
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
