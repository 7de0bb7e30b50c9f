/** What holds in all generated worlds, for first decisions and for those that follow. */
import t from 'tap';
import type { Binding, Cluster, TargetCluster } from '../../api/karmada/types.js';
import { clusterMatches } from '../../kinds/karmada/cluster-affinity.js';
import { tolerates } from '../../kinds/kubernetes/core/tolerates.js';
import { atOnce } from '../../lib/time-slice.js';
import { estimateReplicas, generalEstimator } from '../../scheduler/estimate/general.js';
import { type Attempt, attempt } from '../../scheduler/loop/attempt.js';
import { concerns, concernInputOf } from '../../scheduler/loop/wake-ups/concern.js';
import { trigger } from '../../scheduler/loop/trigger.js';
import { withoutMembers } from '../../scheduler/place/without-members.js';
import { plugins } from '../../scheduler/plugins/plugins.js';
import { holds, withLess, type World } from './generated-world.js';
import { cluster } from './objects.js';

/** Selected clusters without replicas are targets, too, so that the selection is seen. */
const showing = { enableEmptyWorkloadPropagation: true, estimators: [generalEstimator] };
const usual = { ...showing, enableEmptyWorkloadPropagation: false };

const decide = ({ binding, clusters }: World, options = usual): Attempt =>
  atOnce(withoutMembers(attempt(binding, clusters, undefined, options)));

/** Returns the targets; undefined if it could not be placed. */
const targetsOf = (result: Attempt): readonly TargetCluster[] | undefined =>
  result.decision.type === 'placed' ? result.decision.clusters : undefined;

const strategyOf = ({ spec }: Binding) => spec.placement?.replicaScheduling ?? {};
const isDuplicated = (binding: Binding): boolean => strategyOf(binding).replicaSchedulingType === 'Duplicated';
const isStatic = (binding: Binding): boolean => strategyOf(binding).weightPreference?.staticWeightList !== undefined;
const replicasOn = (targets: readonly TargetCluster[], name: string): number =>
  targets.find(target => target.name === name)?.replicas ?? 0;
const sum = (targets: readonly TargetCluster[]): number => targets.reduce((n, { replicas = 0 }) => n + replicas, 0);
const text = (targets: readonly TargetCluster[] | undefined): string => JSON.stringify(targets);

/** Returns the world after the decision was written, and the replicas have taken their room. */
function after(world: World, { clusters = [], affinityName }: Attempt): World {
  const { binding } = world;
  return {
    clusters: world.clusters.map(each => withLess(each, replicasOn(clusters, each.metadata.name ?? ''))),
    binding: {
      ...binding,
      metadata: {
        ...binding.metadata,
        annotations: { 'policy.karmada.io/applied-placement': JSON.stringify(binding.spec.placement) },
      },
      spec: { ...binding.spec, clusters: [...clusters] },
      status: {
        schedulerObservedGeneration: 1,
        conditions: [{ type: 'Scheduled', status: 'True', reason: 'Success', message: '', lastTransitionTime: '' }],
        ...(affinityName !== undefined && { schedulerObservingAffinityName: affinityName }),
      },
    },
  };
}

const scaled = ({ clusters, binding }: World, replicas: number): World => ({
  clusters,
  binding: { ...binding, spec: { ...binding.spec, replicas } },
});

t.test('the replicas add up', t => {
  holds(t, world => {
    const targets = targetsOf(decide(world));
    const { binding } = world;
    const { replicas = 0 } = binding.spec;
    if (!targets) return undefined;
    const fits = isDuplicated(binding)
      ? targets.length > 0 && targets.every(target => target.replicas === replicas)
      : sum(targets) === replicas && targets.every(target => (target.replicas ?? 0) > 0);
    return fits ? '' : `${text(targets)} of ${replicas}`;
  });
  t.end();
});

t.test('no cluster gets more than it has room for, now and when more are wanted', t => {
  // Karmada checks no room where all clusters get all replicas, or where static weights divide them.
  const within = (world: World): string | undefined => {
    const targets = targetsOf(decide(world));
    if (!targets) return undefined;
    for (const { name, replicas = 0 } of targets) {
      const found = world.clusters.find(each => each.metadata.name === name);
      const room = found ? estimateReplicas(found, world.binding.spec.replicaRequirements) : 0;
      const more = replicas - replicasOn(world.binding.spec.clusters ?? [], name);
      if (more > room) return `${name} gets ${more} more, and has room for ${room}`;
    }
    return '';
  };
  for (const strategy of ['aggregated', 'dynamic'] as const)
    holds(
      t,
      world => {
        const fault = within(world);
        if (fault !== '') return fault;
        return within(scaled(after(world, decide(world)), (world.binding.spec.replicas ?? 0) + 5)) ?? fault;
      },
      { strategy },
    );
  t.end();
});

const groupOf: Readonly<Record<string, (cluster: Cluster) => string | undefined>> = {
  cluster: ({ metadata }) => metadata.name,
  region: ({ spec }) => spec.region,
  zone: ({ spec }) => spec.zones?.toSorted().join(),
  rack: ({ metadata }) => metadata.labels?.['rack'],
};

