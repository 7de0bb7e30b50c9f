/** What may help a binding that could not be placed. Pure. */
import type { Binding, Cluster } from '../../../api/karmada/types.js';
import type { Decision, Estimator } from '../../interface.js';
import { type Plugin, filterRefusal } from '../../plugins/plugins.js';
import type { Committed } from '../commit.js';
import type { RoomInput } from './room-look.js';
import type { Help } from './wake-ups.js';

/**
 * Returns what may help after an attempt, besides changes of the binding, and of labels, taints and kinds of clusters, which `ClusterChanges` finds.
 * Targets that the server has refused for another reason than a quota are only tried again.
 */
export function helpFor({ spec }: Binding, decision: Decision, refusal: Committed['refusal']): readonly Help[] {
  const { type } = decision;
  if (type === 'placed') return refusal === 'QuotaExceeded' ? ['quota'] : [];
  const { affinityGroup, antiAffinityGroup } = spec.workloadAffinityGroups ?? {};
  const peers: readonly Help[] = (affinityGroup ?? antiAffinityGroup) ? ['peers'] : [];
  return type === 'FitError' ? peers : ['room', ...peers];
}

/** Returns a function that reports whether a cluster that fits a binding has more room for its replicas than in an earlier state. */
export const roomChecker =
  (active: readonly Plugin[], estimators: readonly Estimator[]) =>
  ({ spec, status = {} }: RoomInput, before: Cluster, now: Cluster): boolean => {
    const hasGained =
      // The members of a set are not estimated one by one.
      Boolean(spec.components?.length) ||
      estimators.some(estimate => numberOf(estimate(now, spec)) > numberOf(estimate(before, spec)));
    if (!hasGained) return false;
    const terms = (!spec.placement?.clusterAffinity && spec.placement?.clusterAffinities) || [undefined];
    return terms.some(term => filterRefusal(active, { spec, status, term }, now) === undefined);
  };

/** Estimates in steps consider assumed workloads, which are not passed here. */
const numberOf = (estimate: ReturnType<Estimator>): number => (typeof estimate === 'number' ? estimate : 0);
