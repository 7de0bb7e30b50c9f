import type { KubeObject } from '../../apimachinery/interface.js';
import { cloneJson } from '../../lib/json/clone.js';
import { deepEqual } from '../../lib/json/equality.js';
import { pruneManifest } from '../../kinds/karmada/work/prune-manifest.js';
import { contentChanged, specificationChanged } from '../policy/change.js';

/** hot: for every change of an object in a member. Reports whether its specification has changed. */
export function drifted(old: KubeObject, object: KubeObject): boolean {
  if (!specificationChanged(old, object)) return false; // Most changes are of status.
  // Controllers in the member annotate their objects: the rest is neither copied nor compared again then.
  if (!contentChanged(old, object)) return !deepEqual(asManifest(metadataOf(old)), asManifest(metadataOf(object)));
  return !deepEqual(asManifest(old), asManifest(object));
}

/** Returns the metadata, and what decides which of them belong to a manifest. */
const metadataOf = ({ apiVersion, kind, metadata, type }: KubeObject): KubeObject => ({
  ...{ apiVersion, kind, metadata },
  ...(type !== undefined && { type }),
});

/** Returns a copy of the fields that a manifest can have. Status and managedFields, the largest parts, are not copied. */
function asManifest({ metadata: { managedFields: _, ...metadata }, status: _status, ...rest }: KubeObject): KubeObject {
  const manifest = cloneJson<KubeObject>({ ...rest, metadata });
  pruneManifest(manifest);
  return manifest;
}
