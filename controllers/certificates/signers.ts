/** The signers of Kubernetes, and which requests each of them accepts. as pkg/apis/certificates/helpers.go */
import type { CertificateRequest } from '../../apimachinery/x509/request.js';
import {
  clientSigner,
  kubeletClientSigner,
  kubeletServingSigner,
  legacyUnknownSigner,
} from '../../api/kubernetes/well-known.js';

/** Returns what is wrong with a request; undefined if it is accepted. */
type Check = (request: CertificateRequest, usages: readonly string[]) => string | undefined;

/** Usages of a client certificate. The key encipherment may be absent: only keys of RSA have it. */
const clientUsages = ['client auth', 'digital signature', 'key encipherment'];
const servingUsages = ['digital signature', 'key encipherment', 'server auth'];

function usageFault(usages: readonly string[], wanted: readonly string[]): string | undefined {
  const given = new Set(usages);
  const fits =
    usages.every(usage => wanted.includes(usage)) &&
    wanted.every(usage => usage === 'key encipherment' || given.has(usage));
  return fits ? undefined : `usages did not match [${wanted.join(' ')}]`;
}

function nameFault({ subject }: CertificateRequest, organization: string, prefix: string): string | undefined {
  if (subject.groups.length !== 1 || subject.groups[0] !== organization)
    return `subject organization is not ${organization}`;
  return subject.name.startsWith(prefix) ? undefined : `subject common name does not begin with ${prefix}`;
}

function alternativeNameFault(request: CertificateRequest): string | undefined {
  const names = [
    ['DNS', request.dnsNames],
    ['Email', request.emailAddresses],
    ['IP', request.ipAddresses],
    ['URI', request.uris],
  ] as const;
  const found = names.find(([, values]) => values.length > 0);
  return found && `${found[0]} subjectAltNames are not allowed`;
}

/** Returns a check of the client certificates of a group whose users have a common prefix. */
const clientCheck =
  (organization: string, prefix: string): Check =>
  (request, usages) =>
    nameFault(request, organization, prefix) ?? alternativeNameFault(request) ?? usageFault(usages, clientUsages);

/** Returns what is wrong with a request for the client certificate of a kubelet. as pkg/apis/certificates ValidateKubeletClientCSR */
export const kubeletClientFault = clientCheck('system:nodes', 'system:node:');

/** Returns what is wrong with a request of an agent of Karmada. as Karmada's pkg/controllers/certificate/approver ValidateAgentCSR */
export const agentFault = clientCheck('system:karmada:agents', 'system:karmada:agent:');

const kubeletServingFault: Check = (request, usages) => {
  const name = nameFault(request, 'system:nodes', 'system:node:');
  if (name !== undefined) return name;
  if (request.dnsNames.length === 0 && request.ipAddresses.length === 0) return 'DNS or IP subjectAltName is required';
  if (request.emailAddresses.length > 0) return 'Email subjectAltNames are not allowed';
  if (request.uris.length > 0) return 'URI subjectAltNames are not allowed';
  return usageFault(usages, servingUsages);
};

const clientFault: Check = (_request, usages) => {
  const odd = usages.find(usage => !clientUsages.includes(usage));
  if (odd !== undefined) return `invalid usage for client certificate: ${odd}`;
  return usages.includes('client auth') ? undefined : 'missing required usage for client certificate: client auth';
};

/** What each signer refuses to sign. */
export const signerChecks: ReadonlyMap<string, Check> = new Map([
  [kubeletServingSigner, kubeletServingFault],
  [kubeletClientSigner, kubeletClientFault],
  [clientSigner, clientFault],
  [legacyUnknownSigner, () => undefined],
]);
