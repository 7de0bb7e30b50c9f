/** Candidates: the room of a cluster, its tier, and the order of preference. */
import t from 'tap';
import type { BindingSpec, Cluster, ClusterAffinityTerm, SpreadConstraint } from '../../../api/karmada/types.js';
import { atOnce } from '../../../lib/time-slice.js';
import type { Estimator, SchedulingInput, SetEstimator } from '../../../scheduler/interface.js';
import { byPreference, candidates } from '../../../scheduler/place/candidates.js';
import { candidate, cluster, schedulingInput } from '../objects.js';

const made = (
  given: SchedulingInput,
  clusters: readonly Cluster[],
  estimators: readonly Estimator[] = [],
  setEstimators?: readonly SetEstimator[],
) =>
  atOnce(
    candidates(
      given,
      clusters.map(cluster => ({ cluster, score: 0 })),
      { estimators, setEstimators },
    ),
  );

t.test('the room is the smallest estimate', async t => {
  const rows: readonly {
    name: string;
    spec: Partial<BindingSpec>;
    estimates: (number | undefined)[];
    expect: number;
  }[] = [
    { name: 'the smallest of several', spec: { replicas: 3 }, estimates: [7, 5, 9], expect: 5 },
    { name: 'one that cannot tell does not count', spec: { replicas: 3 }, estimates: [undefined, 5], expect: 5 },
    { name: 'zero is an estimate', spec: { replicas: 3 }, estimates: [0], expect: 0 },
    {
      name: 'no estimator can tell: enough for this binding',
      spec: { replicas: 3 },
      estimates: [undefined],
      expect: 3,
    },
    { name: 'no estimators', spec: { replicas: 3 }, estimates: [], expect: 3 },
    { name: 'nothing takes resources', spec: {}, estimates: [5], expect: 2_147_483_647 },
    {
      name: 'components take resources',
      spec: { components: [{ name: 'c', replicas: 1 }] },
      estimates: [5],
      expect: 5,
    },
    {
      name: 'components that nobody can estimate',
      spec: { components: [{ name: 'c', replicas: 1 }] },
      estimates: [],
      expect: 0,
    },
  ];
  for (const { name, spec, estimates, expect } of rows) {
    const [only] = made(
      schedulingInput(spec),
      [cluster('m1')],
      estimates.map(estimate => () => estimate),
    );
    t.equal(only?.allocatable, expect, name);
    t.equal(only?.available, expect, name);
  }
  const target = schedulingInput({ replicas: 3, clusters: [{ name: 'm1', replicas: 2 }, { name: 'm2' }] });
  const [first, second] = made(target, [cluster('m1'), cluster('m2')], [() => 5]);
  t.match(first, { name: 'm1', allocatable: 5, available: 7 }, 'replicas that are there already stay available');
  t.match(second, { name: 'm2', allocatable: 5, available: 5 }, 'a target without replicas has none');
});

t.test('components that must be in one cluster are estimated as a set, with the gate', async t => {
  const components = [{ name: 'c', replicas: 2 }];
  const one = { spreadByField: 'cluster', minGroups: 1, maxGroups: 1 } as const;
  const estimates = (...counts: readonly (number | undefined)[]): SetEstimator[] =>
    counts.map(
      count => () =>
        function* () {
          yield;
          return count;
        },
    );
  const room = (spreadConstraints: SpreadConstraint[], setEstimators?: readonly SetEstimator[]) =>
    made(
      schedulingInput({ components, placement: { spreadConstraints } }),
      [cluster('m1')],
      [() => 9],
      setEstimators,
    )[0]?.available;
  t.equal(room([one], estimates(4, undefined, 3)), 3, 'the smallest estimate');
  t.equal(room([one], estimates(undefined)), 0, 'nobody can estimate');
  t.equal(room([one]), 9, 'without the gate');
  t.equal(room([{ ...one, maxGroups: 2 }], estimates(3)), 9, 'more than one cluster');
  t.equal(room([], estimates(3)), 9, 'no constraint');
});

t.test('overflow affinities are later tiers', async t => {
  const term: ClusterAffinityTerm = {
    ...{ affinityName: 'main', clusterNames: ['m1'] },
    overflowAffinities: [
      { affinityName: 'first', clusterNames: ['m2'] },
      { affinityName: 'second', clusterNames: ['m3'] },
    ],
  };
  const placement = { clusterAffinities: [term] };
  const clusters = ['m4', 'm3', 'm2', 'm1'].map(name => cluster(name));
  const tiers = (given: SchedulingInput) =>
    made(given, clusters).map(({ name, overflowOrder }) => `${name} ${overflowOrder}`);
  t.strictSame(tiers(schedulingInput({ placement }, { term })), ['m1 0', 'm2 1', 'm3 2', 'm4 1000']);
  const same = (order: number) => ['m1', 'm2', 'm3', 'm4'].map(name => `${name} ${order}`);
  t.strictSame(tiers(schedulingInput({ placement })), same(1000), 'no term is tried');
  t.strictSame(
    tiers(schedulingInput({ placement: { ...placement, clusterAffinity: {} } }, { term })),
    same(0),
    'clusterAffinity replaces the terms',
  );
  t.strictSame(tiers(schedulingInput({ placement: { clusterAffinities: [] } }, { term })), same(0), 'no terms');
  t.strictSame(tiers(schedulingInput()), same(0), 'no placement');
});

t.test('candidates are ordered by tier, score, room and name', async t => {
  const ordered = [
    candidate('z', 1, { overflowOrder: 0, score: 100 }),
    candidate('y', 9, { overflowOrder: 0, score: 50 }),
    candidate('w', 8, { overflowOrder: 0, score: 50 }),
    candidate('x', 8, { overflowOrder: 0, score: 50 }),
    candidate('a', 99, { overflowOrder: 1, score: 100 }),
  ];
  t.strictSame(ordered.toReversed().sort(byPreference), ordered);
  t.equal(byPreference(candidate('a', 1), candidate('a', 1)), 0);
});
