/** Decides who may approve and sign certificates, and what may not be requested. */
import { clientSigner } from '../../api/kubernetes/well-known.js';
import { goQuote } from '../../lib/go/go-text.js';
import { forbidden } from '../../apimachinery/errors/status.js';
import type { AdmissionPlugin, AdmissionRequest } from '../../registry/admission-plugin.js';
import type { Identity } from '../../apimachinery/identity.js';
import type { CertificateSigningRequest } from '../../api/kubernetes/certificates.js';
import { semanticEqual } from '../../lib/json/equality.js';
import { systemMasters } from '../identity/system-users.js';
import type { Attributes, Authorizer } from '../interface.js';
import { parseRequest } from '../../apimachinery/x509/request.js';
import { groupResourceOf } from '../../registry/group-resource.js';

const resources = ['certificatesigningrequests.certificates.k8s.io'];

const refuse = (request: AdmissionRequest, text: string): Error =>
  forbidden(groupResourceOf(request), request.name, text);

/** Returns whether the user has a right on the signer, or on all signers of its domain. as pkg/certauthorization */
async function mayUse(authorize: Authorizer, user: Identity, verb: string, signer: string): Promise<boolean> {
  const attributesOf = (name: string): Attributes => ({
    ...{ type: 'resource', verb, group: 'certificates.k8s.io', version: '*' },
    ...{ resource: 'signers', subresource: '', namespace: '', name },
  });
  if ((await authorize(user, attributesOf(signer))).allowed) return true;
  const [domain = ''] = signer.split('/');
  return (await authorize(user, attributesOf(`${domain}/*`))).allowed;
}

/** Returns the signer of the stored request, which an update cannot change. */
const signerOf = ({ old }: AdmissionRequest): string =>
  (old as CertificateSigningRequest | undefined)?.spec?.signerName ?? '';

/** Refuses approvals by users without the right `approve` on the signer. as plugin/pkg/admission/certificates/approval */
export function certificateApproval(authorize: Authorizer): AdmissionPlugin {
  return {
    name: 'CertificateApproval',
    resources,
    validate: async request => {
      if (request.operation !== 'UPDATE' || request.subresource !== 'approval') return;
      const signer = signerOf(request);
      if (await mayUse(authorize, request.user, 'approve', signer)) return;
      throw refuse(request, `user not permitted to approve requests with signerName ${goQuote(signer)}`);
    },
  };
}

/** Refuses certificates and conditions by users without the right `sign` on the signer. as plugin/pkg/admission/certificates/signing */
export function certificateSigning(authorize: Authorizer): AdmissionPlugin {
  return {
    name: 'CertificateSigning',
    resources,
    validate: async request => {
      if (request.operation !== 'UPDATE' || request.subresource !== 'status') return;
      const now = (request.object as CertificateSigningRequest | undefined)?.status;
      const before = (request.old as CertificateSigningRequest | undefined)?.status;
      if (now?.certificate === before?.certificate && semanticEqual(now?.conditions, before?.conditions)) return;
      const signer = signerOf(request);
      if (await mayUse(authorize, request.user, 'sign', signer)) return;
      throw refuse(request, `user not permitted to sign requests with signerName ${goQuote(signer)}`);
    },
  };
}

export const certificateSubjectRestriction: AdmissionPlugin = {
  name: 'CertificateSubjectRestriction',
  resources,
  validate: request => {
    if (request.operation !== 'CREATE' || request.subresource !== '') return;
    const { spec } = (request.object ?? {}) as CertificateSigningRequest;
    if (spec?.signerName !== clientSigner) return;
    const pem = Buffer.from(spec.request ?? '', 'base64').toString('utf8');
    const { subject } = parseRequest(pem);
    if (!subject.groups.includes(systemMasters)) return;
    throw refuse(request, `use of ${clientSigner} signer with system:masters group is not allowed`);
  },
};
