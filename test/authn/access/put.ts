import type { Policy, PolicyResource } from '../../../authn/access/policy.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { objectKey } from '../../../apimachinery/meta/gvk.js';

/** Takes an object into a policy, as if it were in the store. */
export function put(policy: Policy, resource: PolicyResource, object: KubeObject): void {
  const { namespace, name = '' } = object.metadata;
  policy.put(resource, objectKey(namespace, name), { object });
}
