import { clusterOfExecutionNamespace } from '../../api/karmada/names.js';
import type { Work } from '../../api/karmada/types.js';
import { splitKey } from '../../client/key.js';
import type { Key } from '../../client/runtime/interface.js';

/** Returns the log fields of a Work: its cluster and its first manifest. */
export function describeWork(key: Key, work: Work | undefined): object {
  const cluster = clusterOfExecutionNamespace(splitKey(key).namespace);
  const [manifest] = work?.spec.workload?.manifests ?? [];
  if (!manifest) return { cluster, work: key };
  const { namespace, name } = manifest.metadata;
  return { cluster, work: key, object: `${manifest.kind} ${namespace ? `${namespace}/` : ''}${name}` };
}
