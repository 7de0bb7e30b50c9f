import { streamOf } from '../../../storage/phased-stream.js';
import type { Event, Events } from '../interface.js';

/** Returns generated events as the stream of a watch. */
export const eventsOf = (events: AsyncGenerator<Event, void>): Events => streamOf(events);
