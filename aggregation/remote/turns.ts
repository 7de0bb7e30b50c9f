/** Divides among servers the time that their answers take of the event loop. */
import { TurnQueue } from '../../lib/turn-queue.js';

/**
 * The turns of all servers that this process speaks to; each has a lane, and asks before it parses an item of a list or an event. A server that sends at
 * full speed is read more slowly, and then its socket is not read at all; what another server sends waits for one piece of it at most.
 */
export const turns = new TurnQueue({ budget: 4, tasksInARow: 1 });
