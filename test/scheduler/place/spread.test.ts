/** Spread constraints by labels, and by several fields and labels at once. */
import t from 'tap';
import type { Placement, SpreadConstraint } from '../../../api/karmada/types.js';
import type { Candidate } from '../../../scheduler/interface.js';
import { byPreference } from '../../../scheduler/place/candidates.js';
import { groupingsOf } from '../../../scheduler/place/grouping.js';
import { selectClusters } from '../../../scheduler/place/select.js';
import { atOnce } from '../../../lib/time-slice.js';
import { schedule } from '../../../scheduler/place/schedule.js';
import { random } from '../../random.js';
import { bindingSpec, candidate, cluster, schedulingInput } from '../objects.js';

const aggregated = { replicaSchedulingType: 'Divided', replicaDivisionPreference: 'Aggregated' } as const;

const labelled = (name: string, available: number, labels: Readonly<Record<string, string>>, region = ''): Candidate =>
  candidate(name, available, { cluster: cluster(name, { ...(region && { region }) }, { labels }) });

function select(
  all: readonly Candidate[],
  spreadConstraints: SpreadConstraint[],
  replicas = 0,
): readonly string[] | string {
  const placement: Placement = { spreadConstraints, ...(replicas > 0 && { replicaScheduling: aggregated }) };
  const chosen = atOnce(selectClusters(all, bindingSpec({ replicas, placement }), replicas));
  return typeof chosen === 'string' ? chosen : chosen.map(({ name }) => name);
}

t.test('a label groups clusters as regions do', t => {
  const all = [labelled('a', 5, { rack: '1' }), labelled('b', 4, { rack: '1' }), labelled('c', 3, { rack: '2' })];
  t.same(select(all, [{ spreadByLabel: 'rack', minGroups: 2 }]), ['a', 'c', 'b'], 'all clusters of both');
  t.same(select(all, [{ spreadByLabel: 'rack', minGroups: 1, maxGroups: 1 }]), ['a', 'b'], 'the better group');
  const one: SpreadConstraint = { spreadByField: 'cluster', minGroups: 2, maxGroups: 2 };
  t.same(select(all, [{ spreadByLabel: 'rack', minGroups: 2 }, one]), ['a', 'c'], 'one cluster of each');
  t.equal(
    select(all, [{ spreadByLabel: 'rack', minGroups: 3 }]),
    'the number of feasible groups by label rack is less than spreadConstraint.MinGroups',
  );
  t.end();
});

t.test('groups by a label are added until there is room, and others are used if the best ones have none', t => {
  const all = [
    labelled('a', 5, { rack: '1' }),
    labelled('b', 4, { rack: '2' }),
    labelled('c', 2, { rack: '3' }),
    labelled('d', 1, { rack: '1' }),
  ];
  const racks = (maxGroups?: number): SpreadConstraint => ({
    ...{ spreadByLabel: 'rack', minGroups: 1 },
    ...(maxGroups !== undefined && { maxGroups }),
  });
  t.same(select(all, [racks()], 6), ['a', 'd'], 'one group is sufficient');
  t.same(select(all, [racks()], 8), ['a', 'b', 'd'], 'another one is needed');
  t.same(select(all, [racks()], 12), ['a', 'b', 'c', 'd'], 'all are needed');
  t.same(select(all, [racks(2)], 12), ['a', 'd'], 'no two groups have room: the division tells by how much');
  const most: SpreadConstraint = { spreadByField: 'cluster', minGroups: 1, maxGroups: 1 };
  const split = [
    ...['a1', 'a2', 'a3'].map(name => labelled(name, 3, { rack: 'a' })),
    labelled('b1', 8, { rack: 'b' }),
  ].sort(byPreference);
  t.same(select(split, [racks(), most], 8), ['b1'], 'a group counts with as many clusters as may be selected');
  t.end();
});

/** Returns whether a set satisfies the constraints. */
function satisfies(set: readonly Candidate[], constraints: readonly SpreadConstraint[]): boolean {
  return constraints.every(({ spreadByLabel, minGroups = 0, maxGroups = 0 }) => {
    const values = spreadByLabel ? set.map(({ cluster }) => cluster.metadata.labels?.[spreadByLabel]) : set;
    const groups = new Set<unknown>(values).size;
    return groups >= minGroups && groups <= (maxGroups || Infinity);
  });
}

const roomOf = (set: readonly Candidate[]): number => set.reduce((sum, { available }) => sum + available, 0);

const subsetsOf = (all: readonly Candidate[]): readonly (readonly Candidate[])[] =>
  Array.from({ length: 2 ** all.length }, (_, bits) => all.filter((_, i) => bits & (1 << i)));

