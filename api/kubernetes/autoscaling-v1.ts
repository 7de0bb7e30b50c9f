import type * as gen from '../../openapi/gen/autoscaling-v1.js';
import type { Draft, DraftKind } from './draft.js';

export type CrossVersionObjectReference = Draft<gen.CrossVersionObjectReference>;
export type HorizontalPodAutoscaler = DraftKind<gen.HorizontalPodAutoscaler>;
export type HorizontalPodAutoscalerSpec = Draft<gen.HorizontalPodAutoscalerSpec>;
export type HorizontalPodAutoscalerStatus = Draft<gen.HorizontalPodAutoscalerStatus>;
export type Scale = DraftKind<gen.Scale>;
export type ScaleSpec = Draft<gen.ScaleSpec>;
export type ScaleStatus = Draft<gen.ScaleStatus>;
