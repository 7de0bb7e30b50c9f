/** A certificate authority and its certificates. Everything is PEM; keys are ECDSA P-256. */
import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';
import {
  alternativeNames,
  buildCertificate,
  readCertificate,
  type Issuer,
} from '../../apimachinery/x509/certificate.js';
import { createKey, keyIdentifier, privatePem } from '../../apimachinery/x509/keys.js';
import { encodeSubject, type CertificateSubject } from '../../apimachinery/x509/name.js';

/** A certificate with its key, both PEM. */
export interface Credential {
  readonly certificate: string;
  readonly key: string;
}

export interface Authority extends Credential {
  readonly x509: X509Certificate;
  readonly issuer: Issuer;
}

interface Validity {
  readonly now?: Date;
  readonly days?: number;
}

const day = 86_400_000;
/** Milliseconds before its issue from which a certificate is valid: clocks of members differ. */
const backdate = 300_000;

function periodOf(authority: X509Certificate | undefined, { now = new Date(), days = 365 }: Validity) {
  const end = new Date(now.getTime() + days * day);
  const limit = authority === undefined ? end : new Date(authority.validTo);
  return { notBefore: new Date(now.getTime() - backdate), notAfter: end < limit ? end : limit };
}

/** Creates a self-signed authority, valid for ten years by default. */
export async function createAuthority(name = 'flagship-ca', validity: Validity = {}): Promise<Authority> {
  const key = await createKey();
  const subject = encodeSubject({ name });
  const publicKey = createPublicKey(key);
  const certificate = buildCertificate(
    {
      subject,
      publicKey,
      authority: true,
      usages: ['digital signature', 'key encipherment', 'cert sign'],
      alternativeNames: undefined,
      ...periodOf(undefined, { days: 3650, ...validity }),
    },
    { subject, key, keyIdentifier: keyIdentifier(publicKey) },
  );
  return loadAuthority({ certificate, key: privatePem(key) });
}

/** Loads an authority from its certificate and key, of any type. Throws when they do not belong together. */
export function loadAuthority(credential: Credential): Authority {
  const x509 = new X509Certificate(credential.certificate);
  const key = createPrivateKey(credential.key);
  if (!x509.checkPrivateKey(key)) throw new Error('the key does not belong to the authority certificate');
  return { ...credential, x509, issuer: { ...readCertificate(x509.raw), key } };
}

async function issue(
  authority: Authority,
  subject: CertificateSubject,
  usages: readonly string[],
  hosts: readonly string[],
  validity: Validity,
): Promise<Credential> {
  const key = await createKey();
  const certificate = buildCertificate(
    {
      subject: encodeSubject(subject),
      publicKey: createPublicKey(key),
      authority: false,
      usages,
      alternativeNames: hosts.length === 0 ? undefined : alternativeNames(hosts),
      ...periodOf(authority.x509, validity),
    },
    authority.issuer,
  );
  return { certificate, key: privatePem(key) };
}

const leaf = ['digital signature', 'key encipherment'];

/** Issues a serving certificate for DNS names and addresses. */
export const issueServing = (
  authority: Authority,
  hosts: readonly string[],
  options: Validity & { readonly name?: string } = {},
): Promise<Credential> =>
  issue(authority, { name: options.name ?? hosts[0] ?? 'flagship' }, [...leaf, 'server auth'], hosts, options);

/** Issues a client certificate with user, groups and, optionally, a uid. */
export const issueClient = (
  authority: Authority,
  subject: CertificateSubject,
  validity: Validity = {},
): Promise<Credential> => issue(authority, subject, [...leaf, 'client auth'], [], validity);
