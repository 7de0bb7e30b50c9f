// Made by `npm run generate`. Do not edit.
import type { components } from './kubernetes.js';
import type { Kind } from './kind.js';
type S = components['schemas'];
export type CertificateSigningRequest = Kind<S['io.k8s.api.certificates.v1.CertificateSigningRequest']>;
export type CertificateSigningRequestCondition = S['io.k8s.api.certificates.v1.CertificateSigningRequestCondition'];
export type CertificateSigningRequestList = S['io.k8s.api.certificates.v1.CertificateSigningRequestList'];
export type CertificateSigningRequestSpec = S['io.k8s.api.certificates.v1.CertificateSigningRequestSpec'];
export type CertificateSigningRequestStatus = S['io.k8s.api.certificates.v1.CertificateSigningRequestStatus'];
