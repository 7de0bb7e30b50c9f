import { apiVersionOf } from '../../apimachinery/meta/gvk.js';
import type { Cluster } from '../../api/karmada/types.js';
import { resources } from '../../api/karmada/well-known.js';
import type { GroupVersionResource } from '../../apimachinery/interface.js';
import type { ControllerContext } from '../../client/runtime/interface.js';
import { deepEqual } from '../../lib/json/equality.js';
import type { MemberWatch } from './member-watch.js';

type ApiEnablements = NonNullable<Cluster['status']>['apiEnablements'];

/** Returns whether a list of APIs contains a resource. */
function servedIn(apis: ApiEnablements): (resource: GroupVersionResource) => boolean {
  const served = new Set<string>();
  for (const { groupVersion, resources } of apis ?? [])
    for (const { name } of resources ?? []) served.add(`${groupVersion}/${name}`);
  return resource => served.has(`${apiVersionOf(resource)}/${resource.resource}`);
}

/**
 * Starts mirrors anew when their member begins to serve their kind, so that the status of objects that were applied meanwhile follows at once: a
 * mirror of a kind that is not served waits up to 30 seconds between two attempts.
 */
export function retryMirrorsOfNewKinds({ informers }: ControllerContext, members: MemberWatch): void {
  informers.informer<Cluster>(resources.clusters).onChange(({ key, old, new: cluster }) => {
    if (!old || !cluster) return;
    const [before, now] = [old.status?.apiEnablements, cluster.status?.apiEnablements];
    if (deepEqual(before, now)) return;
    const [wasServed, isServed] = [servedIn(before), servedIn(now)];
    members.retry(key, resource => isServed(resource) && !wasServed(resource));
  });
}