t.test('groups by a label have room exactly if some clusters that the constraints allow have it', t => {
  const seen = { roomy: 0, full: 0 };
  for (let seed = 1; seed <= 600; seed++) {
    const { below, chance } = random(seed);
    const all = Array.from({ length: 1 + below(8) }, (_, i) =>
      labelled(`c${i}`, below(6), { rack: `${below(4)}` }),
    ).sort(byPreference);
    const [minGroups, least] = [1 + below(3), 1 + below(3)];
    const constraints: SpreadConstraint[] = [
      { spreadByLabel: 'rack', minGroups, ...(chance(0.6) && { maxGroups: minGroups + below(2) }) },
    ];
    const maxGroups = Math.max(minGroups, least) + below(3);
    if (chance(0.6)) constraints.push({ spreadByField: 'cluster', minGroups: least, maxGroups });
    const allowed = subsetsOf(all).filter(set => satisfies(set, constraints));
    const most = Math.max(-1, ...allowed.map(roomOf));
    const replicas = 1 + below(15);
    const names = select(all, constraints, replicas);
    const chosen = typeof names === 'string' ? [] : all.filter(({ name }) => names.includes(name));
    const what = `seed ${seed}: ${replicas} replicas, room for ${most} at most: ${String(names)}`;
    t.equal(roomOf(chosen) >= replicas, most >= replicas, what);
    t.ok(typeof names === 'string' || satisfies(chosen, constraints), what);
    seen[most >= replicas ? 'roomy' : 'full']++;
  }
  t.ok(seen.roomy > 150 && seen.full > 150, JSON.stringify(seen));
  t.end();
});

t.test('a set of components is placed in a group by a label that has room for it', t => {
  const components = [{ name: 'one', replicas: 1 }];
  const spreadConstraints: SpreadConstraint[] = [
    { spreadByLabel: 'rack', minGroups: 1 },
    { spreadByField: 'cluster', minGroups: 1, maxGroups: 1 },
  ];
  const all = [labelled('b', 2, { rack: '2' }), labelled('a', 0, { rack: '1' })];
  const spec = bindingSpec({ components, placement: { spreadConstraints, replicaScheduling: aggregated } });
  const chosen = atOnce(selectClusters(all, spec, 1));
  t.match(chosen, [{ name: 'b' }]);
  const full = all.slice(1);
  t.equal(atOnce(selectClusters(full, spec, 1)), 'no enough resource in clusters that are spread by rack');
  t.match(atOnce(selectClusters(full, { ...spec, clusters: [{ name: 'a' }] }, 1)), [{ name: 'a' }], 'it is there');
  t.end();
});

t.test('a cluster without the label is left out', t => {
  const placement: Placement = { spreadConstraints: [{ spreadByLabel: 'rack', minGroups: 1 }] };
  const options = { enableEmptyWorkloadPropagation: false, estimators: [() => 5] };
  const decide = (...clusters: Parameters<typeof schedule>[1]) =>
    atOnce(schedule(schedulingInput({ placement }), clusters, options));
  t.same(decide(cluster('m1'), cluster('m2', {}, { labels: { rack: '1' } })), {
    ...{ type: 'placed', clusters: [{ name: 'm2' }] },
  });
  t.same(decide(cluster('m1')), {
    ...{ type: 'FitError', message: '0/1 clusters are available: 1 cluster(s) did not have label rack.' },
    refusedBy: ['SpreadConstraint'],
  });
  t.end();
});

t.test('several groupings are satisfied together', t => {
  const all = [
    labelled('a', 9, { rack: '1' }, 'east'),
    labelled('b', 8, { rack: '1' }, 'west'),
    labelled('c', 7, { rack: '2' }, 'west'),
    labelled('d', 6, { rack: '3' }, 'west'),
  ];
  const spread = (regions: object, racks: object, clusters: object, replicas = 0) =>
    select(
      all,
      [
        { spreadByField: 'region', ...regions },
        { spreadByLabel: 'rack', ...racks },
        { spreadByField: 'cluster', minGroups: 1, ...clusters },
      ],
      replicas,
    );
  t.same(spread({ minGroups: 2 }, { minGroups: 2 }, { maxGroups: 2 }), ['a', 'c']);
  t.same(spread({ maxGroups: 1 }, { minGroups: 3 }, {}), ['b', 'c', 'd'], 'the most preferred cluster is of no use');
  t.same(spread({ minGroups: 1 }, { maxGroups: 1 }, {}), ['a', 'b'], 'as many as the maximums allow');
  t.same(spread({ minGroups: 1 }, { minGroups: 1 }, { maxGroups: 2 }, 17), ['a', 'b'], 'with room');
  const full = [labelled('a', 1, { rack: '1' }, 'east'), labelled('b', 9, { rack: '2' }, 'west')];
  const one: SpreadConstraint[] = [{ spreadByField: 'region' }, { spreadByLabel: 'rack' }];
  const most: SpreadConstraint = { spreadByField: 'cluster', maxGroups: 1 };
  t.same(select(full, [...one, most], 5), ['b'], 'one with more room comes first, if it is needed');
  t.equal(select(full, [...one, most], 50), 'no enough resource in clusters that are spread by region, rack');
  t.equal(
    select(full, [{ spreadByField: 'region', minGroups: 3 }, { spreadByLabel: 'rack' }]),
    'no clusters satisfy the spread constraints by region, rack together',
  );
  t.end();
});

