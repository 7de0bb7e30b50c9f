/** Who owns which fields: managedFields of every write (OBJ-110 to OBJ-115). */
import type { KubeObject } from '../../openapi/interface.js';
import type { Parts } from './context.js';
import type { Call } from './interface.js';

/** The draft with the fields that this call changed owned by its manager. Both are of the version of the call. */
export function ownUpdate(_parts: Parts, _call: Call, _live: KubeObject | undefined, draft: KubeObject): KubeObject {
  return draft;
}

/** When nothing but the times of managedFields changed, they did not change either: in place. */
export function keepManagedFieldsTimes(_draft: KubeObject, _old: KubeObject): void {
  return;
}
