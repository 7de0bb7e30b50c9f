/** Estimates of sets of components. The results of Karmada are compared in test/conformance/golden. */
import t from 'tap';
import type { Cluster, Component, ResourceSummary } from '../../../api/karmada/types.js';
import { atOnce, inTimeSlices } from '../../../lib/time-slice.js';
import { generalSetEstimator, summarySetEstimator } from '../../../scheduler/estimate/component-sets.js';
import { type Demand, type Nodes, setsThatFit } from '../../../scheduler/estimate/first-fit.js';
import { longestStall } from '../../lib/longest-stall.js';
import { cluster } from '../objects.js';

const models = [
  { grade: 1, ranges: [{ name: 'cpu', min: '4', max: '8' }] },
  { grade: 0, ranges: [{ name: 'cpu', min: '1', max: '4' }] },
];
const member = (resourceSummary: ResourceSummary | undefined): Cluster => ({
  ...cluster('m1', { resourceModels: models }),
  status: resourceSummary ? { resourceSummary } : {},
});
const component = (name: string, replicas: number, cpu?: string): Component => ({
  ...{ name, replicas },
  ...(cpu !== undefined && { replicaRequirements: { resourceRequest: { cpu } } }),
});
const one = component('c', 1);
const pair = [component('leader', 1, '2'), component('worker', 2, '1')];

t.test('a set is estimated by pods, by the sum of the cluster, and by its models', async t => {
  const allocatable = { cpu: '100', pods: '30' };
  const rows: readonly {
    name: string;
    given: ResourceSummary | undefined;
    components?: Component[];
    expect: number;
  }[] = [
    { name: 'nothing is known', given: undefined, expect: 0 },
    { name: 'no pods', given: { allocatable: { cpu: '100' } }, expect: 0 },
    { name: 'pods', given: { allocatable }, expect: 10 },
    { name: 'CPU', given: { allocatable: { ...allocatable, cpu: '17' } }, expect: 4 },
    { name: 'CPU that is used', given: { allocatable, allocated: { cpu: '90' } }, expect: 2 },
    { name: 'no CPU', given: { allocatable: { pods: '30' } }, expect: 0 },
    { name: 'no replicas', given: { allocatable }, components: [component('c', 0, '1')], expect: 30 },
    { name: 'no requests', given: { allocatable }, components: [component('c', 4)], expect: 7 },
    {
      name: 'nodes of the models: workers share the small ones',
      given: {
        allocatable,
        allocatableModelings: [
          { grade: 0, count: 3 },
          { grade: 1, count: 2 },
        ],
      },
      expect: 2,
    },
    {
      name: 'a resource that the models do not have',
      given: {
        allocatable: { ...allocatable, 'example.com/gpu': '9' },
        allocatableModelings: [{ grade: 1, count: 9 }],
      },
      components: [{ ...one, replicaRequirements: { resourceRequest: { 'example.com/gpu': '1' } } }],
      expect: 0,
    },
    {
      name: 'a resource that nodes do not count',
      given: {
        allocatable: { ...allocatable, pods: '9' },
        allocatableModelings: [{ grade: 1, count: 9 }],
      },
      components: [{ ...one, replicaRequirements: { resourceRequest: { pods: '1' } } }],
      expect: 9,
    },
    {
      name: 'a count that is negative is ignored with all others',
      given: { allocatable, allocatableModelings: [{ grade: 0, count: -1 }] },
      expect: 10,
    },
  ];
  for (const { name, given, components = pair, expect } of rows)
    t.equal(atOnce(generalSetEstimator(components)(member(given))), expect, name);
  const given = { allocatable, allocatableModelings: [{ grade: 0, count: 1 }] };
  t.equal(atOnce(summarySetEstimator(pair)(member(given))), 10, 'without models');
});

