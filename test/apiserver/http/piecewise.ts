/** Writes to a connection piece by piece, so that a test sees whether the other side reads. */
import type { Socket } from 'node:net';
import { until } from '../../storage/until.js';

/** Looks without a change, over a second or more, after which the other side counts as one that does not read. */
const stillLooks = 20;

/** Writes each piece when the former one has left, and returns the number of those that have left before the other side stops to read. */
export async function writeUntilBlocked(socket: Socket, pieces: readonly Buffer[]): Promise<number> {
  let left = 0;
  const next = (): void => {
    const piece = pieces[left];
    if (piece)
      socket.write(piece, () => {
        left++;
        next();
      });
  };
  next();
  let before = 0;
  let still = 0;
  await until('nothing leaves any more', () => {
    still = left > 0 && left === before ? still + 1 : 0;
    before = left;
    return still === stillLooks;
  });
  return left;
}
