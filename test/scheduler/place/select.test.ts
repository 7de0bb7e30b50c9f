/** Selection of clusters by spread constraints. */
import t from 'tap';
import { atOnce } from '../../../lib/time-slice.js';
import type { Placement, SpreadConstraint } from '../../../api/karmada/types.js';
import type { Candidate } from '../../../scheduler/interface.js';
import { byPreference } from '../../../scheduler/place/candidates.js';
import { type Grouping, groupingsOf } from '../../../scheduler/place/grouping.js';
import { groupsOf, selectClusters } from '../../../scheduler/place/select.js';
import { random } from '../../random.js';
import { bindingSpec, candidate, cluster } from '../objects.js';

const by = (
  spreadByField: 'cluster' | 'region' | 'zone',
  minGroups?: number,
  maxGroups?: number,
): SpreadConstraint => ({
  spreadByField,
  ...(minGroups !== undefined && { minGroups }),
  ...(maxGroups !== undefined && { maxGroups }),
});
const divided = { replicaSchedulingType: 'Divided' } as const;
const weighted = { ...divided, replicaDivisionPreference: 'Weighted' } as const;
const staticWeightList = [{ targetCluster: { clusterNames: ['a'] }, weight: 1 }];

/** Returns the names of the selected clusters, or the refusal. */
function selected(
  all: readonly Candidate[],
  placement: Placement | undefined,
  replicas = 0,
): readonly string[] | string {
  const chosen = atOnce(selectClusters(all, bindingSpec({ replicas, ...(placement && { placement }) }), replicas));
  return typeof chosen === 'string' ? chosen : chosen.map(({ name }) => name);
}

const three = [candidate('a', 1), candidate('b', 5), candidate('c', 9)];

t.test('without constraints, all candidates are selected', async t => {
  const all = ['a', 'b', 'c'];
  t.strictSame(selected(three, undefined), all, 'no placement');
  t.strictSame(selected(three, { spreadConstraints: [] }), all, 'an empty list');
  t.strictSame(selected([], { spreadConstraints: [] }), [], 'no candidate');
  const spreadConstraints = [by('cluster', 1, 1)];
  const strategies = [weighted, { ...weighted, weightPreference: { staticWeightList } }];
  for (const replicaScheduling of strategies)
    t.strictSame(selected(three, { spreadConstraints, replicaScheduling }), all, 'static weights name the clusters');
  const dynamic = { ...weighted, weightPreference: { staticWeightList, dynamicWeight: 'AvailableReplicas' as const } };
  t.strictSame(selected(three, { spreadConstraints, replicaScheduling: dynamic }), ['a'], 'dynamic weights do not');
});

t.test('clusters are selected by preference, and by room where replicas are divided', async t => {
  const rows: readonly {
    readonly name: string;
    readonly constraint: SpreadConstraint;
    readonly duplicated?: true;
    readonly replicas: number;
    readonly expect: readonly string[] | string;
  }[] = [
    { name: 'the most preferred', constraint: by('cluster', 1, 2), replicas: 6, expect: ['a', 'b'] },
    {
      name: 'the last one is exchanged for one with more room',
      constraint: by('cluster', 1, 2),
      replicas: 10,
      expect: ['a', 'c'],
    },
    { name: 'as many are exchanged as needed', constraint: by('cluster', 1, 2), replicas: 11, expect: ['b', 'c'] },
    {
      name: 'no exchange is sufficient',
      constraint: by('cluster', 1, 2),
      replicas: 15,
      expect: 'no enough resource when selecting 2 clusters',
    },
    { name: 'more groups than clusters', constraint: by('cluster', 1, 9), replicas: 15, expect: ['a', 'b', 'c'] },
    {
      name: 'fewer clusters than the least number',
      constraint: by('cluster', 4, 9),
      replicas: 1,
      expect: 'the number of feasible clusters is less than spreadConstraint.MinGroups',
    },
    {
      name: 'no maximum selects none',
      constraint: by('cluster', 1),
      replicas: 1,
      expect: 'no enough resource when selecting 0 clusters',
    },
    {
      name: 'the room is not checked where every cluster gets all replicas',
      constraint: by('cluster', 1, 2),
      duplicated: true,
      replicas: 100,
      expect: ['a', 'b'],
    },
    {
      name: 'a field that clusters are not spread by',
      constraint: by('zone', 1, 1),
      replicas: 1,
      expect: 'just support cluster and region spread constraint',
    },
  ];
  for (const { name, constraint, duplicated, replicas, expect } of rows) {
    const placement = { spreadConstraints: [constraint], ...(!duplicated && { replicaScheduling: divided }) };
    t.strictSame(selected(three, placement, replicas), expect, name);
  }
  const twice = { spreadConstraints: [by('cluster', 1, 1), by('cluster', 1, 3)], replicaScheduling: divided };
  t.strictSame(selected(three, twice, 1), ['a', 'b', 'c'], 'the last constraint of a field counts');
});