t.test('the bounds of spread constraints hold', t => {
  const inBounds = (world: World): string | undefined => {
    const targets = targetsOf(decide(world, showing));
    const { spreadConstraints = [] } = world.binding.spec.placement ?? {};
    // Static weights name the clusters themselves, and Karmada ignores spread constraints beside them.
    if (!targets || isStatic(world.binding) || spreadConstraints.length === 0) return undefined;
    const used = world.clusters.filter(({ metadata }) => targets.some(({ name }) => name === metadata.name));
    for (const { spreadByField, spreadByLabel, minGroups = 0, maxGroups = 0 } of spreadConstraints) {
      const by = spreadByField ?? spreadByLabel ?? '';
      // Karmada reads zones only to leave out clusters without them. They are counted beside another group.
      const isFilter = by === 'zone' && spreadConstraints.length === 2;
      const groups = new Set(used.map(each => groupOf[by]?.(each)));
      if (groups.has(undefined)) return `a target has no ${by}`;
      if (!isFilter && (groups.size < minGroups || groups.size > maxGroups))
        return `${groups.size} of ${by}: ${text(targets)}`;
    }
    return '';
  };
  holds(t, inBounds);
  holds(t, world => {
    const first = decide(world, showing);
    return targetsOf(first) && inBounds(after(world, first));
  });
  t.end();
});

/**
 * Karmada scores regions by their room, and counts the replicas that a cluster has already as room. So a region that had too little in the first
 * decision has enough in the next one, comes before others, and may be sufficient without them: the next decision selects fewer regions.
 * as pkg/scheduler/core/spreadconstraint calcGroupScore, generateClustersInfo and prioritizePaths
 */
const mayGiveUpRegions = ({ spec }: Binding): boolean => {
  const [group, ...others] = (spec.placement?.spreadConstraints ?? []).filter(
    ({ spreadByField }) => spreadByField !== 'cluster',
  );
  return group?.spreadByField === 'region' && others.length === 0;
};

/** Reports whether a target is in a region in which none was before. */
function usesNewRegion(clusters: readonly Cluster[], before: Attempt, now: Attempt): boolean {
  const regionsOf = (result: Attempt): readonly (string | undefined)[] =>
    (targetsOf(result) ?? []).map(({ name }) => clusters.find(each => each.metadata.name === name)?.spec.region);
  const known = new Set(regionsOf(before));
  return regionsOf(now).some(region => !known.has(region));
}

t.test('the same decision again changes nothing, or gives up regions as in Karmada', t => {
  holds(t, world => {
    const first = decide(world);
    if (!targetsOf(first)) return targetsOf(decide(world)) ? 'once it fits, once it does not' : '';
    const { binding } = after(world, first);
    // The clusters report the same as before: a report that counts the new replicas would be a change.
    const again = decide({ binding, clusters: world.clusters });
    const sorted = (result: Attempt): string => text(targetsOf(result)?.toSorted((a, b) => (a.name < b.name ? -1 : 1)));
    if (mayGiveUpRegions(binding)) {
      const isFewer = targetsOf(again) && !usesNewRegion(world.clusters, first, again);
      return isFewer ? '' : `${sorted(first)} became ${sorted(again)}`;
    }
    if (sorted(first) !== sorted(again)) return `${sorted(first)} became ${sorted(again)}`;
    const why = trigger(binding, () => false);
    return why === undefined || why === 'duplicated' ? '' : `${why} asks for a decision`;
  });
  t.end();
});

t.test('a change of a cluster that the policy does not select moves nothing', t => {
  const unrelated: readonly [Cluster, Cluster][] = [
    [cluster('x', { region: 'region-9' }), withLess(cluster('x', { region: 'region-8' }), -50)],
    [cluster('x', { taints: [{ key: 'x', effect: 'NoSchedule' }] }), cluster('x')],
    [cluster('x'), cluster('x', {}, { labels: { rack: 'r9' } })],
  ];
  holds(t, world => {
    if (mayGiveUpRegions(world.binding)) return undefined;
    const { placement } = world.binding.spec;
    const clusterAffinity = { ...placement?.clusterAffinity, clusterNames: ['m0', 'm1', 'm2', 'm3', 'm4', 'm5', 'm6'] };
    const binding = { ...world.binding, spec: { ...world.binding.spec, placement: { ...placement, clusterAffinity } } };
    let judged: string | undefined;
    for (const [before, now] of unrelated) {
      const first = decide({ clusters: [...world.clusters, before], binding });
      if (!targetsOf(first)) continue;
      judged = '';
      const placed = after({ clusters: world.clusters, binding }, first).binding;
      if (atOnce(concerns({ states: [before, now] }, concernInputOf(placed), plugins))) return 'it asks for a decision';
      const second = decide({ clusters: [...world.clusters, now], binding: placed });
      const replicas = (result: Attempt): string =>
        text(targetsOf(result)?.toSorted((a, b) => (a.name < b.name ? -1 : 1)));
      if (replicas(first) !== replicas(second)) return `${replicas(first)} became ${replicas(second)}`;
    }
    return judged;
  });
  t.end();
});

