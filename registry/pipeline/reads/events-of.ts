import { streamOf } from '../../../storage/phased-stream.js';
import type { Event, Events } from '../interface.js';

/** Returns events that are made elsewhere as those of a watch. */
export const eventsOf = (events: AsyncGenerator<Event, void>): Events => streamOf(events);
