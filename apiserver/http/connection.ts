import type { Lane } from '../../lib/turn-queue.js';
import type { Peer } from '../interface.js';

/** The state that all requests over one connection share. */
export interface Connection {
  readonly peer: Peer;
  readonly lane: Lane;
}
