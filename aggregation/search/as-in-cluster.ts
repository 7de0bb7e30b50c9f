import type { KubeObject } from '../../apimachinery/interface.js';
import { annotations } from '../../api/karmada/well-known.js';
import { versionFor } from './versions.js';

/**
 * Returns an object that was read here in its form for the cluster: without the cluster annotation, with the member's resourceVersion.
 * Returns undefined if neither was set here.
 */
export function asInCluster(object: KubeObject, cluster: string): KubeObject | undefined {
  const { metadata } = object;
  const marked = metadata.annotations?.[annotations.cachedFromCluster] !== undefined;
  const version = versionFor(cluster, metadata.resourceVersion ?? '');
  if (!marked && version === undefined) return undefined;
  const { annotations: marks, ...rest } = metadata;
  const { [annotations.cachedFromCluster]: _mark, ...others } = marks ?? {};
  if (version !== undefined) rest.resourceVersion = version;
  return { ...object, metadata: { ...rest, ...(Object.keys(others).length === 0 ? {} : { annotations: others }) } };
}
