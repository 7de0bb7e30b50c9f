/** What holds for every decision, over random fleets, policies and workloads. */
import t from 'tap';
import { bindingsOf, clustersOf } from '../../bench/scheduling-world.js';
import type { Binding, Cluster, SpreadConstraint, TargetCluster } from '../../api/karmada/types.js';
import { atOnce } from '../../lib/time-slice.js';
import { divideByWeight } from '../../lib/webster.js';
import { estimateReplicas, generalEstimator } from '../../scheduler/estimate/general.js';
import type { ScheduleOptions } from '../../scheduler/interface.js';
import { type Attempt, attempt } from '../../scheduler/loop/attempt.js';
import { DecisionClasses } from '../../scheduler/place/classes.js';
import { withoutMembers } from '../../scheduler/place/without-members.js';
import { random } from '../random.js';

const estimators = [generalEstimator];
const alone: ScheduleOptions = { enableEmptyWorkloadPropagation: false, estimators };
const decide = (binding: Binding, clusters: readonly Cluster[], options = alone): Attempt =>
  atOnce(withoutMembers(attempt(binding, clusters, undefined, options)));
const seeds = [1, 2, 3, 4, 5, 6];
const sum = (targets: readonly TargetCluster[]): number => targets.reduce((n, { replicas = 0 }) => n + replicas, 0);

/** Returns bindings with their decisions, of which some are placed. */
const decisions = (seed: number) => {
  const clusters = clustersOf(40, seed);
  const bindings = bindingsOf(150, seed + 100);
  return { clusters, decided: bindings.map(binding => ({ binding, result: decide(binding, clusters) })) };
};

/** Returns the binding after its decision was written. */
function written(binding: Binding, { clusters, affinityName }: Attempt): Binding {
  const status = affinityName === undefined ? {} : { schedulerObservingAffinityName: affinityName };
  return { ...binding, spec: { ...binding.spec, clusters: [...(clusters ?? [])] }, status };
}

const strategyOf = ({ spec }: Binding) => spec.placement?.replicaScheduling ?? {};
const isStatic = (binding: Binding): boolean => strategyOf(binding).weightPreference?.staticWeightList !== undefined;
const isDuplicated = (binding: Binding): boolean => strategyOf(binding).replicaSchedulingType === 'Duplicated';

for (const seed of seeds)
  t.test(`seed ${seed}: every decision keeps its bounds`, t => {
    const { clusters, decided } = decisions(seed);
    const byName = new Map(clusters.map(cluster => [cluster.metadata.name ?? '', cluster]));
    const faults: string[] = [];
    let placed = 0;
    for (const { binding, result } of decided) {
      if (result.decision.type !== 'placed') continue;
      placed++;
      const targets = result.decision.clusters;
      const { name } = binding.metadata;
      const { replicas = 0, replicaRequirements, placement } = binding.spec;
      const wrong = (what: string): void => void faults.push(`${name}: ${what}, ${JSON.stringify(targets)}`);
      if (isDuplicated(binding) ? targets.some(target => target.replicas !== replicas) : sum(targets) !== replicas)
        wrong('the replicas do not add up');
      for (const target of targets) {
        const cluster = byName.get(target.name);
        if (!cluster || (cluster.spec.taints?.length ?? 0) > 0) wrong(`${target.name} is not feasible`);
        else if (!isDuplicated(binding) && !isStatic(binding))
          if ((target.replicas ?? 0) > estimateReplicas(cluster, replicaRequirements))
            wrong(`${target.name} is beyond its capacity`);
      }
      if (isStatic(binding)) continue; // it ignores spread constraints
      const groups = (field: SpreadConstraint['spreadByField']): number =>
        new Set(targets.map(target => (field === 'region' ? byName.get(target.name)?.spec.region : target.name))).size;
      for (const { spreadByField, minGroups = 0, maxGroups = Infinity } of placement?.spreadConstraints ?? []) {
        if (groups(spreadByField) > maxGroups) wrong(`too many of ${spreadByField}`);
        // Clusters without replicas are left out.
        if (isDuplicated(binding) && groups(spreadByField) < minGroups) wrong(`too few of ${spreadByField}`);
      }
    }
    t.same(faults, []);
    t.ok(placed > decided.length / 3, `${placed} of ${decided.length} are placed`);
    t.end();
  });

