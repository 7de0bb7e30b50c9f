import { semanticEqual } from '../../../lib/json/equality.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { Attributes, Authorizer } from '../../../registry/access.js';
import { howToLift } from '../../../kinds/karmada/tenant-boundaries.js';
import type { Binding } from '../../../api/karmada/types.js';
import type { AdmissionRequest } from '../../../registry/admission-plugin.js';
import type { Boundary } from './boundary.js';

const verbs = { CREATE: 'create', UPDATE: 'update', DELETE: 'delete', CONNECT: 'connect' } as const;

/** The namespace of what a binding propagates where that is not the binding's own; '' for objects of the cluster. */
function foreignNamespace(object: KubeObject | undefined, own: string): string | undefined {
  if (!object) return undefined;
  const { namespace = '' } = (object as Binding).spec.resource;
  return namespace === own ? undefined : namespace;
}

/** The right to write a binding where the object is. */
function rightTo(request: AdmissionRequest, namespace: string): Attributes {
  const { operation, subresource, name } = request;
  return {
    type: 'resource',
    verb: verbs[operation],
    group: 'work.karmada.io',
    version: 'v1alpha2',
    resource: namespace === '' ? 'clusterresourcebindings' : 'resourcebindings',
    subresource,
    namespace,
    name: operation === 'CREATE' ? '' : name,
  };
}

function crossing(request: AdmissionRequest, namespace: string, { verb }: Attributes): string {
  const { kind, name } = ((request.object ?? request.old) as Binding).spec.resource;
  const named = namespace === '' ? 'an object of the cluster' : `an object in the namespace ${namespace}`;
  const needed =
    namespace === '' ? `${verb} clusterresourcebindings` : `${verb} resourcebindings in the namespace ${namespace}`;
  return (
    `spec.resource names ${named} (${kind} ${name}), and this binding is in the namespace ${request.namespace}: only users who ` +
    `may ${needed} can write it. Name an object of the namespace ${request.namespace}, or ask a cluster administrator ${howToLift}`
  );
}

/** Metadata alone decides on nothing that is propagated. */
function changesNothing({ operation, object, old }: AdmissionRequest): boolean {
  if (operation !== 'UPDATE' || !object || !old) return false;
  const { metadata } = old;
  return semanticEqual({ ...object, metadata }, old);
}

async function judge(
  request: AdmissionRequest,
  namespaces: readonly string[],
  authorize: Authorizer,
): Promise<string | undefined> {
  for (const namespace of namespaces) {
    const right = rightTo(request, namespace);
    if (!(await authorize(request.user, right)).allowed) return crossing(request, namespace, right);
  }
  return undefined;
}

/**
 * The control plane applies what a binding names to the members, with all rights there. So a binding stays within its namespace, unless
 * the writer could write a binding for the named object just as well. Controllers of Karmada, which name other namespaces where a
 * dependency is in one, have that right.
 */
export const bindingBoundary: Boundary = (request, authorize) => {
  const { namespace, object, old } = request;
  const named = [foreignNamespace(object, namespace), foreignNamespace(old, namespace)].filter(
    each => each !== undefined,
  );
  return named.length === 0 || changesNothing(request) ? undefined : judge(request, named, authorize);
};
