import type { RbacPolicy, PolicyResource } from '../../../authn/access/policy.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { namespacedName } from '../../../apimachinery/meta/gvk.js';

/** Adds an object to a policy as if it were in the store. */
export function put(policy: RbacPolicy, resource: PolicyResource, object: KubeObject): void {
  const { namespace, name = '' } = object.metadata;
  policy.put(resource, namespacedName(namespace, name), { object });
}