const inRegion = (name: string, region: string, available: number, score = 0): Candidate =>
  candidate(name, available, { cluster: cluster(name, region ? { region } : {}), score });

t.test('regions are selected first, then clusters inside of them', async t => {
  const all = [
    inRegion('a1', 'east', 10),
    inRegion('a2', 'east', 10),
    inRegion('b1', 'west', 1),
    inRegion('b2', 'west', 1),
    inRegion('c1', 'north', 5),
    inRegion('d', '', 100),
  ];
  const place = (
    region: SpreadConstraint,
    groups?: SpreadConstraint,
    replicaScheduling = divided as Placement['replicaScheduling'],
  ): Placement => ({
    spreadConstraints: [region, ...(groups ? [groups] : [])],
    ...(replicaScheduling && { replicaScheduling }),
  });
  t.strictSame(
    selected(all, place(by('region', 1, 1), by('cluster', 1, 1)), 8),
    ['a1'],
    'the region with the most room',
  );
  t.strictSame(
    selected(all, place(by('region', 2, 2), by('cluster', 2, 3)), 8),
    ['a1', 'c1', 'a2'],
    'one cluster of each region, then the preferred ones',
  );
  t.strictSame(
    selected(all, place(by('region', 2, 2)), 8),
    ['a1', 'c1'],
    'without a constraint of clusters, one of each region',
  );
  t.equal(
    selected(all, place(by('region', 4, 4), by('cluster', 4, 4)), 8),
    'the number of feasible region is less than spreadConstraint.MinGroups',
    'a cluster without a region is in none',
  );
  t.equal(
    selected(all, place(by('region', 1, 2), by('cluster', 6, 6)), 8),
    'the number of clusters is less than the cluster spreadConstraint.MinGroups',
    'two regions have at most four clusters',
  );
});

t.test('a region where every cluster gets all replicas is scored by the clusters that have room', async t => {
  const all = [
    inRegion('a1', 'east', 9, 0),
    inRegion('b1', 'west', 1, 100),
    inRegion('b2', 'west', 1, 100),
    inRegion('c1', 'north', 9, 50),
  ];
  const placement = { spreadConstraints: [by('region', 1, 1), by('cluster', 1, 1)] };
  t.strictSame(selected(all, placement, 5), ['c1'], 'the better score of those with room');
  t.strictSame(selected(all, placement, 1), ['b1'], 'more clusters with room come before a better score');
});

