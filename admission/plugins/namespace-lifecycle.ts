import { andThen } from '../../lib/maybe.js';
import { forbidden, namespaceTerminating } from '../../apimachinery/errors/status.js';
import { groupResourceOf } from '../../registry/group-resource.js';
import { nameOf } from '../deny.js';
import type { AdmissionDeps, AdmissionPlugin, AdmissionRequest } from '../../registry/admission-plugin.js';
import { getRecent } from '../../client/recent.js';
import { namespaces } from '../../api/kubernetes/resources.js';

const immortal: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public']);

/**
 * Refuses writes into a namespace that does not exist, creates in a terminating one, and the deletion of system namespaces.
 */
// as apiserver/pkg/admission/plugin/namespace/lifecycle
export function namespaceLifecycle({ client }: AdmissionDeps): AdmissionPlugin {
  return {
    name: 'NamespaceLifecycle',
    mutate(request) {
      const { operation, definition, namespace, name } = request;
      const isNamespace = definition.group === '' && definition.plural === 'namespaces';
      if (isNamespace && operation === 'DELETE' && immortal.has(name))
        throw forbidden(groupResourceOf(request), name, 'this namespace may not be deleted');
      if (isNamespace || namespace === '' || operation === 'DELETE' || isAccessReview(request)) return;
      return andThen(getRecent(client, namespaces, { name: namespace }), ({ status }) => {
        if (operation === 'CREATE' && (status as { phase?: string } | undefined)?.phase === 'Terminating')
          throw namespaceTerminating(groupResourceOf(request), nameOf(request), namespace);
      });
    },
  };
}

/** Reports whether it is a LocalSubjectAccessReview: its answer must not reveal whether the namespace exists. */
function isAccessReview({ definition }: AdmissionRequest): boolean {
  return definition.group === 'authorization.k8s.io' && definition.plural === 'localsubjectaccessreviews';
}
