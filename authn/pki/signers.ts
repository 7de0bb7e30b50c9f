/** The signers that a control plane brings along: what each accepts, and the certificate it gives (SEC-043, KCM-014). */
import type { CertificateSigningRequest } from '../../registry/kinds/types/certificates.js';
import { signRequest, type Authority } from './authority.js';
import { pemBlock } from './pem.js';
import { parseRequest, type CertificateRequest } from './request.js';
import { own } from '../../openapi/meta/own.js';

/** What is wrong with a request for the signer; undefined when nothing is. */
type Rule = (request: CertificateRequest, usages: readonly string[]) => string | undefined;

const nodePrefix = 'system:node:';
const sorted = (usages: readonly string[]): string[] => [...new Set(usages)].sort();

/** Exactly these usages; RSA keys encipher as well. */
function usageFault(usages: readonly string[], purpose: string): string | undefined {
  const all = ['digital signature', 'key encipherment', purpose];
  const given = sorted(usages).join();
  const fits = [all, all.filter(usage => usage !== 'key encipherment')].some(set => sorted(set).join() === given);
  return fits ? undefined : `usages did not match [${sorted(all).join(' ')}]`;
}

const onlyNodes = ({ subject }: CertificateRequest): string | undefined =>
  subject.groups.join() === 'system:nodes' ? undefined : 'subject organization is not system:nodes';
const nodeName = ({ subject }: CertificateRequest): string | undefined =>
  subject.name.startsWith(nodePrefix) ? undefined : 'subject common name does not begin with system:node:';
const without =
  (names: 'dnsNames' | 'ipAddresses' | 'emailAddresses' | 'uris', text: string): Rule =>
  request =>
    request[names].length === 0 ? undefined : `${text} subjectAltNames are not allowed`;
const reachable: Rule = ({ dnsNames, ipAddresses }) =>
  dnsNames.length + ipAddresses.length > 0 ? undefined : 'DNS or IP subjectAltName is required';

const clientUsages: Rule = (_request, usages) => {
  const odd = usages.find(usage => !['digital signature', 'key encipherment', 'client auth'].includes(usage));
  if (odd !== undefined) return `invalid usage for client certificate: ${odd}`;
  return usages.includes('client auth') ? undefined : 'missing required usage for client certificate: client auth';
};

/** By signer, in the order in which faults are told. as pkg/apis/certificates/helpers.go */
const signers: Readonly<Record<string, readonly Rule[]>> = {
  'kubernetes.io/kube-apiserver-client': [clientUsages],
  'kubernetes.io/kube-apiserver-client-kubelet': [
    onlyNodes,
    without('dnsNames', 'DNS'),
    without('emailAddresses', 'Email'),
    without('ipAddresses', 'IP'),
    without('uris', 'URI'),
    nodeName,
    (_request, usages) => usageFault(usages, 'client auth'),
  ],
  'kubernetes.io/kubelet-serving': [
    onlyNodes,
    reachable,
    without('emailAddresses', 'Email'),
    without('uris', 'URI'),
    (_request, usages) => usageFault(usages, 'server auth'),
    nodeName,
  ],
  'kubernetes.io/legacy-unknown': [],
};

export const builtInSigners: readonly string[] = Object.keys(signers);

const minute = 60_000;
const backdate = 5 * minute;
const short = 8 * 60 * minute;

/** Milliseconds from now: as long as asked for, ten minutes at least, `most` at the most. */
function lifetime(seconds: number | undefined, most: number): number {
  const asked = seconds === undefined ? most : Math.max(seconds * 1000, 10 * minute);
  const span = Math.min(asked, most);
  // Of what lives long the backdating is taken off the end.
  return span < short ? span : span - backdate;
}

export interface SignOptions {
  readonly now: Date;
  /** The longest life of a certificate; a year. */
  readonly days?: number;
}

/** undefined: none of these signers. `fault`: the signer will never sign it. */
export type Signed = undefined | { readonly certificate: string } | { readonly fault: string };

/** The certificate (PEM) of an approved request. Throws when the authority has expired. */
// as pkg/controller/certificates/signer/signer.go
export function signApproved(authority: Authority, csr: CertificateSigningRequest, options: SignOptions): Signed {
  const { now, days = 365 } = options;
  const { signerName = '', usages = [], expirationSeconds, request: base64 = '' } = csr.spec ?? {};
  const rules = own(signers, signerName);
  if (rules === undefined) return undefined;
  const text = Buffer.from(base64, 'base64').toString('utf8');
  const request = parseRequest(pemBlock(text, 'CERTIFICATE REQUEST'));
  for (const rule of rules) {
    const fault = rule(request, usages);
    if (fault !== undefined) return { fault };
  }
  const end = new Date(authority.x509.validTo);
  if (now >= end)
    throw new Error(`refusing to sign a certificate that expired in the past: NotAfter=${end.toISOString()}`);
  const notAfter = new Date(now.getTime() + lifetime(expirationSeconds, days * 24 * 60 * minute));
  return {
    certificate: signRequest(authority, request, {
      usages,
      notBefore: new Date(now.getTime() - backdate),
      notAfter: notAfter < end ? notAfter : end,
    }),
  };
}
