import type * as gen from '../../openapi/gen/certificates-v1.js';
import type { Draft, DraftKind } from './draft.js';

export type CertificateSigningRequest = DraftKind<gen.CertificateSigningRequest>;
export type CertificateSigningRequestCondition = Draft<gen.CertificateSigningRequestCondition>;
export type CertificateSigningRequestSpec = Draft<gen.CertificateSigningRequestSpec>;
export type CertificateSigningRequestStatus = Draft<gen.CertificateSigningRequestStatus>;