t.test('candidates are grouped by their regions', async t => {
  const inRegion = (name: string, region: string): Candidate =>
    candidate(name, 2, { cluster: cluster(name, { region }), score: 100 });
  const all = [inRegion('a', 'east'), candidate('b', 1), inRegion('c', 'west'), inRegion('d', 'east')];
  const region: Grouping = { constraint: {}, name: 'region', groupNameOf: ({ spec }) => spec.region };
  const shown = (spec: Parameters<typeof groupsOf>[1]) =>
    groupsOf(all, spec, groupingsOf(spec.placement ?? {})[0] ?? region).map(({ name, score, clusters }) => [
      name,
      score,
      clusters.map(each => each.name).join(),
    ]);
  t.strictSame(
    shown(bindingSpec()),
    [
      ['east', 2100, 'a,d'],
      ['west', 1100, 'c'],
    ],
    'without constraints and replicas',
  );
  const divides = { replicaScheduling: divided, spreadConstraints: [by('region', 1)] };
  t.strictSame(
    shown(bindingSpec({ replicas: 3, placement: divides })),
    [
      ['east', 3100, 'a,d'],
      ['west', 2100, 'c'],
    ],
    'with replicas that are divided',
  );
});

t.test('the next decision may give up regions, as in Karmada, and keeps groups by a label', async t => {
  const room = { m1: 2, m2: 6, m3: 11 };
  const group = { m1: 'a', m2: 'a', m3: 'b' };
  const names = ['m1', 'm2', 'm3'] as const;
  /** Returns what is selected beside targets, which are preferred, and whose replicas count as room. */
  const next = (placement: Placement, targets: Readonly<Partial<typeof room>> = {}) => {
    const all = names.map(name =>
      candidate(name, room[name] + (targets[name] ?? 0), {
        cluster: cluster(name, { region: group[name] }, { labels: { rack: group[name] } }),
        score: targets[name] === undefined ? 0 : 100,
      }),
    );
    const clusters = Object.entries(targets).map(([name, replicas]) => ({ name, replicas }));
    const chosen = atOnce(selectClusters(all, bindingSpec({ replicas: 9, placement, clusters }), 9));
    return typeof chosen === 'string' ? chosen : chosen.map(({ name }) => name).sort();
  };
  const byRack: SpreadConstraint = { spreadByLabel: 'rack', minGroups: 1, maxGroups: 3 };
  const rows = [
    { replicaScheduling: { ...weighted, weightPreference: { dynamicWeight: 'AvailableReplicas' as const } } },
    { replicaScheduling: { replicaSchedulingType: 'Duplicated' as const } },
  ];
  const divisions = [
    { m1: 1, m2: 3, m3: 5 },
    { m1: 9, m2: 9, m3: 9 },
  ];
  for (const [i, strategy] of rows.entries()) {
    const limits = [by('cluster', 2, 6)];
    const regions = { ...strategy, spreadConstraints: [by('region', 1, 3), ...limits] };
    t.strictSame(next(regions), ['m1', 'm2', 'm3'], 'the first decision needs both regions');
    t.strictSame(next(regions, divisions[i]), ['m1', 'm2'], 'region a has room now, and is sufficient');
    const racks = { ...strategy, spreadConstraints: [byRack, ...limits] };
    t.strictSame(next(racks), ['m1', 'm2', 'm3']);
    t.strictSame(next(racks, divisions[i]), ['m1', 'm2', 'm3'], 'both racks have targets');
    t.strictSame(next(racks, { m1: 9, m2: 9 }), ['m1', 'm2'], 'a rack without a target is not added');
  }
});

interface InRack {
  readonly rack: string;
  /** Free room for replicas. */
  readonly room: number;
  /** Replicas that run there. */
  readonly has?: number;
  /** 100 for targets, and 0 for others unless given. */
  readonly score?: number;
}

