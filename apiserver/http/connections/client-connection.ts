import type { Lane } from '../../../lib/turn-queue.js';
import type { Peer } from '../../interface.js';
import type { ChunkCopies } from '../chunk-copies.js';

/** The state that all requests over one connection share. */
export interface ClientConnection {
  readonly peer: Peer;
  readonly lane: Lane;
  /** The copies of the port. */
  readonly copies: ChunkCopies;
}
