import type { Cluster } from '../../api/karmada/types.js';
import type { Filter } from '../interface.js';
import { isTarget } from './is-target.js';

type Enablements = NonNullable<NonNullable<Cluster['status']>['apiEnablements']>;

/** The kinds by group version, of lists that were searched. A list is that of one version of a Cluster, and does not change. */
const kindsOfLists = new WeakMap<Enablements, Map<string, Set<string>>>();

/** hot: every binding asks every cluster, and a cluster may serve hundreds of kinds. */
function kindsOf(enablements: Enablements): ReadonlyMap<string, ReadonlySet<string>> {
  let kinds = kindsOfLists.get(enablements);
  if (!kinds) {
    kinds = new Map();
    // The first entry of a group version counts.
    for (const { groupVersion, resources = [] } of enablements)
      if (!kinds.has(groupVersion)) kinds.set(groupVersion, new Set(resources.map(({ kind }) => kind)));
    kindsOfLists.set(enablements, kinds);
  }
  return kinds;
}

/** Requires that the cluster serves the kind. An existing target passes: its discovery may be temporarily incomplete. */
export const apiEnablement: Filter = ({ spec }, cluster) => {
  if (isTarget(spec, cluster.metadata.name ?? '')) return undefined;
  const { apiVersion, kind } = spec.resource;
  const enablements = cluster.status?.apiEnablements;
  return enablements && kindsOf(enablements).get(apiVersion)?.has(kind)
    ? undefined
    : 'cluster(s) did not have the API resource';
};