t.test('more weight never means fewer replicas', t => {
  holds(
    t,
    world => {
      const before = targetsOf(decide(world));
      if (!before) return undefined;
      const { placement } = world.binding.spec;
      const list = placement?.replicaScheduling?.weightPreference?.staticWeightList ?? [];
      for (const name of ['m0', 'm1', 'm2']) {
        const heavier = [...list, { targetCluster: { clusterNames: [name] }, weight: 12 }];
        const replicaScheduling = { ...placement?.replicaScheduling, weightPreference: { staticWeightList: heavier } };
        const spec = { ...world.binding.spec, placement: { ...placement, replicaScheduling } };
        const now = targetsOf(decide({ clusters: world.clusters, binding: { ...world.binding, spec } }));
        if (!now || replicasOn(now, name) < replicasOn(before, name))
          return `${name} has more weight: ${text(before)} became ${text(now)}`;
      }
      return '';
    },
    { strategy: 'static' },
  );
  t.end();
});

// With spread constraints, Karmada selects clusters for the new number of replicas, and with several terms it may use the next one. Both may move
// replicas.
const plain = { isNotSpread: true, hasNoTerms: true };

t.test('more room never means fewer replicas where they are divided by room', t => {
  holds(
    t,
    world => {
      const before = targetsOf(decide(world));
      if (!before) return undefined;
      for (const { metadata } of world.clusters) {
        const clusters = world.clusters.map(each => (each.metadata.name === metadata.name ? withLess(each, -3) : each));
        const now = targetsOf(decide({ clusters, binding: world.binding }));
        const { name = '' } = metadata;
        if (!now || replicasOn(now, name) < replicasOn(before, name))
          return `${name} has more room: ${text(before)} became ${text(now)}`;
      }
      return '';
    },
    { ...plain, strategy: 'dynamic' },
  );
  t.end();
});

/** Returns the world with other replicas after its first decision, and the targets before and after. */
function rescaled(
  world: World,
  by: number,
): { readonly from: readonly TargetCluster[]; readonly to: readonly TargetCluster[] } | undefined {
  const first = decide(world);
  const [from, next] = [targetsOf(first), (world.binding.spec.replicas ?? 0) + by];
  if (!from || next < 1) return undefined;
  const to = targetsOf(decide(scaled(after(world, first), next)));
  return to && { from, to };
}

t.test('scaling up takes nothing from any cluster', t => {
  for (const strategy of ['aggregated', 'dynamic', 'static'] as const)
    holds(
      t,
      world => {
        const found = rescaled(world, 4);
        if (!found) return undefined;
        const loser = found.from.find(({ name, replicas = 0 }) => replicasOn(found.to, name) < replicas);
        return loser ? `${loser.name} loses: ${text(found.from)} became ${text(found.to)}` : '';
      },
      { ...plain, strategy },
    );
  t.end();
});

t.test('scaling down adds nothing to any cluster', t => {
  for (const strategy of ['aggregated', 'dynamic', 'static'] as const)
    holds(
      t,
      world => {
        const found = rescaled(world, -3);
        if (!found) return undefined;
        const winner = found.to.find(({ name, replicas = 0 }) => replicasOn(found.from, name) < replicas);
        return winner ? `${winner.name} gains: ${text(found.from)} became ${text(found.to)}` : '';
      },
      { ...plain, strategy },
    );
  t.end();
});

t.test('new targets are selected by the policy, and have no taint that it does not tolerate', t => {
  const isAllowed = ({ spec: { placement = {} } }: Binding, target: Cluster): boolean => {
    const { clusterAffinity, clusterAffinities = [{ affinityName: '' }], clusterTolerations = [] } = placement;
    const affinities = clusterAffinity ? [clusterAffinity] : clusterAffinities;
    const repelling = (target.spec.taints ?? []).filter(({ effect }) => effect !== 'PreferNoSchedule');
    return (
      affinities.some(affinity => clusterMatches(target, affinity)) &&
      repelling.every(taint => clusterTolerations.some(toleration => tolerates(toleration, taint)))
    );
  };
  const newTargets = (world: World): string | undefined => {
    const former = new Set(world.binding.spec.clusters?.map(({ name }) => name));
    const targets = targetsOf(decide(world));
    if (!targets) return undefined;
    const wrong = targets.find(({ name }) => {
      const found = world.clusters.find(({ metadata }) => metadata.name === name);
      return !former.has(name) && (!found || !isAllowed(world.binding, found));
    });
    return wrong ? `${wrong.name} is a new target` : '';
  };
  holds(t, newTargets);
  // Some clusters are tainted after the first decision: they may keep what they have.
  holds(t, world => {
    const first = decide(world);
    if (!targetsOf(first)) return undefined;
    const { clusters, binding } = after(world, first);
    const tainted = clusters.map((each, i): Cluster =>
      i % 2 ? each : { ...each, spec: { ...each.spec, taints: [{ key: 'new', effect: 'NoSchedule' }] } },
    );
    return newTargets(scaled({ clusters: tainted, binding }, (binding.spec.replicas ?? 0) + 3));
  });
  t.end();
});
