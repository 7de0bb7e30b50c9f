import type { KubeObject } from '../../openapi/interface.js';
import { objectKey } from '../../openapi/meta/gvk.js';
import { controllerOf } from '../../openapi/meta/owner.js';
import type { Key } from '../../controllers/runtime/interface.js';

/** The key of the workload of this kind that controls an object: workloads live where what they own lives. */
export function ownerKey(owned: KubeObject | undefined, kind: string): Key | undefined {
  const owner = owned && controllerOf(owned);
  return owner?.kind === kind ? objectKey(owned?.metadata.namespace, owner.name) : undefined;
}
