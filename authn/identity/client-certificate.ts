/** Authenticates users by client certificate: the common name is the user, organizations are groups. */
import { X509Certificate } from 'node:crypto';
import { unauthorized } from '../../apimachinery/errors/status.js';
import type { Identity } from '../../apimachinery/identity.js';
import type { Authenticator } from '../interface.js';
import { fingerprint, readCertificate } from '../../apimachinery/x509/certificate.js';
import { decodeSubject, type ReadSubject } from '../../apimachinery/x509/name.js';

const clientAuth = '1.3.6.1.5.5.7.3.2';
const anyUse = '2.5.29.37.0';

/** A certificate with verified chain and key usage; its validity period is checked at every use. */
interface VerifiedCertificate {
  readonly subject: ReadSubject;
  readonly fingerprint: string;
  readonly notBefore: number;
  readonly notAfter: number;
}

/** Verifies a client certificate (DER). Throws an Error that says what is wrong. */
function verifyClientCertificate(der: Uint8Array, authorities: readonly X509Certificate[]): VerifiedCertificate {
  const certificate = new X509Certificate(der);
  const authority = authorities.find(ca => certificate.checkIssued(ca) && certificate.verify(ca.publicKey));
  if (authority === undefined) throw new Error('x509: certificate signed by unknown authority');
  // The types lack undefined, which Node returns for a certificate without the extension.
  const uses = certificate.keyUsage as readonly string[] | undefined;
  if (uses !== undefined && !uses.includes(clientAuth) && !uses.includes(anyUse))
    throw new Error('x509: certificate specifies an incompatible key usage');
  return {
    subject: decodeSubject(readCertificate(der).subject),
    fingerprint: fingerprint(certificate),
    notBefore: Math.max(Date.parse(certificate.validFrom), Date.parse(authority.validFrom)),
    notAfter: Math.min(Date.parse(certificate.validTo), Date.parse(authority.validTo)),
  };
}

export interface CertificateDeps {
  /** Returns the trusted authorities: the same array while they do not change. Empty: certificates are ignored. */
  readonly authorities: () => readonly X509Certificate[];
  readonly now: () => Date;
  /** hot: called when a certificate was verified for a request; it is valid for so many more seconds. */
  readonly onUse?: (remaining: number) => void;
}

/**
 * Returns a function that verifies a certificate once per connection: all requests of a connection have the same array of bytes. hot: once per
 * request.
 */
export function certificateVerifier(deps: CertificateDeps): (der: Uint8Array) => VerifiedCertificate | undefined {
  interface Known {
    readonly authorities: readonly X509Certificate[];
    readonly result: VerifiedCertificate | Error;
  }
  const known = new WeakMap<Uint8Array, Known>();
  const check = (der: Uint8Array, authorities: readonly X509Certificate[]): VerifiedCertificate | Error => {
    try {
      return verifyClientCertificate(der, authorities);
    } catch (error) {
      return unauthorizedBecause(error);
    }
  };
  return der => {
    const authorities = deps.authorities();
    if (authorities.length === 0) return undefined;
    let entry = known.get(der);
    if (entry?.authorities !== authorities) {
      entry = { authorities, result: check(der, authorities) };
      known.set(der, entry);
    }
    const { result } = entry;
    if (result instanceof Error) throw result;
    const now = deps.now().getTime();
    if (now < result.notBefore || now > result.notAfter)
      throw unauthorizedBecause(new Error('x509: certificate has expired or is not yet valid'));
    deps.onUse?.((result.notAfter - now) / 1000);
    return result;
  };
}

/** Returns 401 with the real reason as its cause, which is logged and not sent to the client. */
export function unauthorizedBecause(cause: unknown): Error {
  const error = unauthorized();
  error.cause = cause;
  return error;
}

// as staging/src/k8s.io/apiserver/pkg/authentication/request/x509/x509.go CommonNameUserConversion
function identityOf({ subject, fingerprint }: VerifiedCertificate): Identity | undefined {
  if (subject.name === '') return undefined;
  const [uid, ...more] = subject.uids;
  if (more.length > 0)
    throw unauthorizedBecause(new Error(`expected 1 UID, but found multiple: ${subject.uids.join(' ')}`));
  if (uid === '') throw unauthorizedBecause(new Error('UID cannot be an empty string'));
  return {
    name: subject.name,
    ...(uid !== undefined && { uid }),
    groups: subject.groups,
    extra: { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${fingerprint}`] },
  };
}

/**
 * Returns an authenticator of client certificates. It returns no user for a request without a certificate, and for a certificate whose subject has no
 * common name. It throws 401 for a certificate that is not valid.
 */
export function clientCertificate(deps: CertificateDeps): Authenticator {
  const verify = certificateVerifier(deps);
  const identities = new WeakMap<VerifiedCertificate, Identity | undefined>();
  return ({ certificate }) => {
    const verified = certificate && verify(certificate);
    if (verified === undefined) return undefined;
    if (!identities.has(verified)) identities.set(verified, identityOf(verified));
    return identities.get(verified);
  };
}
