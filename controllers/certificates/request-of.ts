import { parseRequest, type CertificateRequest } from '../../apimachinery/x509/request.js';
import type { CertificateSigningRequest } from '../../api/kubernetes/certificates.js';

/** Returns the PKCS #10 request of a CertificateSigningRequest. Throws if it cannot be read, which the server refuses to store. */
export const requestOf = ({ spec }: CertificateSigningRequest): CertificateRequest =>
  parseRequest(Buffer.from(spec?.request ?? '', 'base64').toString('utf8'));

/** Returns whether a request has a condition of this type. as pkg/controller/certificates HasTrueCondition: their status is always True */
export const hasCondition = ({ status }: CertificateSigningRequest, type: string): boolean =>
  status?.conditions?.some(condition => condition.type === type) ?? false;
