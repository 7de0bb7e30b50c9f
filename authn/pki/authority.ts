/** A certificate authority and what it issues. Everything is PEM; keys are ECDSA P-256. */
import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';
import { alternativeNames, buildCertificate, readCertificate, type Issuer } from './certificate.js';
import { createKey, keyIdentifier, privatePem } from './keys.js';
import { encodeSubject, type Subject } from './name.js';

/** A certificate with its key, both PEM. */
export interface Credential {
  readonly certificate: string;
  readonly key: string;
}

export interface Authority extends Credential {
  readonly x509: X509Certificate;
  readonly issuer: Issuer;
}

export interface Validity {
  readonly now?: Date;
  readonly days?: number;
}

const day = 86_400_000;
/** Clocks of members differ: a certificate is valid from a little before it was made. */
const backdate = 300_000;

function span(authority: X509Certificate | undefined, { now = new Date(), days = 365 }: Validity) {
  const end = new Date(now.getTime() + days * day);
  const limit = authority === undefined ? end : new Date(authority.validTo);
  return { notBefore: new Date(now.getTime() - backdate), notAfter: end < limit ? end : limit };
}

/** A self-signed authority; ten years unless told. */
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
      ...span(undefined, { days: 3650, ...validity }),
    },
    { subject, key, keyIdentifier: keyIdentifier(publicKey) },
  );
  return loadAuthority({ certificate, key: privatePem(key) });
}

/** An authority from its certificate and key, any type of key. Throws when they do not belong together. */
export function loadAuthority(credential: Credential): Authority {
  const x509 = new X509Certificate(credential.certificate);
  const key = createPrivateKey(credential.key);
  if (!x509.checkPrivateKey(key)) throw new Error('the key does not belong to the authority certificate');
  return { ...credential, x509, issuer: { ...readCertificate(x509.raw), key } };
}

async function issue(
  authority: Authority,
  subject: Subject,
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
      ...span(authority.x509, validity),
    },
    authority.issuer,
  );
  return { certificate, key: privatePem(key) };
}

const leaf = ['digital signature', 'key encipherment'];

/** A serving certificate for DNS names and addresses. */
export const issueServing = (
  authority: Authority,
  hosts: readonly string[],
  options: Validity & { readonly name?: string } = {},
): Promise<Credential> =>
  issue(authority, { name: options.name ?? hosts[0] ?? 'flagship' }, [...leaf, 'server auth'], hosts, options);

/** A client certificate: user, groups, and a uid when the user has one. */
export const issueClient = (authority: Authority, subject: Subject, validity: Validity = {}): Promise<Credential> =>
  issue(authority, subject, [...leaf, 'client auth'], [], validity);
