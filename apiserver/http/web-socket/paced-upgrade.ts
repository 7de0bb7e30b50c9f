import { PacedSocket } from '../../../lib/paced-socket.js';
import type { Upgrade } from '../../interface.js';

/** An upgrade whose socket is read in small pieces. */
export interface PacedUpgrade extends Upgrade {
  readonly socket: PacedSocket;
}

/** Returns the upgrade with a paced socket, from which the bytes that followed the headers are read, too. */
export const paced = ({ request, socket, head }: Upgrade): PacedUpgrade => ({
  request,
  socket: new PacedSocket(socket, head),
  head: Buffer.alloc(0),
});
