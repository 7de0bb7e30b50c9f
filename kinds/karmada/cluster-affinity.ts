import { labelsMatch } from './label-match.js';
import type { Cluster, ClusterAffinity, FieldSelector } from '../../api/karmada/types.js';

/** Returns the values of a cluster's field that a policy's field selector can refer to. */
function fieldValues(cluster: Cluster, key: string): readonly string[] {
  const { provider, region, zones = [] } = cluster.spec;
  switch (key) {
    case 'provider':
      return provider ? [provider] : [];
    case 'region':
      return region ? [region] : [];
    case 'zone':
      return zones;
    default:
      return [];
  }
}

/**
 * Provider and region are single values: In requires that the value is listed, and NotIn matches if it is unset. A cluster in several zones
 * matches In if any of its zones is listed, and NotIn if none is.
 */
function fieldsMatch(cluster: Cluster, selector: FieldSelector): boolean {
  return (selector.matchExpressions ?? []).every(({ key, operator, values = [] }) => {
    const present = fieldValues(cluster, key);
    const listed = present.some(value => values.includes(value));
    return operator === 'In'
      ? listed
      : operator === 'NotIn'
        ? !listed
        : operator === 'Exists'
          ? present.length > 0
          : present.length === 0;
  });
}

/**
 * Reports whether an affinity selects a cluster: the cluster is not excluded, and every part that is given matches. as pkg/util ClusterMatches
 */
export function clusterMatches(cluster: Cluster, affinity: ClusterAffinity): boolean {
  const name = cluster.metadata.name ?? '';
  if (affinity.exclude?.includes(name)) return false;
  if (affinity.labelSelector && !labelsMatch(affinity.labelSelector, cluster.metadata.labels)) return false;
  if (affinity.fieldSelector && !fieldsMatch(cluster, affinity.fieldSelector)) return false;
  return !affinity.clusterNames?.length || affinity.clusterNames.includes(name);
}
