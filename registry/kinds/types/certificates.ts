/**
 * The native types of certificates, every field optional: what rules read after decoding. Made from the OpenAPI facts; do not edit.
 */
import type { KubeObject } from '../../../openapi/interface.js';

export interface CertificateSigningRequest extends KubeObject {
  spec?: CertificateSigningRequestSpec;
  status?: CertificateSigningRequestStatus;
}

export interface CertificateSigningRequestCondition {
  lastTransitionTime?: string;
  lastUpdateTime?: string;
  message?: string;
  reason?: string;
  status?: string;
  type?: string;
}

export interface CertificateSigningRequestSpec {
  expirationSeconds?: number;
  extra?: Record<string, string[]>;
  groups?: string[];
  request?: string;
  signerName?: string;
  uid?: string;
  usages?: string[];
  username?: string;
}

export interface CertificateSigningRequestStatus {
  certificate?: string;
  conditions?: CertificateSigningRequestCondition[];
}
