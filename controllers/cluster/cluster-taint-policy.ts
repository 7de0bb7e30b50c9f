import { deepEqual } from '../../lib/json/equality.js';
import { cloneJson } from '../../lib/json/clone.js';
import { errorText } from '../../apimachinery/errors/error-text.js';
import { clusterMatches } from '../../kinds/karmada/cluster-affinity.js';
import type { ClusterTaintPolicy } from '../../kinds/karmada/policies/cluster-taint-policy.js';
import type { Cluster, ClusterAffinity, Taint } from '../../api/karmada/types.js';
import { resources } from '../../api/karmada/well-known.js';
import { timestamp } from '../../client/runtime/conditions.js';
import { keyOf } from '../../client/key.js';
import type { ControllerContext } from '../../client/runtime/interface.js';
import { isLostRace } from '../../client/runtime/failures.js';
import { addTaints, type ConditionMatch, conditionsMatch, removeTaints, taintsText } from './taints-by-condition.js';

interface TaintPolicy extends ClusterTaintPolicy {
  spec: ClusterTaintPolicy['spec'] & {
    targetClusters?: ClusterAffinity;
    addOnConditions?: ConditionMatch[];
    removeOnConditions?: ConditionMatch[];
  };
}

/** Adds taints to clusters and removes them, depending on their conditions, as ClusterTaintPolicies say (gate Failover). */
export function startClusterTaintPolicy(context: ControllerContext): void {
  const { client, clock, informers } = context;
  const recorder = context.recorder('cluster-taint-policy-controller');
  const clusters = informers.informer<Cluster>(resources.clusters);
  const policies = informers.informer<TaintPolicy>(resources.clusterTaintPolicies);

  context.run({
    name: 'cluster-taint-policy-controller',
    synced: [clusters.synced, policies.synced],
    wire: queue => {
      clusters.onChange(({ old, new: cluster }) => {
        if (cluster && !(old && deepEqual(old.status?.conditions, cluster.status?.conditions)))
          queue.add(keyOf(cluster));
      });
      policies.onChange(({ old, new: policy }) => {
        if (!policy || (old && deepEqual(old.spec, policy.spec))) return;
        for (const cluster of clusters.list()) if (concerns(policy, cluster)) queue.add(keyOf(cluster));
      });
    },
    reconcile: async key => {
      const cluster = clusters.get(key);
      if (!cluster) return;
      const before = cluster.spec.taints ?? [];
      const taints = taintsOf(cluster, oldestFirst(policies.list()), timestamp(clock.now()));
      if (deepEqual(before, taints)) return;
      const draft = cloneJson(cluster);
      if (taints.length > 0) draft.spec.taints = [...taints];
      else delete draft.spec.taints;
      try {
        // The version that was evaluated is written, so that a conflict causes a new reconcile.
        await client.update(resources.clusters, draft);
      } catch (error) {
        const text = errorText(error);
        if (!isLostRace(error)) recorder.event(cluster, 'Warning', 'TaintClusterFailed', text);
        throw error;
      }
      const message = `Update Cluster(${key}) with taints(${taintsText(taints)}) succeed`;
      recorder.event(cluster, 'Normal', 'TaintClusterSucceed', message);
    },
  });
}

const concerns = ({ spec }: TaintPolicy, cluster: Cluster): boolean =>
  !spec.targetClusters || clusterMatches(cluster, spec.targetClusters);

/** Returns the policies, the oldest first, so that contradicting policies always have the same result. */
const oldestFirst = (policies: readonly TaintPolicy[]): TaintPolicy[] =>
  [...policies].sort((a, b) => {
    const [first = '', second = ''] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp];
    return first === second ? (keyOf(a) < keyOf(b) ? -1 : 1) : first < second ? -1 : 1;
  });

function taintsOf(cluster: Cluster, policies: readonly TaintPolicy[], time: string): readonly Taint[] {
  const conditions = cluster.status?.conditions ?? [];
  let taints: readonly Taint[] = cluster.spec.taints ?? [];
  for (const policy of policies) {
    const { addOnConditions = [], removeOnConditions = [], taints: own } = policy.spec;
    if (!concerns(policy, cluster)) continue;
    if (conditionsMatch(conditions, addOnConditions)) taints = addTaints(taints, own, time);
    if (conditionsMatch(conditions, removeOnConditions)) taints = removeTaints(taints, own);
  }
  return taints;
}
