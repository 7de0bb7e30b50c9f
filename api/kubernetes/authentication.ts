import type * as gen from '../../openapi/gen/authentication-v1.js';
import type { Draft, DraftKind } from './draft.js';

export type BoundObjectReference = Draft<gen.BoundObjectReference>;
export type SelfSubjectReview = DraftKind<gen.SelfSubjectReview>;
export type SelfSubjectReviewStatus = Draft<gen.SelfSubjectReviewStatus>;
export type TokenRequest = DraftKind<gen.TokenRequest>;
export type TokenRequestSpec = Draft<gen.TokenRequestSpec>;
export type TokenRequestStatus = Draft<gen.TokenRequestStatus>;
export type TokenReview = DraftKind<gen.TokenReview>;
export type TokenReviewSpec = Draft<gen.TokenReviewSpec>;
export type TokenReviewStatus = Draft<gen.TokenReviewStatus>;
export type UserInfo = Draft<gen.UserInfo>;
