import type { KubeObject } from '../../apimachinery/interface.js';
import { namespacedName } from '../../apimachinery/meta/gvk.js';
import { controllerOf } from '../../apimachinery/meta/owner.js';
import type { Key } from '../../client/runtime/interface.js';

/** Returns the key of the workload of this kind that controls an object; both are in the same namespace. */
export function ownerKey(owned: KubeObject | undefined, kind: string): Key | undefined {
  const owner = owned && controllerOf(owned);
  return owner?.kind === kind ? namespacedName(owned?.metadata.namespace, owner.name) : undefined;
}
