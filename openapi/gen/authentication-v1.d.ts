// Made by `npm run generate`. Do not edit.
import type { components } from './kubernetes.js';
import type { Kind } from './kind.js';
type S = components['schemas'];
export type BoundObjectReference = S['io.k8s.api.authentication.v1.BoundObjectReference'];
export type SelfSubjectReview = Kind<S['io.k8s.api.authentication.v1.SelfSubjectReview']>;
export type SelfSubjectReviewStatus = S['io.k8s.api.authentication.v1.SelfSubjectReviewStatus'];
export type TokenRequest = Kind<S['io.k8s.api.authentication.v1.TokenRequest']>;
export type TokenRequestSpec = S['io.k8s.api.authentication.v1.TokenRequestSpec'];
export type TokenRequestStatus = S['io.k8s.api.authentication.v1.TokenRequestStatus'];
export type TokenReview = Kind<S['io.k8s.api.authentication.v1.TokenReview']>;
export type TokenReviewSpec = S['io.k8s.api.authentication.v1.TokenReviewSpec'];
export type TokenReviewStatus = S['io.k8s.api.authentication.v1.TokenReviewStatus'];
export type UserInfo = S['io.k8s.api.authentication.v1.UserInfo'];
