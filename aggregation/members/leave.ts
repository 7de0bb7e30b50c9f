import type { GroupVersionResource } from '../../openapi/interface.js';
import { found } from '../../registry/client/found.js';
import type { Client, ObjectKey } from '../../registry/interface.js';
import { memberRoleName, memberServiceAccountName } from '../../registry/kinds/karmada/names.js';
import { core, rbac } from './resources.js';

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
  for (const [resource, key] of things) await found(member.delete(resource, key));
}
