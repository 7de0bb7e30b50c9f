import type { KubeObject } from '../../openapi/interface.js';
import { forbidden, isNotFound, namespaceTerminating } from '../../openapi/meta/status.js';
import type { Client } from '../interface.js';
import { nameOf, resourceOf } from './deny.js';
import type { AdmissionDeps, AdmissionPlugin, AdmissionRequest } from './interface.js';

const immortal: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public']);
const namespaces = { group: '', version: 'v1', resource: 'namespaces' };

/**
 * Nothing comes into a namespace that is missing or terminating, and some namespaces are never deleted (HTTP-105, HTTP-106, SEC-051).
 */
// as apiserver/pkg/admission/plugin/namespace/lifecycle
export function namespaceLifecycle({ client }: AdmissionDeps): AdmissionPlugin {
  return {
    name: 'NamespaceLifecycle',
    async mutate(request) {
      const { operation, definition, namespace, name } = request;
      const isNamespace = definition.group === '' && definition.plural === 'namespaces';
      if (isNamespace && operation === 'DELETE' && immortal.has(name))
        throw forbidden(resourceOf(request), name, 'this namespace may not be deleted');
      if (isNamespace || namespace === '' || operation === 'DELETE' || isAccessReview(request)) return;
      const found = await find(client, namespace);
      const { phase } = (found.status ?? {}) as { phase?: string };
      if (operation === 'CREATE' && phase === 'Terminating')
        throw namespaceTerminating(resourceOf(request), nameOf(request), namespace);
    },
  };
}

/** To say whether its namespace exists would tell who may not know. */
function isAccessReview({ definition }: AdmissionRequest): boolean {
  return definition.group === 'authorization.k8s.io' && definition.plural === 'localsubjectaccessreviews';
}

/** hot: every write of a namespaced object. What is in memory will do, unless it has no such namespace. */
async function find(client: Client, name: string): Promise<KubeObject> {
  try {
    return await client.get(namespaces, { name }, { resourceVersion: '0' });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return client.get(namespaces, { name });
  }
}
