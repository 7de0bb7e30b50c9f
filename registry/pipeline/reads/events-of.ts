import { streamOf } from '../../../storage/phased-stream.js';
import type { ObjectEvent, Events } from '../interface.js';

/** Returns generated events as the stream of a watch. */
export const eventsOf = (events: AsyncGenerator<ObjectEvent, void>): Events => streamOf(events);
