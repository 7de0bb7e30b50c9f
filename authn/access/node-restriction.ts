/** Limits the writes of nodes, beyond their rights, to their own Node, its Lease and CSINode, and the Pods that run there. */
// as plugin/pkg/admission/noderestriction/admission.go
import { kubeletClientSigner, kubeletServingSigner } from '../../api/kubernetes/well-known.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import { semanticEqual } from '../../lib/json/equality.js';
import { goQuote } from '../../lib/go/go-text.js';
import { type Maybe, andThen } from '../../lib/maybe.js';
import { deny } from '../../admission/deny.js';
import type { AdmissionPlugin, AdmissionRequest } from '../../registry/admission-plugin.js';
import { getRecent } from '../../client/recent.js';
import { apiReference } from '../../admission/plugins/pod-references.js';
import type { Client } from '../../client/interface.js';
import { mirrorAnnotation } from '../../kinds/kubernetes/core/pod-spec/pod-annotation-rules.js';
import type { TokenRequest } from '../../api/kubernetes/authentication.js';
import type { CertificateSigningRequest } from '../../api/kubernetes/certificates.js';
import type { Node, PersistentVolumeClaim, Pod } from '../../api/kubernetes/core.js';
import type { ResourceSlice } from '../../api/kubernetes/resource.js';
import { parseRequest } from '../../apimachinery/x509/request.js';
import { isNode, nodePrefix } from './node.js';
import { forbiddenLabels, modifiedLabels } from './node-labels.js';

interface NodeRequest {
  readonly request: AdmissionRequest;
  /** The name of the requesting node. */
  readonly node: string;
  readonly client: Client;
}

/** Returns the text of a refusal; undefined when the node may do it. Rejects with NotFound when the object is missing. */
type Check = (asked: NodeRequest) => Maybe<string | undefined>;

const pods = { group: '', version: 'v1', resource: 'pods' };
const nodes = { group: '', version: 'v1', resource: 'nodes' };

const podAt = ({ client, request: { namespace } }: NodeRequest, name: string): Maybe<Pod> =>
  getRecent(client, pods, { namespace, name });

/** Checks that the owner of a mirror pod is its existing node. */
function ownerFault(
  { metadata: { ownerReferences = [] } }: Pod,
  { node, client }: NodeRequest,
): Maybe<string | undefined> {
  const named = `node ${goQuote(node)}`;
  const [owner, ...more] = ownerReferences;
  if (more.length > 0) return `${named} can only create pods with a single owner reference set to itself`;
  if (owner?.apiVersion !== 'v1' || owner.kind !== 'Node' || owner.name !== node)
    return `${named} can only create pods with an owner reference set to itself`;
  if (!owner.controller) return `${named} can only create pods with a controller owner reference set to itself`;
  if (owner.blockOwnerDeletion) return `${named} must not set blockOwnerDeletion on an owner reference`;
  return andThen(getRecent(client, nodes, { name: node }), ({ metadata: { uid } }) =>
    uid === owner.uid ? undefined : `node ${node} UID mismatch: expected ${owner.uid} got ${uid}`,
  );
}

function newPod(nodeRequest: NodeRequest): Maybe<string | undefined> {
  const { request, node } = nodeRequest;
  const pod = request.object as Pod;
  const named = `node ${goQuote(node)}`;
  if (pod.metadata.annotations?.[mirrorAnnotation] === undefined)
    return `pod does not have ${goQuote(mirrorAnnotation)} annotation, ${named} can only create mirror pods`;
  if (pod.spec?.nodeName !== node) return `${named} can only create pods with spec.nodeName set to itself`;
  return andThen(ownerFault(pod, nodeRequest), fault => {
    if (fault !== undefined) return fault;
    const reference = apiReference(pod);
    return reference === undefined ? undefined : `${named} can not create pods that reference ${reference}`;
  });
}

function pod(asked: NodeRequest): Maybe<string | undefined> {
  const { request, node } = asked;
  const named = `node ${goQuote(node)}`;
  if (request.operation === 'CREATE') return newPod(asked);
  if (request.operation !== 'DELETE')
    return `unexpected operation ${goQuote(request.operation)}, ${named} can only create and delete mirror pods`;
  const { spec } = request.old as Pod;
  return spec?.nodeName === node ? undefined : `${named} can only delete pods with spec.nodeName set to itself`;
}

