import { clusterOfExecutionNamespace } from '../../api/karmada/names.js';
import type { Work } from '../../api/karmada/types.js';

/** Reports whether a Work is in the execution namespace of a cluster, where only administrators have rights. */
// differs: Karmada reads Works of all namespaces. There, a tenant could create a Work with the labels of somebody else's, which would
// count as a report about that one, and block its deletion.
export const isOfCluster = ({ metadata }: Work): boolean =>
  clusterOfExecutionNamespace(metadata.namespace ?? '') !== undefined;
