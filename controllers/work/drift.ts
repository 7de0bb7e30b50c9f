import type { KubeObject } from '../../apimachinery/interface.js';
import { cloneJson } from '../../lib/json/clone.js';
import { deepEqual } from '../../lib/json/equality.js';
import { pruneManifest } from '../../kinds/karmada/prune-manifest.js';
import { specificationChanged } from '../policy/change.js';

/** Returns whether the specification of an object in a member has changed. */
export function drifted(old: KubeObject, object: KubeObject): boolean {
  if (!specificationChanged(old, object)) return false; // Most changes are of status.
  return !deepEqual(asManifest(old), asManifest(object));
}

/** Returns a copy of the fields that a manifest can have. Status and managedFields, the largest parts, are not copied. */
function asManifest({ metadata: { managedFields: _, ...metadata }, status: _status, ...rest }: KubeObject): KubeObject {
  const manifest = cloneJson<KubeObject>({ ...rest, metadata });
  pruneManifest(manifest);
  return manifest;
}
