/** Controllers that approve requests which their users may have approved. */
import type { CertificateRequest } from '../../apimachinery/x509/request.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import type { SubjectAccessReview } from '../../api/kubernetes/authorization.js';
import type { CertificateSigningRequest } from '../../api/kubernetes/certificates.js';
import { certificateSigningRequests, subjectAccessReviews } from '../../api/kubernetes/resources.js';
import { clientSigner, kubeletClientSigner } from '../../api/kubernetes/well-known.js';
import { keyOf } from '../../client/key.js';
import type { ControllerContext } from '../../client/runtime/interface.js';
import { updateObject } from '../../client/runtime/update.js';
import { hasCondition, requestOf } from './request-of.js';
import { agentFault, kubeletClientFault } from './signers.js';

/** A kind of requests, and the permission that its users need. */
interface Recognizer {
  recognizes(csr: CertificateSigningRequest, request: CertificateRequest): boolean;
  /** The users need `create` of this subresource of certificatesigningrequests. */
  readonly subresource: string;
  readonly message: string;
}

/** A request that was recognized and not permitted is checked again, since roles change. */
const recheckMs = 60_000;

const isUndecided = (csr: CertificateSigningRequest): boolean =>
  !csr.status?.certificate && !hasCondition(csr, 'Approved') && !hasCondition(csr, 'Denied');

/** as pkg/controller/certificates/approver sarApprover */
function startApproving(
  context: ControllerContext,
  name: string,
  { signer, recognizers }: { readonly signer: string; readonly recognizers: readonly Recognizer[] },
): void {
  const { client } = context;
  const requests = context.informers.informer<CertificateSigningRequest>(certificateSigningRequests);

  async function isPermitted({ spec = {} }: CertificateSigningRequest, subresource: string): Promise<boolean> {
    const { username: user, uid, groups, extra } = spec;
    const review: KubeObject = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      metadata: {},
      spec: {
        ...{ user, uid, groups, extra },
        resourceAttributes: {
          ...{ group: 'certificates.k8s.io', version: '*', resource: 'certificatesigningrequests' },
          ...{ verb: 'create', subresource },
        },
      },
    };
    const { status } = (await client.create(subjectAccessReviews, review)) as SubjectAccessReview;
    return status?.allowed ?? false;
  }

  const isCandidate = (csr: CertificateSigningRequest): boolean => csr.spec?.signerName === signer && isUndecided(csr);

  context.run({
    name,
    synced: [requests.synced],
    wire: queue => requests.onChange(({ new: csr }) => csr && isCandidate(csr) && queue.add(keyOf(csr))),
    reconcile: async key => {
      const csr = requests.get(key);
      if (!csr || csr.metadata.deletionTimestamp || !isCandidate(csr)) return undefined;
      const request = requestOf(csr);
      const recognized = recognizers.filter(recognizer => recognizer.recognizes(csr, request));
      for (const { subresource, message } of recognized) {
        if (!(await isPermitted(csr, subresource))) continue;
        const approved = { type: 'Approved', status: 'True', reason: 'AutoApproved', message };
        await updateObject(
          client,
          certificateSigningRequests,
          csr,
          draft => {
            if (isUndecided(draft)) ((draft.status ??= {}).conditions ??= []).push(approved);
          },
          { subresource: 'approval' },
        );
        return undefined;
      }
      return recognized.length > 0 ? { againAfter: recheckMs } : undefined;
    },
  });
}

const isSelf = ({ spec }: CertificateSigningRequest, { subject }: CertificateRequest): boolean =>
  spec?.username === subject.name;

/** Approves the client certificates of kubelets. as pkg/controller/certificates/approver NewCSRApprovingController */
export function startNodeApproving(context: ControllerContext): void {
  const isOfNode: Recognizer['recognizes'] = ({ spec }, request) =>
    kubeletClientFault(request, spec?.usages ?? []) === undefined;
  startApproving(context, 'certificatesigningrequest-approving-controller', {
    signer: kubeletClientSigner,
    recognizers: [
      {
        recognizes: (csr, request) => isSelf(csr, request) && isOfNode(csr, request),
        subresource: 'selfnodeclient',
        message: 'Auto approving self kubelet client certificate after SubjectAccessReview.',
      },
      {
        recognizes: isOfNode,
        subresource: 'nodeclient',
        message: 'Auto approving kubelet client certificate after SubjectAccessReview.',
      },
    ],
  });
}

/** Approves the certificates of Karmada's agents. as Karmada's pkg/controllers/certificate/approver AgentCSRApprovingController */
export function startAgentApproving(context: ControllerContext): void {
  const isOfAgent: Recognizer['recognizes'] = ({ spec }, request) =>
    agentFault(request, spec?.usages ?? []) === undefined;
  startApproving(context, 'agent-csr-approving-controller', {
    signer: clientSigner,
    recognizers: [
      {
        recognizes: (csr, request) => isSelf(csr, request) && isOfAgent(csr, request),
        subresource: 'selfclusteragent',
        message: 'Auto approving self karmada agent certificate after SubjectAccessReview.',
      },
      {
        recognizes: isOfAgent,
        subresource: 'clusteragent',
        message: 'Auto approving karmada agent certificate after SubjectAccessReview.',
      },
    ],
  });
}