/** Places replica by replica on node by node. */
function placedOneByOne(nodes: readonly Nodes[], demands: readonly Demand[], max: number): number {
  const each = nodes.flatMap(({ free, count }) => Array.from({ length: count }, () => [...free]));
  for (let sets = 0; sets < max; sets++)
    for (const demand of demands)
      for (let i = 0; i < demand.replicas; i++) {
        const node = each.find(free => free.every((amount, at) => amount >= (demand.each[at] ?? 0)));
        if (!node) return sets;
        for (const [at, amount] of demand.each.entries()) node[at] = (node[at] ?? 0) - amount;
      }
  return max;
}

t.test('equal nodes that are filled together take what they take one by one', async t => {
  let seed = 7;
  const random = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
  for (let run = 0; run < 400; run++) {
    const nodes = Array.from({ length: 1 + random(4) }, () => ({
      free: [random(12), random(9), 5 + random(6)],
      count: random(6),
    }));
    const demands = Array.from({ length: 1 + random(3) }, () => ({
      replicas: 1 + random(4),
      each: [random(5), random(4), 1],
    }));
    const max = 1 + random(40);
    const expect = placedOneByOne(nodes, demands, max);
    const found = atOnce(setsThatFit(nodes, demands, max));
    if (found !== expect) t.equal(found, expect, JSON.stringify({ nodes, demands, max }));
  }
});

t.test('a set of too many components is estimated by the sum of the cluster', t => {
  const allocatable = { cpu: '900000000', pods: '2000000' };
  const allocatableModelings = [{ grade: 1, count: 1_000_000 }];
  const uneven = Array.from({ length: 10_000 }, (_, i) => component(`c${i}`, 1, `${2001 + ((i * 37) % 1999)}m`));
  uneven.push(component('least', 1, '1m')); // nodes that are used stay in the search for its sake
  const sets = (given: ResourceSummary) => atOnce(generalSetEstimator(uneven)(member(given)));
  t.equal(sets({ allocatable, allocatableModelings }), sets({ allocatable }));
  t.end();
});

t.test('each step of an estimate compares a limited number of components and nodes', t => {
  const count = 6000;
  // Each demand needs more of one resource than a node has left, but no resource is below the least of all demands.
  const demands = Array.from({ length: count }, (_, i) => ({ replicas: 1, each: [1 + i, count - i] }));
  const sum = (count * (count + 1)) / 2;
  const max = 1_000_000;
  for (const [name, amount] of [
    ['nothing fits on a node', 0],
    ['whole sets fill a node', sum],
  ] as const) {
    const nodes = Array.from({ length: 8000 }, (_, i) => {
      const free = amount + 2000 + (i % 500);
      return { free: [free, free], count: 1 };
    });
    const estimate = setsThatFit(nodes, demands, max);
    let steps = 0;
    let last = estimate.next();
    for (; !last.done; last = estimate.next()) steps++;
    const allowed = 1_000_000 / count; // the number of nodes that may be compared with all components
    t.ok(steps > allowed / 2 && steps < allowed * 2, `${name}: ${steps} steps`);
    t.ok(amount === 0 ? last.value === max : last.value < allowed * 2, `${name}: ${last.value} sets`);
  }
  t.end();
});

t.test('millions of nodes and hundreds of components do not hold the event loop', async t => {
  const allocatable = { cpu: '900000000', pods: '2000000000' };
  const allocatableModelings = [
    { grade: 0, count: 2_000_000_000 },
    { grade: 1, count: 2_000_000_000 },
  ];
  const uneven = Array.from({ length: 500 }, (_, i) => component(`c${i}`, 1 + (i % 7), `${1 + ((i * 37) % 1999)}m`));
  const run = async (): Promise<void> => {
    const sets = await inTimeSlices(generalSetEstimator(uneven)(member({ allocatable, allocatableModelings })));
    t.ok(sets !== undefined && sets > 0, `${sets} sets`);
  };
  const stall = await longestStall(50, run);
  t.ok(stall < 50, `${stall.toFixed(0)} ms`);
});
