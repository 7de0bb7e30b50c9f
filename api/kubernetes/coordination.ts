import type * as gen from '../../openapi/gen/coordination-v1.js';
import type { Draft, DraftKind } from './draft.js';

export type Lease = DraftKind<gen.Lease>;
export type LeaseSpec = Draft<gen.LeaseSpec>;
