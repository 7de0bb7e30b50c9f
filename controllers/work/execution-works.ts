import { clusterOfExecutionNamespace } from '../../api/karmada/names.js';
import type { Work } from '../../api/karmada/types.js';

/** Tells whether a Work is in the namespace of a cluster, where administrators alone have rights. */
// differs: Karmada looks at Works of all namespaces. With the labels of somebody else's Work, one in a tenant's namespace would speak
// for that other one, and hold up its end.
export const isOfCluster = ({ metadata }: Work): boolean =>
  clusterOfExecutionNamespace(metadata.namespace ?? '') !== undefined;
