import { clusterOfExecutionNamespace } from '../../registry/kinds/karmada/names.js';
import type { Work } from '../../registry/kinds/karmada/types.js';
import { splitKey } from '../runtime/informer.js';
import type { Key } from '../runtime/interface.js';

/** What a line of the log says of a Work: its cluster, and what it brings there. */
export function describeWork(key: Key, work: Work | undefined): object {
  const cluster = clusterOfExecutionNamespace(splitKey(key).namespace);
  const [manifest] = work?.spec.workload?.manifests ?? [];
  if (!manifest) return { cluster, work: key };
  const { namespace, name } = manifest.metadata;
  return { cluster, work: key, object: `${manifest.kind} ${namespace ? `${namespace}/` : ''}${name}` };
}