for (const seed of seeds)
  t.test(`seed ${seed}: nothing moves without a cause`, t => {
    const { clusters, decided } = decisions(seed);
    const sorted = (targets: readonly TargetCluster[] = []): TargetCluster[] =>
      [...targets].sort((a, b) => (a.name < b.name ? -1 : 1));
    const moved = decided
      .filter(({ result }) => result.decision.type === 'placed')
      .map(({ binding, result }) => ({ result, again: decide(written(binding, result), clusters) }))
      .filter(
        ({ result, again }) => JSON.stringify(sorted(result.clusters)) !== JSON.stringify(sorted(again.clusters)),
      );
    t.same(moved, []);
    t.end();
  });

t.test('more weight never means fewer replicas', t => {
  const { below } = random(7);
  for (let round = 0; round < 500; round++) {
    const parties = Array.from({ length: 1 + below(8) }, (_, i) => ({ name: `m${i}`, weight: below(20) }));
    const chosen = below(parties.length);
    const heavier = parties.map((party, i) =>
      i === chosen ? { ...party, weight: party.weight + 1 + below(5) } : party,
    );
    const [replicas, uid] = [below(60), `uid-${round}`];
    const sharesOf = (list: typeof parties) =>
      divideByWeight(replicas, list, uid).find(({ name }) => name === `m${chosen}`);
    const [before, after] = [sharesOf(parties)?.replicas ?? 0, sharesOf(heavier)?.replicas ?? 0];
    if (after < before) t.fail(`${before} became ${after}: ${JSON.stringify({ parties, heavier, replicas, uid })}`);
  }
  t.end();
});

/** Counts how often decisions use classes, and classes that were found out before. */
function countUses(classes: DecisionClasses) {
  const used = { filters: 0, again: 0, candidates: 0 };
  const known = new Set<object>();
  const { prototype } = DecisionClasses;
  classes.filter = function* (...args) {
    const found = yield* prototype.filter.apply(classes, args);
    if (!found) return undefined;
    used.filters++;
    if (known.has(found)) used.again++;
    known.add(found);
    return found;
  };
  classes.candidates = function* (...args) {
    used.candidates++;
    return yield* prototype.candidates.apply(classes, args);
  };
  return used;
}

t.test('classes of bindings decide as every binding alone, while clusters change', t => {
  for (const seed of seeds) {
    const { below, chance } = random(seed);
    let clusters: readonly Cluster[] = clustersOf(40, seed);
    const others = clustersOf(40, seed + 1);
    const classes = new DecisionClasses({ estimators });
    const used = countUses(classes);
    const differing: string[] = [];
    for (const binding of [...bindingsOf(200, seed), ...bindingsOf(200, seed)]) {
      if (chance(0.3)) {
        const at = below(clusters.length);
        const other = others[below(others.length)] as Cluster;
        const changes: readonly (() => readonly Cluster[])[] = [
          () => clusters.with(at, { ...other, metadata: clusters[at]?.metadata ?? {} }),
          () => clusters.filter((_, i) => i !== at),
          () => [...clusters, { ...other, metadata: { ...other.metadata, name: `more-${seed}-${below(1e6)}` } }],
          () => clusters.with(at, { ...(clusters[at] as Cluster), status: {} }),
        ];
        clusters = (changes[below(changes.length)] as () => readonly Cluster[])();
      }
      // Components and what takes no resources are in it, too.
      const { replicas: _, ...config } = binding.spec;
      const given = chance(0.1) ? { ...binding, spec: config } : binding;
      const [got, want] = [decide(given, clusters, { ...alone, classes }), decide(given, clusters)];
      if (JSON.stringify(got) !== JSON.stringify(want)) differing.push(`${JSON.stringify(given.spec)}`);
    }
    t.same(differing, [], `seed ${seed}`);
    t.ok(used.filters > 200, `seed ${seed}: ${used.filters} of 400 decisions used a class`);
    t.ok(used.again > 5, `seed ${seed}: ${used.again} of them used one that was known for the same clusters`);
    t.ok(used.candidates > 100, `seed ${seed}: ${used.candidates} of them had feasible clusters`);
  }
  t.end();
});

t.test('clusters without an estimate count as sufficient, in a class, too', t => {
  const clusters = clustersOf(20);
  const some = [(cluster: Cluster) => (cluster.spec.region === 'region-1' ? 3 : undefined)];
  const classes = new DecisionClasses({ estimators: some });
  const options = { ...alone, estimators: some };
  for (const binding of bindingsOf(200))
    t.same(decide(binding, clusters, { ...options, classes }), decide(binding, clusters, options));
  t.end();
});
