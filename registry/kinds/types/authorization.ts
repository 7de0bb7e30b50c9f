/**
 * The native types of authorization, every field optional: what rules read after decoding. Made from the OpenAPI facts; do not edit.
 */
import type { KubeObject } from '../../../openapi/interface.js';
import type * as meta from './meta.js';

export interface FieldSelectorAttributes {
  rawSelector?: string;
  requirements?: meta.FieldSelectorRequirement[];
}

export interface LabelSelectorAttributes {
  rawSelector?: string;
  requirements?: meta.LabelSelectorRequirement[];
}

export interface LocalSubjectAccessReview extends KubeObject {
  spec?: SubjectAccessReviewSpec;
  status?: SubjectAccessReviewStatus;
}

export interface NonResourceAttributes {
  path?: string;
  verb?: string;
}

export interface NonResourceRule {
  nonResourceURLs?: string[];
  verbs?: string[];
}

export interface ResourceAttributes {
  fieldSelector?: FieldSelectorAttributes;
  group?: string;
  labelSelector?: LabelSelectorAttributes;
  name?: string;
  namespace?: string;
  resource?: string;
  subresource?: string;
  verb?: string;
  version?: string;
}

export interface ResourceRule {
  apiGroups?: string[];
  resourceNames?: string[];
  resources?: string[];
  verbs?: string[];
}

export interface SelfSubjectAccessReview extends KubeObject {
  spec?: SelfSubjectAccessReviewSpec;
  status?: SubjectAccessReviewStatus;
}

export interface SelfSubjectAccessReviewSpec {
  nonResourceAttributes?: NonResourceAttributes;
  resourceAttributes?: ResourceAttributes;
}

export interface SelfSubjectRulesReview extends KubeObject {
  spec?: SelfSubjectRulesReviewSpec;
  status?: SubjectRulesReviewStatus;
}

export interface SelfSubjectRulesReviewSpec {
  namespace?: string;
}

export interface SubjectAccessReview extends KubeObject {
  spec?: SubjectAccessReviewSpec;
  status?: SubjectAccessReviewStatus;
}

export interface SubjectAccessReviewSpec {
  extra?: Record<string, string[]>;
  groups?: string[];
  nonResourceAttributes?: NonResourceAttributes;
  resourceAttributes?: ResourceAttributes;
  uid?: string;
  user?: string;
}

export interface SubjectAccessReviewStatus {
  allowed?: boolean;
  denied?: boolean;
  evaluationError?: string;
  reason?: string;
}

export interface SubjectRulesReviewStatus {
  evaluationError?: string;
  incomplete?: boolean;
  nonResourceRules?: NonResourceRule[];
  resourceRules?: ResourceRule[];
}