const podStatus: Check = ({ request: { operation, object, old }, node }) => {
  if (operation !== 'UPDATE') return `unexpected operation ${goQuote(operation)}`;
  const [before, after] = [old as Pod, object as Pod];
  const named = `node ${goQuote(node)}`;
  if (before.spec?.nodeName !== node)
    return `${named} can only update pod status for pods with spec.nodeName set to itself`;
  if (!semanticEqual(before.metadata.labels, after.metadata.labels))
    return `${named} cannot update labels through pod status`;
  if (!semanticEqual(before.status?.resourceClaimStatuses, after.status?.resourceClaimStatuses))
    return `${named} cannot update resource claim statues`;
  if (!semanticEqual(before.status?.extendedResourceClaimStatus, after.status?.extendedResourceClaimStatus))
    return `${named} cannot update extended resource claim status`;
  return undefined;
};

function podEviction(asked: NodeRequest): Maybe<string | undefined> {
  const { request, node } = asked;
  if (request.operation !== 'CREATE') return `unexpected operation ${request.operation}`;
  const name = request.name || request.object?.metadata.name;
  if (!name) return 'could not determine pod from request data';
  return andThen(podAt(asked, name), ({ spec }) =>
    spec?.nodeName === node ? undefined : `node ${node} can only evict pods with spec.nodeName set to itself`,
  );
}

const anyPod: Check = asked => {
  const { subresource } = asked.request;
  if (subresource === '') return pod(asked);
  if (subresource === 'status') return podStatus(asked);
  if (subresource === 'eviction') return podEviction(asked);
  return `unexpected pod subresource ${goQuote(subresource)}, only 'status' and 'eviction' are allowed`;
};

function changedNode({ spec, metadata }: Node, before: Node, node: string): string | undefined {
  const named = `node ${goQuote(node)}`;
  if (spec?.configSource && !semanticEqual(spec.configSource, before.spec?.configSource))
    return `${named} is not allowed to update configSource to a new non-nil configSource`;
  if (!semanticEqual(spec?.taints, before.spec?.taints)) return `${named} is not allowed to modify taints`;
  if (!semanticEqual(metadata.ownerReferences, before.metadata.ownerReferences))
    return `${named} is not allowed to modify ownerReferences`;
  const forbidden = forbiddenLabels(modifiedLabels(metadata.labels, before.metadata.labels));
  return forbidden.length > 0 ? `is not allowed to modify labels: ${forbidden.join(', ')}` : undefined;
}

const ownNode: Check = ({ request: { operation, object, old, name }, node }) => {
  const asked = name || object?.metadata.name || '';
  if (asked !== node) return `node ${goQuote(node)} is not allowed to modify node ${goQuote(asked)}`;
  const draft = object as Node | undefined;
  if (operation === 'UPDATE' && draft && old) return changedNode(draft, old, node);
  if (operation !== 'CREATE' || !draft) return undefined;
  if (draft.spec?.configSource)
    return `node ${goQuote(node)} is not allowed to create pods with a non-nil configSource`;
  const forbidden = forbiddenLabels(modifiedLabels(draft.metadata.labels, undefined));
  if (forbidden.length === 0) return undefined;
  return `node ${goQuote(node)} is not allowed to set the following labels: ${forbidden.join(', ')}`;
};

/** Returns a claim without the fields that a node may write. */
function withoutNodeFields(claim: PersistentVolumeClaim): KubeObject {
  const { resourceVersion: _version, managedFields: _fields, ...metadata } = claim.metadata;
  const {
    capacity: _,
    conditions: __,
    allocatedResources: ___,
    allocatedResourceStatuses: ____,
    ...status
  } = claim.status ?? {};
  return { ...claim, metadata, status };
}

const claim: Check = ({ request: { subresource, operation, object, old }, node }) => {
  if (subresource !== 'status') return 'may only update PVC status';
  if (operation !== 'UPDATE') return `unexpected operation ${goQuote(operation)}`;
  const [before, after] = [old as PersistentVolumeClaim, object as PersistentVolumeClaim];
  if (semanticEqual(withoutNodeFields(before), withoutNodeFields(after))) return undefined;
  // differs: the difference is not shown
  return `node ${goQuote(node)} is not allowed to update fields other than status.quantity and status.conditions`;
};

