import type { BindingSpec, TargetCluster } from '../../api/karmada/types.js';

/** Lists of targets that are searched one by one. */
const shortList = 8;

/** The names of long lists that were searched. A list is that of one version of a binding, and does not change. */
const namesOfLists = new WeakMap<readonly TargetCluster[], ReadonlySet<string>>();

/** Reports whether a cluster is a target. hot: several plugins ask it of every cluster, and a binding may have fifty thousand targets. */
export function isTarget({ clusters }: Pick<BindingSpec, 'clusters'>, name: string): boolean {
  if (!clusters || clusters.length === 0) return false;
  if (clusters.length <= shortList) return clusters.some(target => target.name === name);
  let names = namesOfLists.get(clusters);
  if (!names) namesOfLists.set(clusters, (names = new Set(clusters.map(target => target.name))));
  return names.has(name);
}
