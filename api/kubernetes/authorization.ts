import type * as gen from '../../openapi/gen/authorization-v1.js';
import type { Draft, DraftKind } from './draft.js';

export type FieldSelectorAttributes = Draft<gen.FieldSelectorAttributes>;
export type LabelSelectorAttributes = Draft<gen.LabelSelectorAttributes>;
export type LocalSubjectAccessReview = DraftKind<gen.LocalSubjectAccessReview>;
export type NonResourceAttributes = Draft<gen.NonResourceAttributes>;
export type NonResourceRule = Draft<gen.NonResourceRule>;
export type ResourceAttributes = Draft<gen.ResourceAttributes>;
export type ResourceRule = Draft<gen.ResourceRule>;
export type SelfSubjectAccessReview = DraftKind<gen.SelfSubjectAccessReview>;
export type SelfSubjectAccessReviewSpec = Draft<gen.SelfSubjectAccessReviewSpec>;
export type SelfSubjectRulesReview = DraftKind<gen.SelfSubjectRulesReview>;
export type SelfSubjectRulesReviewSpec = Draft<gen.SelfSubjectRulesReviewSpec>;
export type SubjectAccessReview = DraftKind<gen.SubjectAccessReview>;
export type SubjectAccessReviewSpec = Draft<gen.SubjectAccessReviewSpec>;
export type SubjectAccessReviewStatus = Draft<gen.SubjectAccessReviewStatus>;
export type SubjectRulesReviewStatus = Draft<gen.SubjectRulesReviewStatus>;