const token: Check = asked => {
  const { request, node } = asked;
  if (request.operation !== 'CREATE' || request.subresource !== 'token') return undefined;
  const { boundObjectRef: bound, audiences = [] } = (request.object as TokenRequest).spec ?? {};
  if (bound?.apiVersion !== 'v1' || bound.kind !== 'Pod' || !bound.name)
    return 'node requested token not bound to a pod';
  if (!bound.uid) return 'node requested token with a pod binding without a uid';
  return andThen(podAt(asked, bound.name), ({ metadata, spec }) => {
    if (bound.uid !== metadata.uid)
      return (
        `the UID in the bound object reference (${bound.uid}) does not match the UID in record. ` +
        'The object might have been deleted and then recreated'
      );
    if (spec?.nodeName !== node) return 'node requested token bound to a pod scheduled on a different node';
    // differs: which audiences the volumes of the pod name is not looked at; the pod is the node's own
    return audiences.length > 1 ? 'node may only request 0 or 1 audiences' : undefined;
  });
};

const lease: Check = ({ request: { operation, object, namespace, name }, node }) => {
  if (namespace !== 'kube-node-lease') return 'can only access leases in the "kube-node-lease" system namespace';
  const asked = operation === 'CREATE' ? object?.metadata.name : name;
  return asked === node ? undefined : 'can only access node lease with the same name as the requesting node';
};

const csiNode: Check = ({ request: { operation, object, name }, node }) => {
  const asked = operation === 'CREATE' ? object?.metadata.name : name;
  return asked === node ? undefined : 'can only access CSINode with the same name as the requesting node';
};

const resourceSlice: Check = ({ request: { operation, object, old }, node }) => {
  if (operation !== 'CREATE' && operation !== 'DELETE') return undefined;
  const slice = (operation === 'CREATE' ? object : old) as ResourceSlice;
  if (slice.spec?.nodeName === node) return undefined;
  return `can only ${operation.toLowerCase()} ResourceSlice with the same NodeName as the requesting node`;
};

const nodeSigners = [kubeletServingSigner, kubeletClientSigner];

/** Returns the common name in a PEM certificate request, base64 as objects hold it; undefined where it cannot be read. */
function commonName(request: string): string | undefined {
  try {
    const pem = Buffer.from(request, 'base64').toString('utf8');
    return parseRequest(pem).subject.name;
  } catch {
    return undefined;
  }
}

const certificate: Check = ({ request: { operation, object }, node }) => {
  if (operation !== 'CREATE') return undefined;
  const { signerName = '', request = '' } = (object as CertificateSigningRequest).spec ?? {};
  if (!nodeSigners.includes(signerName)) return undefined;
  const name = commonName(request);
  if (name === undefined) return 'unable to parse csr';
  return name === `${nodePrefix}${node}` ? undefined : `can only create a node CSR with CN=${nodePrefix}${node}`;
};

const checks: Readonly<Record<string, Check>> = {
  pods: anyPod,
  nodes: ownNode,
  persistentvolumeclaims: claim,
  serviceaccounts: token,
  'leases.coordination.k8s.io': lease,
  'csinodes.storage.k8s.io': csiNode,
  'resourceslices.resource.k8s.io': resourceSlice,
  'certificatesigningrequests.certificates.k8s.io': certificate,
};

/**
 * Returns the admission plugin NodeRestriction, which is off unless `--enable-admission-plugins` names it. `client` returns the server's own client;
 * it is called with the first request of a node.
 */
export function nodeRestriction(client: () => Client): AdmissionPlugin {
  return {
    name: 'NodeRestriction',
    resources: Object.keys(checks),
    mutate(request) {
      const { user, definition } = request;
      if (!isNode(user)) return;
      const node = user.name.slice(nodePrefix.length);
      if (node === '') throw deny(request, `could not determine node from user ${goQuote(user.name)}`);
      const { group, plural } = definition;
      const check = checks[group === '' ? plural : `${plural}.${group}`];
      return andThen(check?.({ request, node, client: client() }), text => {
        if (text !== undefined) throw deny(request, text);
      });
    },
  };
}
