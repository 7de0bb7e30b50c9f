import type { Cluster, ClusterAffinity, OverridePolicy, Overriders } from '../../api/karmada/types.js';
import { clusterMatches } from '../../kinds/karmada/cluster-affinity.js';
import { deepEqual } from '../../lib/json/equality.js';

interface OverrideRule {
  /** Absent: the rule is for all clusters. */
  readonly targetCluster?: ClusterAffinity;
  readonly overriders: Overriders;
}

/** Returns the rules of a policy; the fields of the deprecated form are one rule. */
export function rulesOf({ spec }: OverridePolicy): readonly OverrideRule[] {
  if (spec.overrideRules?.length) return spec.overrideRules;
  return [{ ...(spec.targetCluster ? { targetCluster: spec.targetCluster } : {}), overriders: spec.overriders ?? {} }];
}

/** Reports whether a rule is for a cluster. */
export const isForCluster = ({ targetCluster }: OverrideRule, cluster: Cluster): boolean =>
  !targetCluster || clusterMatches(cluster, targetCluster);

/** Reports whether each selector of clusters matches both states of a cluster, or none of them. hot: for every status of a cluster. */
export function isSameTarget({ metadata: old, spec: oldSpec }: Cluster, { metadata, spec }: Cluster): boolean {
  return (
    oldSpec.provider === spec.provider &&
    oldSpec.region === spec.region &&
    deepEqual(oldSpec.zones, spec.zones) &&
    deepEqual(old.labels, metadata.labels)
  );
}

/** Reports whether a rule of a policy is for only one of two states of a cluster. */
export const hasOtherRules = (policy: OverridePolicy, old: Cluster, next: Cluster): boolean =>
  rulesOf(policy).some(rule => isForCluster(rule, old) !== isForCluster(rule, next));
