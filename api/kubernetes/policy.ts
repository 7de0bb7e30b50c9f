import type * as gen from '../../openapi/gen/policy-v1.js';
import type { Draft, DraftKind } from './draft.js';

export type Eviction = DraftKind<gen.Eviction>;
export type PodDisruptionBudget = DraftKind<gen.PodDisruptionBudget>;
export type PodDisruptionBudgetSpec = Draft<gen.PodDisruptionBudgetSpec>;
export type PodDisruptionBudgetStatus = Draft<gen.PodDisruptionBudgetStatus>;
