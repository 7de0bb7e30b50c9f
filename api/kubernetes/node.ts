import type * as gen from '../../openapi/gen/node-v1.js';
import type { Draft, DraftKind } from './draft.js';

export type Overhead = Draft<gen.Overhead>;
export type RuntimeClass = DraftKind<gen.RuntimeClass>;
export type Scheduling = Draft<gen.Scheduling>;
