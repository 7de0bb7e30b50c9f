/**
 * The native types of authentication, every field optional: what rules read after decoding. Made from the OpenAPI facts; do not edit.
 */
import type { KubeObject } from '../../../openapi/interface.js';

export interface BoundObjectReference {
  apiVersion?: string;
  kind?: string;
  name?: string;
  uid?: string;
}

export interface SelfSubjectReview extends KubeObject {
  status?: SelfSubjectReviewStatus;
}

export interface SelfSubjectReviewStatus {
  userInfo?: UserInfo;
}

export interface TokenRequest extends KubeObject {
  spec?: TokenRequestSpec;
  status?: TokenRequestStatus;
}

export interface TokenRequestSpec {
  audiences?: string[];
  boundObjectRef?: BoundObjectReference;
  expirationSeconds?: number;
}

export interface TokenRequestStatus {
  expirationTimestamp?: string;
  token?: string;
}

export interface TokenReview extends KubeObject {
  spec?: TokenReviewSpec;
  status?: TokenReviewStatus;
}

export interface TokenReviewSpec {
  audiences?: string[];
  token?: string;
}

export interface TokenReviewStatus {
  audiences?: string[];
  authenticated?: boolean;
  error?: string;
  user?: UserInfo;
}

export interface UserInfo {
  extra?: Record<string, string[]>;
  groups?: string[];
  uid?: string;
  username?: string;
}
