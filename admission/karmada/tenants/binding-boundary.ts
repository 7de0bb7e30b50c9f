import { semanticEqual } from '../../../lib/json/equality.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { Attributes, Authorizer } from '../../../registry/access.js';
import { howToLift } from '../../../kinds/karmada/tenant-boundaries.js';
import type { Binding } from '../../../api/karmada/types.js';
import type { AdmissionRequest } from '../../../registry/admission-plugin.js';
import type { Boundary } from './boundary.js';

const verbs = { CREATE: 'create', UPDATE: 'update', DELETE: 'delete', CONNECT: 'connect' } as const;

/** Returns the namespace of the propagated object if it is not the binding's own; '' for a cluster-scoped object. */
function foreignNamespace(object: KubeObject | undefined, bindingNamespace: string): string | undefined {
  if (!object) return undefined;
  const { namespace = '' } = (object as Binding).spec.resource;
  return namespace === bindingNamespace ? undefined : namespace;
}

/** Returns the attributes of the same write to a binding in the object's namespace. */
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

/** Reports whether an update changes only metadata, which does not affect what is propagated. */
function changesOnlyMetadata({ operation, object, old }: AdmissionRequest): boolean {
  if (operation !== 'UPDATE' || !object || !old) return false;
  const { metadata } = old;
  return semanticEqual({ ...object, metadata }, old);
}

async function findCrossing(
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
 * The control plane propagates the object of a binding with full rights in the members. So a binding must refer to an object of its own
 * namespace, unless the writer may write bindings in the object's namespace. Karmada's controllers have that right; they refer to
 * other namespaces for dependencies.
 */
export const bindingBoundary: Boundary = (request, authorize) => {
  const { namespace, object, old } = request;
  const named = [foreignNamespace(object, namespace), foreignNamespace(old, namespace)].filter(
    each => each !== undefined,
  );
  return named.length === 0 || changesOnlyMetadata(request) ? undefined : findCrossing(request, named, authorize);
};
