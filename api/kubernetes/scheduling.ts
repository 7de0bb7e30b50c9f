import type * as gen from '../../openapi/gen/scheduling-v1.js';
import type { DraftKind } from './draft.js';

export type PriorityClass = DraftKind<gen.PriorityClass>;
