// Made by `npm run generate`. Do not edit.
import type { components } from './kubernetes.js';
import type { Kind } from './kind.js';
type S = components['schemas'];
export type FieldSelectorAttributes = S['io.k8s.api.authorization.v1.FieldSelectorAttributes'];
export type LabelSelectorAttributes = S['io.k8s.api.authorization.v1.LabelSelectorAttributes'];
export type LocalSubjectAccessReview = Kind<S['io.k8s.api.authorization.v1.LocalSubjectAccessReview']>;
export type NonResourceAttributes = S['io.k8s.api.authorization.v1.NonResourceAttributes'];
export type NonResourceRule = S['io.k8s.api.authorization.v1.NonResourceRule'];
export type ResourceAttributes = S['io.k8s.api.authorization.v1.ResourceAttributes'];
export type ResourceRule = S['io.k8s.api.authorization.v1.ResourceRule'];
export type SelfSubjectAccessReview = Kind<S['io.k8s.api.authorization.v1.SelfSubjectAccessReview']>;
export type SelfSubjectAccessReviewSpec = S['io.k8s.api.authorization.v1.SelfSubjectAccessReviewSpec'];
export type SelfSubjectRulesReview = Kind<S['io.k8s.api.authorization.v1.SelfSubjectRulesReview']>;
export type SelfSubjectRulesReviewSpec = S['io.k8s.api.authorization.v1.SelfSubjectRulesReviewSpec'];
export type SubjectAccessReview = Kind<S['io.k8s.api.authorization.v1.SubjectAccessReview']>;
export type SubjectAccessReviewSpec = S['io.k8s.api.authorization.v1.SubjectAccessReviewSpec'];
export type SubjectAccessReviewStatus = S['io.k8s.api.authorization.v1.SubjectAccessReviewStatus'];
export type SubjectRulesReviewStatus = S['io.k8s.api.authorization.v1.SubjectRulesReviewStatus'];
