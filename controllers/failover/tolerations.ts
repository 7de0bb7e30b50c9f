/** How long the workloads of a binding may stay in a cluster with NoExecute taints. */
import { secondsMs } from '../../lib/go/duration.js';
import { parseJson } from '../../lib/json/json.js';
import type { Binding, Cluster, Placement, Taint, Toleration } from '../../api/karmada/types.js';
import { annotations } from '../../api/karmada/well-known.js';
import { findCondition } from '../../kinds/karmada/conditions.js';
import { tolerates } from '../../kinds/kubernetes/core/tolerates.js';

/** Returns the taints because of which bindings may leave the cluster. A cluster that does not exist has none. */
export const noExecuteTaints = (cluster: Cluster | undefined): readonly Taint[] =>
  (cluster?.spec.taints ?? []).filter(({ effect }) => effect === 'NoExecute');

/**
 * Returns when a cluster that is ready has become so, if it has a taint from before: a policy may be about to remove it. -Infinity without such a taint.
 * `now` in milliseconds since the epoch; the time may be of an agent, whose clock may be ahead.
 */
export function returnedAt(cluster: Cluster, now: number): number {
  const ready = findCondition(cluster.status?.conditions, 'Ready');
  const since = Date.parse(ready?.lastTransitionTime ?? '');
  const isOlder = ({ timeAdded }: Taint): boolean => timeAdded !== undefined && Date.parse(timeAdded) < since;
  return noExecuteTaints(cluster).some(isOlder) ? Math.min(since, now) : -Infinity;
}

/**
 * Returns the tolerations of the placement that the scheduler has applied last; undefined if it has not placed the binding. A newer placement counts
 * once the binding is scheduled with it.
 */
export function appliedTolerations({ metadata }: Binding): readonly Toleration[] | undefined {
  const text = metadata.annotations?.[annotations.appliedPlacement];
  if (!text) return undefined;
  try {
    return (parseJson(text) as Placement | null)?.clusterTolerations ?? [];
  } catch {
    // Nobody but the scheduler writes the annotation. Without a readable one, nothing is known about the placement.
    return undefined;
  }
}

/**
 * Returns the milliseconds until the first time limit of a toleration is over: 0 if a taint is not tolerated or a limit has passed, Infinity if all
 * taints are tolerated without a limit. A limit counts from the time when the taint was added. `now` in milliseconds since the epoch.
 * as pkg/util/helper GetMatchingTolerations, GetMinTolerationTimeWithCurrentTime
 */
export function leftToleratedMs(taints: readonly Taint[], tolerations: readonly Toleration[], now: number): number {
  const used = new Set<Toleration>();
  for (const taint of taints) {
    const first = tolerations.find(toleration => tolerates(toleration, taint));
    if (!first) return 0;
    used.add(first);
  }
  let left = Infinity;
  for (const toleration of used) {
    if (toleration.tolerationSeconds === undefined) continue;
    for (const taint of taints)
      if (taint.timeAdded !== undefined && tolerates(toleration, taint))
        left = Math.min(left, Date.parse(taint.timeAdded) + secondsMs(toleration.tolerationSeconds) - now);
  }
  return Math.max(0, left);
}