t.test('zones count beside another grouping, and alone only leave clusters out, as in Karmada', t => {
  const zone: SpreadConstraint = { spreadByField: 'zone', minGroups: 2 };
  const region: SpreadConstraint = { spreadByField: 'region', minGroups: 1 };
  const clusters: SpreadConstraint = { spreadByField: 'cluster', minGroups: 1, maxGroups: 2 };
  const names = (...spreadConstraints: SpreadConstraint[]) =>
    groupingsOf({ spreadConstraints }).map(({ name }) => name);
  t.same(names(zone, clusters), []);
  t.same(names(region, clusters), ['region']);
  t.same(names(zone, region, clusters), ['zone', 'region']);
  const inZones = (name: string, ...zones: string[]): Candidate =>
    candidate(name, 1, { cluster: cluster(name, { region: 'r', zones }) });
  const all = [inZones('a', 'z1'), inZones('b', 'z1'), inZones('c', 'z2', 'z1')];
  t.same(select(all, [zone, clusters]), ['a', 'b']);
  t.same(select(all, [zone, region, clusters]), ['a', 'c']);
  t.end();
});

const dimensions = ['x', 'y', 'z'];

t.test('a selection is found exactly if there is one, and is always the same', t => {
  let found = 0;
  let refused = 0;
  for (let seed = 1; seed <= 400; seed++) {
    const { below, chance } = random(seed);
    const all = Array.from({ length: 1 + below(8) }, (_, i) =>
      labelled(`c${i}`, below(5), Object.fromEntries(dimensions.map(key => [key, `${below(3)}`]))),
    ).sort(byPreference);
    const limits = () => ({ minGroups: 1 + below(3), ...(chance(0.6) && { maxGroups: 1 + below(3) }) });
    const constraints: SpreadConstraint[] = dimensions.map(spreadByLabel => ({ spreadByLabel, ...limits() }));
    constraints.push({ spreadByField: 'cluster', ...limits() });
    const exists = subsetsOf(all).some(set => satisfies(set, constraints));
    const chosen = select(all, constraints);
    t.same(select(structuredClone(all), constraints), chosen, `seed ${seed}: the same again`);
    t.equal(typeof chosen !== 'string', exists, `seed ${seed}: ${JSON.stringify(constraints)}`);
    if (typeof chosen === 'string') {
      refused++;
      continue;
    }
    found++;
    t.ok(
      satisfies(
        all.filter(({ name }) => chosen.includes(name)),
        constraints,
      ),
      `seed ${seed}: ${chosen.join()}`,
    );
    const replicas = 1 + below(12);
    const roomy = select(all, constraints, replicas);
    if (typeof roomy === 'string') continue;
    const set = all.filter(({ name }) => roomy.includes(name));
    t.ok(satisfies(set, constraints) && roomOf(set) >= replicas);
  }
  t.ok(found > 50 && refused > 50, `${found} found, ${refused} refused`);
  t.end();
});

t.test('very many groups are searched in bounded time', t => {
  const all = Array.from({ length: 20_000 }, (_, i) =>
    labelled(`c${i}`, 1, { host: `${i}`, rack: `${i % 5000}`, room: `${i % 7}` }),
  );
  const wide = select(all, [
    { spreadByLabel: 'host', minGroups: 10_000 },
    { spreadByLabel: 'rack', minGroups: 5000 },
  ]);
  t.equal(wide.length, 20_000);
  const impossible = select(all, [
    { spreadByLabel: 'host', minGroups: 100 },
    { spreadByLabel: 'rack', minGroups: 50, maxGroups: 50 },
    { spreadByLabel: 'room', minGroups: 7, maxGroups: 7 },
    { spreadByField: 'cluster', maxGroups: 60 },
  ]);
  t.type(impossible, 'string');
  t.end();
});
