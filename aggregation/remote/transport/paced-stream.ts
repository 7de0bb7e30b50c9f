import type { Duplex } from 'node:stream';
import { PacedSocket } from '../../../lib/paced-socket.js';

/** Bytes that are passed on at a time. Those of one-byte frames take some milliseconds, and smaller pieces would slow down large frames. */
const pieceBytes = 32 * 1024;

/** Returns a connection to another server, after its upgrade, that shares the time of a turn with all others. */
export const pacedStream = (socket: Duplex): Duplex => new PacedSocket(socket, undefined, pieceBytes);
