/** Divides time of the event loop among the answers of other servers. */
import { TurnQueue } from '../../lib/turn-queue.js';

/**
 * The turns of all servers that this process reads from. Each has a lane, and waits for its turn before it parses an item of a list or an event.
 * All servers that wait get the same time: one that sends large items at full speed is read more slowly, and delays others by one item at most.
 */
export const turns = new TurnQueue({ budget: 4, tasksInARow: 1, quantum: 0.5 });
