import type { KubeObject } from '../../apimachinery/interface.js';
import type { ObjectReference } from '../../api/karmada/types.js';

/** Returns the referenced object with the fields that events need. */
export function referenced({ apiVersion, kind, namespace, name, uid }: ObjectReference): KubeObject {
  return { apiVersion, kind, metadata: { name, ...(namespace ? { namespace } : {}), ...(uid ? { uid } : {}) } };
}
