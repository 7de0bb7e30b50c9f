/** What holds in all generated worlds for workloads whose components are placed as a set in one cluster. */
import t from 'tap';
import type { Cluster, TargetCluster } from '../../api/karmada/types.js';
import { atOnce } from '../../lib/time-slice.js';
import { generalSetEstimator } from '../../scheduler/estimate/component-sets.js';
import { generalEstimator } from '../../scheduler/estimate/general.js';
import { attempt } from '../../scheduler/loop/attempt.js';
import { isComponentSet } from '../../scheduler/place/component-set.js';
import { groupingsOf } from '../../scheduler/place/grouping.js';
import { withoutMembers } from '../../scheduler/place/without-members.js';
import { holds, withFree, type World } from './generated-world.js';

const options = {
  enableEmptyWorkloadPropagation: false,
  estimators: [generalEstimator],
  setEstimators: [generalSetEstimator],
};

// Static weights name the clusters themselves, and Karmada ignores the constraint that demands one cluster beside them.
const strategies = ['duplicated', 'aggregated', 'dynamic'] as const;

/** Returns the targets; undefined if it could not be placed, or not as a set. */
function targetsOf({ binding, clusters }: World): readonly TargetCluster[] | undefined {
  if (!isComponentSet(binding.spec, options)) return undefined;
  const { decision } = atOnce(withoutMembers(attempt(binding, clusters, undefined, options)));
  return decision.type === 'placed' ? decision.clusters : undefined;
}

const text = (targets: readonly TargetCluster[] | undefined): string => JSON.stringify(targets);
const cpuOf = ({ status }: Cluster): number => Number(status?.resourceSummary?.allocatable?.['cpu']);

/** Returns the CPUs that all replicas of all components need. */
const neededCpu = ({ binding: { spec } }: World): number =>
  (spec.components ?? []).reduce(
    (sum, { replicas, replicaRequirements }) =>
      sum + replicas * Number(replicaRequirements?.resourceRequest?.['cpu'] ?? 0),
    0,
  );

t.test('all replicas of all components are in one cluster', t => {
  const inOne = (world: World): string | undefined => {
    const targets = targetsOf(world);
    if (!targets) return undefined;
    const { components = [] } = world.binding.spec;
    const [{ name = '', components: recorded } = {}, ...others] = targets;
    if (others.length > 0 || !world.clusters.some(({ metadata }) => metadata.name === name)) return text(targets);
    // Karmada records no components of a workload that has only one.
    const expected = components.length > 1 ? components.map(({ name, replicas }) => ({ name, replicas })) : undefined;
    return JSON.stringify(recorded) === JSON.stringify(expected) ? '' : text(targets);
  };
  for (const strategy of strategies) holds(t, inOne, { isSet: true, strategy });
  t.end();
});

/** Karmada asks for no room where each cluster gets all replicas, where static weights divide them, and in regions. */
function needsRoom({ binding: { spec } }: World): boolean {
  const { placement = {} } = spec;
  const [only, ...others] = groupingsOf(placement);
  return others.length > 0 || only === undefined || only.constraint.spreadByLabel !== undefined;
}

t.test('a set is in a cluster that has room for it, if there is such a cluster', t => {
  for (const strategy of ['aggregated', 'dynamic'] as const)
    holds(
      t,
      world => {
        if (!isComponentSet(world.binding.spec, options) || !needsRoom(world)) return undefined;
        const needed = neededCpu(world);
        const targets = targetsOf(world);
        const target = world.clusters.find(({ metadata }) => metadata.name === targets?.[0]?.name);
        if (target) return cpuOf(target) >= needed ? '' : `${text(targets)} has no room for ${needed} CPUs`;
        // Without taints, affinities and groups, any cluster would do.
        const roomy = world.clusters.find(each => cpuOf(each) >= needed && !each.spec.taints);
        const { clusterAffinity, clusterAffinities, spreadConstraints = [] } = world.binding.spec.placement ?? {};
        if (clusterAffinity || clusterAffinities || spreadConstraints.length > 1) return undefined;
        return roomy ? `${roomy.metadata.name} has room for ${needed} CPUs` : '';
      },
      { isSet: true, strategy },
    );
  t.end();
});

t.test('a set stays where it is, whatever the room of other clusters is', t => {
  for (const strategy of strategies)
    holds(
      t,
      world => {
        const first = targetsOf(world);
        // Karmada scores regions by their room.
        if (!first || groupingsOf(world.binding.spec.placement ?? {})[0]?.name === 'region') return undefined;
        const { binding } = world;
        const placed = { ...binding, spec: { ...binding.spec, clusters: [...first] } };
        const clusters = world.clusters.map(each =>
          each.metadata.name === first[0]?.name ? each : withFree(each, 50),
        );
        const again = targetsOf({ clusters, binding: placed });
        return text(again) === text(first) ? '' : `${text(first)} became ${text(again)}`;
      },
      { isSet: true, strategy, hasNoTerms: true },
    );
  t.end();
});
