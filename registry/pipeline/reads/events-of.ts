import { cursorOf } from '../../../storage/cursor-of.js';
import type { Event, Events } from '../interface.js';

/** Events that others make, as those of a watch. */
export const eventsOf = (events: AsyncGenerator<Event, void>): Events => cursorOf(events);
