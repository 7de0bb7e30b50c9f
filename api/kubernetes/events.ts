import type * as gen from '../../openapi/gen/events-v1.js';
import type { Draft, DraftKind } from './draft.js';

export type Event = DraftKind<gen.Event>;
export type EventSeries = Draft<gen.EventSeries>;
