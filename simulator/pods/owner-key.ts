import type { KubeObject } from '../../apimachinery/interface.js';
import { objectKey } from '../../apimachinery/meta/gvk.js';
import { controllerOf } from '../../apimachinery/meta/owner.js';
import type { Key } from '../../client/runtime/interface.js';

/** The key of the workload of this kind that controls an object: workloads live where what they own lives. */
export function ownerKey(owned: KubeObject | undefined, kind: string): Key | undefined {
  const owner = owned && controllerOf(owned);
  return owner?.kind === kind ? objectKey(owned?.metadata.namespace, owner.name) : undefined;
}
