import type { GroupVersionResource } from '../../apimachinery/interface.js';
import { errorText } from '../../apimachinery/errors/error-text.js';
import { found } from '../../client/found.js';
import type { Client, ObjectKey } from '../../client/interface.js';
import { memberRoleName, memberServiceAccountName } from '../../api/karmada/names.js';
import { core, rbac } from './resources.js';

/** Something that joining has made in a member and that could not be removed. */
export interface Remainder {
  /** As kubectl names it: `clusterrole/NAME`, `serviceaccount/NAME -n NAMESPACE`. */
  readonly what: string;
  /** Why it is still there. */
  readonly why: string;
}

/**
 * Removes from a member what joining has made there. as `karmadactl unjoin`. What is gone already is no error; resolves with what could
 * not be removed.
 */
export async function leaveCluster(member: Client, name: string, namespace: string): Promise<readonly Remainder[]> {
  const account = memberServiceAccountName(name);
  const role = { name: memberRoleName(account) };
  const things: [string, GroupVersionResource, ObjectKey][] = [
    [`clusterrolebinding/${role.name}`, rbac('clusterrolebindings'), role],
    [`clusterrole/${role.name}`, rbac('clusterroles'), role],
    [`serviceaccount/${account} -n ${namespace}`, core('serviceaccounts'), { namespace, name: account }],
    [`namespace/${namespace}`, core('namespaces'), { name: namespace }],
  ];
  const remainders = await Promise.all(
    things.map(([what, resource, key]) =>
      found(member.delete(resource, key)).then(
        () => undefined,
        (error: unknown): Remainder => ({ what, why: errorText(error) }),
      ),
    ),
  );
  return remainders.filter(each => each !== undefined);
}