t.test('a workload stays in the groups by a label in which it runs while constraints and room allow it', async t => {
  const dynamic = { ...weighted, weightPreference: { dynamicWeight: 'AvailableReplicas' as const } };
  /** Returns what the next decision selects. Targets are preferred, and their replicas count as room. */
  const next = (
    racks: Readonly<Record<string, InRack>>,
    replicas: number,
    [minGroups, maxGroups]: readonly [number, number?],
    rest: Placement = { replicaScheduling: dynamic },
  ) => {
    const all = Object.entries(racks).map(([name, { rack, room, has = 0, score = has > 0 ? 100 : 0 }]) =>
      candidate(name, room + has, { cluster: cluster(name, {}, { labels: { rack } }), score }),
    );
    const clusters = Object.entries(racks).flatMap(([name, { has }]) => (has ? [{ name, replicas: has }] : []));
    const byRack: SpreadConstraint = { spreadByLabel: 'rack', minGroups, ...(maxGroups && { maxGroups }) };
    const placement = { ...rest, spreadConstraints: [byRack, ...(rest.spreadConstraints ?? [])] };
    const chosen = atOnce(
      selectClusters(all.sort(byPreference), bindingSpec({ replicas, placement, clusters }), replicas),
    );
    return typeof chosen === 'string' ? chosen : chosen.map(({ name }) => name).sort();
  };
  const growing = { m1: { rack: 'a', room: 1, has: 4 }, m2: { rack: 'b', room: 20 } };
  t.strictSame(next(growing, 10, [1]), ['m1', 'm2'], 'a rack is added to the one that has too little room');
  t.strictSame(next(growing, 5, [1]), ['m1'], 'no rack is added if there is room');
  t.strictSame(next(growing, 10, [1, 1]), ['m2'], 'no rack may be added');
  t.strictSame(next(growing, 10, [1, 1], { replicaScheduling: { replicaSchedulingType: 'Duplicated' } }), ['m2']);

  const duplicated: Placement = { spreadConstraints: [by('cluster', 2, 4)] };
  const joined = {
    ...{ m1: { rack: 'a', room: 9, has: 3 }, m2: { rack: 'b', room: 9, has: 3 } },
    ...{ m3: { rack: 'a', room: 9 }, m4: { rack: 'b', room: 9 } },
  };
  t.strictSame(next(joined, 3, [1, 2], duplicated), ['m1', 'm2', 'm3', 'm4'], 'both racks stay when clusters join');
  t.strictSame(next(joined, 3, [1, 1], duplicated), ['m1', 'm3'], 'the best one stays when one is the maximum');
  const narrow = { spreadConstraints: [by('cluster', 1, 1)], replicaScheduling: dynamic };
  const crowded = {
    m1: { rack: 'a', room: 0, has: 4 },
    m2: { rack: 'a', room: 3 },
    m3: { rack: 'b', room: 20, score: 90 },
  };
  t.strictSame(next(crowded, 7, [1, 1], narrow), ['m3'], 'the clusters that may be selected have too little room');
});

/** The rule of Karmada, word for word: every exchange looks at all clusters that are not selected. */
function exchanged(all: readonly Candidate[], count: number, needed: number): readonly string[] | undefined {
  const chosen = all.slice(0, count);
  const rest = all.slice(count);
  const capacity = (): number => chosen.reduce((sum, { available }) => sum + available, 0);
  for (let i = count - 1; i >= 0 && capacity() < needed; i--) {
    const least = chosen[i] as Candidate;
    let largest = -1;
    for (const [j, each] of rest.entries()) if (each.available > (rest[largest] ?? least).available) largest = j;
    const other = rest[largest];
    if (!other) continue;
    chosen[i] = other;
    rest[largest] = least;
  }
  return capacity() < needed ? undefined : chosen.map(({ name }) => name);
}

t.test('clusters are exchanged as by the rule that looks at all others each time', t => {
  const { below } = random(11);
  let fitting = 0;
  for (let round = 0; round < 500; round++) {
    const all = Array.from({ length: 2 + below(30) }, (_, i) => candidate(`m${i}`, below(8)));
    const count = 1 + below(all.length - 1);
    const needed = below(count * 8);
    const placement = { spreadConstraints: [by('cluster', 1, count)], replicaScheduling: divided };
    const expected = exchanged(all, count, needed);
    if (expected) fitting++;
    const got = selected(all, placement, needed);
    t.strictSame(typeof got === 'string' ? undefined : got, expected, `round ${round}`);
  }
  t.ok(fitting > 100 && fitting < 500, `${fitting} fit`);
  t.end();
});
