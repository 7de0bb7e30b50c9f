import type { GroupVersionResource } from '../../openapi/interface.js';
import { isNotFound } from '../../openapi/meta/status.js';
import type { Client, ObjectKey } from '../../registry/interface.js';
import { memberRoleName, memberServiceAccountName } from '../../registry/kinds/karmada/names.js';

const core = (resource: string): GroupVersionResource => ({ group: '', version: 'v1', resource });
const rbac = (resource: string): GroupVersionResource => ({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  resource,
});

/** Removes from a member what joining has made there. as `karmadactl unjoin`. What is gone already is no error. */
export async function leaveCluster(member: Client, name: string, namespace: string): Promise<void> {
  const account = memberServiceAccountName(name);
  const role = { name: memberRoleName(account) };
  const things: [GroupVersionResource, ObjectKey][] = [
    [rbac('clusterrolebindings'), role],
    [rbac('clusterroles'), role],
    [core('serviceaccounts'), { namespace, name: account }],
    [core('namespaces'), { name: namespace }],
  ];
  for (const [resource, key] of things) {
    try {
      await member.delete(resource, key);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}
