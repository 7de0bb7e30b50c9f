import type { GroupVersionResource } from '../../apimachinery/interface.js';
import { errorText } from '../../apimachinery/errors/error-text.js';
import { ignoreNotFound } from '../../client/find.js';
import type { Client, ObjectKey } from '../../client/interface.js';
import { memberRoleName, memberServiceAccountName } from '../../api/karmada/names.js';
import { core, rbac } from './resources.js';

/** An object that joining has created in a member and that could not be deleted. */
export interface Remainder {
  /** Name in the form of kubectl's arguments: `clusterrole/NAME`, `serviceaccount/NAME -n NAMESPACE`. */
  readonly what: string;
  /** Message of the error. */
  readonly why: string;
}

/**
 * Deletes the objects that joining has created in a member. as `karmadactl unjoin`. An object that is gone already is not an error;
 * resolves with the objects that could not be deleted.
 */
export async function leaveCluster(member: Client, name: string, namespace: string): Promise<readonly Remainder[]> {
  const account = memberServiceAccountName(name);
  const role = { name: memberRoleName(account) };
  const objects: [string, GroupVersionResource, ObjectKey][] = [
    [`clusterrolebinding/${role.name}`, rbac('clusterrolebindings'), role],
    [`clusterrole/${role.name}`, rbac('clusterroles'), role],
    [`serviceaccount/${account} -n ${namespace}`, core('serviceaccounts'), { namespace, name: account }],
    [`namespace/${namespace}`, core('namespaces'), { name: namespace }],
  ];
  const remainders = await Promise.all(
    objects.map(([what, resource, key]) =>
      ignoreNotFound(member.delete(resource, key)).then(
        () => undefined,
        (error: unknown): Remainder => ({ what, why: errorText(error) }),
      ),
    ),
  );
  return remainders.filter(each => each !== undefined);
}
