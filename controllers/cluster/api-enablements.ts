import { apiVersionOf } from '../../apimachinery/meta/gvk.js';
import type { Discovery } from '../../aggregation/interface.js';
import type { Cluster } from '../../api/karmada/types.js';
import type { MappedResource } from '../../client/interface.js';
import type { NewCondition } from '../../client/runtime/conditions.js';

type ApiEnablements = NonNullable<NonNullable<Cluster['status']>['apiEnablements']>;

/** What a cluster serves, as its status reports it. */
interface CollectedApis {
  /** undefined if discovery failed, so that the last known list stays. */
  readonly enablements: ApiEnablements | undefined;
  readonly condition: NewCondition;
}

/** Lists by the discovery that they were made from, which stays the same object until it changes. */
const made = new WeakMap<Discovery, ApiEnablements>();

/** Returns the resources that could be read, by group version; both are sorted. */
function enablementsIn(discovery: Discovery): ApiEnablements {
  const known = made.get(discovery);
  if (known) return known;
  const groups = new Map<string, MappedResource[]>();
  for (const resource of discovery.resources) {
    const groupVersion = apiVersionOf(resource);
    const found = groups.get(groupVersion);
    if (found) found.push(resource);
    else groups.set(groupVersion, [resource]);
  }
  const enablements = [...groups].map(([groupVersion, list]) => ({
    groupVersion,
    resources: list.map(({ resource: name, kind }) => ({ name, kind })).sort((a, b) => (a.name < b.name ? -1 : 1)),
  }));
  enablements.sort(byGroupVersion);
  made.set(discovery, enablements);
  return enablements;
}

const byGroupVersion = (a: { groupVersion: string }, b: { groupVersion: string }): number =>
  a.groupVersion < b.groupVersion ? -1 : 1;

/**
 * Returns the list and the condition for the status of a cluster. `discovery` is undefined if it failed. Group versions that could not be read stay
 * as they are in `present`; differs: Karmada removes them from the list until they can be read again, and the scheduler avoids the cluster meanwhile.
 * as pkg/controllers/status ClusterStatusController.setCurrentClusterStatus
 */
export function collectedApis(discovery: Discovery | undefined, present: ApiEnablements | undefined): CollectedApis {
  const found = discovery && enablementsIn(discovery);
  if (!discovery || !found?.length) {
    const message = 'collected empty APIEnablements from the cluster';
    return { enablements: found, condition: complete('False', 'Empty', message) };
  }
  if (discovery.failed.length === 0) {
    const message = 'collected complete APIEnablements from the cluster';
    return { enablements: found, condition: complete('True', 'Complete', message) };
  }
  const kept = (present ?? []).filter(({ groupVersion }) => discovery.failed.includes(groupVersion));
  const message = `might collect partial APIEnablements(${found.length}) from the cluster`;
  return {
    enablements: [...found, ...kept].sort(byGroupVersion),
    condition: complete('False', 'Partial', message),
  };
}

const complete = (status: 'True' | 'False', reason: string, message: string): NewCondition => ({
  ...{ type: 'CompleteAPIEnablements', status, reason, message },
});
