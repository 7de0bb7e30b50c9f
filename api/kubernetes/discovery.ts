import type * as gen from '../../openapi/gen/discovery-v1.js';
import type { Draft, DraftKind } from './draft.js';

export type Endpoint = Draft<gen.Endpoint>;
export type EndpointConditions = Draft<gen.EndpointConditions>;
export type EndpointHints = Draft<gen.EndpointHints>;
export type EndpointPort = Draft<gen.EndpointPort>;
export type EndpointSlice = DraftKind<gen.EndpointSlice>;
export type ForNode = Draft<gen.ForNode>;
export type ForZone = Draft<gen.ForZone>;
