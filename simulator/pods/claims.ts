import { namespacedName } from '../../apimachinery/meta/gvk.js';
import type { PersistentVolumeClaim } from '../../openapi/gen/core-v1.js';
import type { Pod } from './state.js';

/** Returns the claims that a Pod names, in its own namespace. */
export const claimNamesOf = ({ spec }: Pod): readonly string[] =>
  (spec?.volumes ?? []).flatMap(({ persistentVolumeClaim }) =>
    persistentVolumeClaim ? [persistentVolumeClaim.claimName] : [],
  );

/** Returns why a Pod has to wait for its claims, in the words of kube-scheduler; undefined when all are bound. */
// as pkg/scheduler/framework/plugins/volumebinding PreFilter
export function claimsMissing(
  pod: Pod,
  claimOf: (key: string) => PersistentVolumeClaim | undefined,
): string | undefined {
  let isUnbound = false;
  for (const name of claimNamesOf(pod)) {
    const claim = claimOf(namespacedName(pod.metadata.namespace, name));
    if (!claim) return `persistentvolumeclaim "${name}" not found`;
    if (claim.metadata.deletionTimestamp) return `persistentvolumeclaim "${name}" is being deleted`;
    if (claim.status?.phase !== 'Bound') isUnbound = true;
  }
  return isUnbound ? 'pod has unbound immediate PersistentVolumeClaims' : undefined;
}
