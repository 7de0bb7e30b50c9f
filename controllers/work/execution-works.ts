import { clusterOfExecutionNamespace } from '../../api/karmada/names.js';
import type { Work } from '../../api/karmada/types.js';
import { splitKey } from '../../client/key.js';
import type { Key } from '../../client/runtime/interface.js';

/** Reports whether a Work is in the execution namespace of a cluster, where only administrators have rights. */
// differs: Karmada reads Works of all namespaces. There, a tenant could create a Work with the labels of another tenant's binding or
// quota: its status would count as a report about that object, and its existence would block the deletion of that object.
export const isOfCluster = ({ metadata }: Work): boolean =>
  clusterOfExecutionNamespace(metadata.namespace ?? '') !== undefined;

/** As `isOfCluster`, for the key of a Work. */
export const isKeyOfCluster = (key: Key): boolean => clusterOfExecutionNamespace(splitKey(key).namespace) !== undefined;
